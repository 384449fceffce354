"""Fuses `ew` operations, reductions along the first axis, and `accumulate`, into `kernel` operations.

The kernel operation, as the driver's code generator sees it:

    r0, r1, ... = kernel a0, a1, ..., d0, d1, ...   {kernel, ndim_out, collapsed, order, flags}   exit redo

- results: one new array per entry of ``kernel.outputs``, in that order, all of the shape (d0, d1, ...), all in memory order ``order``
  ("C" or "F"); allocate them (pj_empty with the dims d, order), fill them by the kernel.
- args: first one value per ``kernel.operands`` entry (an array where the entry has strides, a NumPy scalar, perhaps a Const, where it
  has None), then the ``ndim_out`` dims of the result. So ``args[:-ndim_out]`` are operands, except when ndim_out is 0: use
  ``len(kernel.operands)``.
- axes: kernel axis k is result axis k; with order "F" it is result axis ndim_out-1-k (so the kernel's loops always run over
  contiguous outputs). With ``collapsed`` the kernel has one axis, whose length is the product of all dims (1 when there are none).
- words of p: `Kernel.words()`. A ("stride", operand, axis) word is the operand array's own byte stride for that kernel axis: with n = the
  operand's ndim, array axis = (result axis) - ndim_out + n, always >= 0 (a missing leading axis is the constant 0, as a stretched one is).
  An operand with rows has one axis more than the result: ("rows", operand, 0) and ("row_stride", operand, 0) are those of its first.
- call: ``k(0, p[0], p)``; any partition of 0..p[0] may run concurrently, unless a step is a scan. Nothing is called when the product of the dims
  is 0.
- flags: whether floating-point flags can be raised: clear before, test after, with what the call returned; if one is set that the graph watches, or
  trouble is reported, release the new arrays and take the exit. False: the exit is taken only when memory runs out.
- ``kernel.fold``: one result more, the last one: a NumPy scalar, the sum of all elements, where the kernel has one axis (0 where there are none);
  or an array of the other axes, with ``keep`` of length 1 in its place. Along the first axis the kernel is called for all of p[0] at once.
- effect: None as for `ew`: it reads its operands' memory and makes new objects.

    r0, r1, ... = kernel_into a0, a1, ..., d0, d1, ..., target   {as above}   exit redo

does the same, and what an `assign` behind the group did: the step of ``kernel.store`` goes into the array ``target``, which has the shape
(d0, d1, ...), as if it had been computed in full first. How, without a temporary array: codegen/stores.py.

An `ew` that the pass leaves (its loop is not among the ``fusible`` ones, or its result is neither C- nor F-ordered, or it is said to be for
NumPy's ``loop``) stays an `ew`, to be done by that.

Transaction: the kernel stands where the last `ew` of the group stood. No operation in between has an effect beyond
"read", so every exit between the first and the last, and the kernel's own, resumes at the first one's instruction: the
interpreter does it all again. That is what keeps temporaries from becoming arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pijit.ground.records import replace

from ..ir.graph import Block, Box, Const, Graph, Known, Op, Value
from ..ir.kernel import Fold, Kernel, Operand, Step, Store
from ..ir.ops import OPS
from ..ir.types import Array
from ..ir.ufuncs import names_flags, place_counts, raises, repeatable
from ..ir.uses import Uses
from .again import redirect
from .facts import owner
from .groups import (
    LIMIT,
    PLACES,
    Group,
    dims_of,
    dtype_name,
    dtypes_of,
    flat,
    folds,
    is_flat,
    key_of,
    operands_of,
    order_of,
    scans,
    stretch_of,
    takes,
)
from .remade import remake
from .rename import Renamer
from .reuse import begins, ending
from .shapes import Equal, Same, learn
from .walks import half, known_stride, like

Fusible = Callable[[str, tuple[str, ...]], bool]
Sums = Callable[[str], bool]


def fuse(graph: Graph, fusible: Fusible, formula: Fusible, sums: Sums, alone: bool = False) -> None:
    """Replaces ``ew`` by ``kernel``; ``alone``: one kernel each. ``fusible`` and ``formula`` take a ufunc and the dtypes of operands and
    result; ``sums``: whether a kernel can add elements of the dtype in NumPy's order."""
    equal = Equal(graph)
    plans = [(block, _Plan(block, fusible, formula, sums, alone, equal.before(block))) for block in graph.blocks]
    uses = Uses(graph)
    if not alone:
        for block, plan in plans:
            plan.reuse(graph, uses, block)
        for block, plan in plans:
            remake(block, plan.groups, plan.plain, uses)
    for block, plan in plans:
        plan.redirect(block)
    uses.changed()
    for block, plan in plans:
        plan.rewrite(block, uses, graph.relaxed)


class _Plan:
    """The groups of one block."""

    def __init__(self, block: Block, fusible: Fusible, formula: Fusible, sums: Sums, alone: bool, same: Same) -> None:
        self.groups: list[Group] = []
        self.same = same
        self.sums = sums
        self.formula = formula
        self.alone = alone
        self.places = {op: place for place, op in enumerate(block.ops)}
        open: list[Group] = []
        for place, op in enumerate(block.ops):
            if OPS[op.name].effect in ("write", "any"):
                if op.name == "assign":
                    self.into(open, place, op)
                open.clear()
            elif op.name == "reduce" and (producer := self.producer(open, op)) is not None:
                producer.fold, producer.last = op, place
                open.remove(producer)
            elif (
                op.name == "accumulate"
                or (op.name == "ew" and can_fuse(op, fusible))
                or (op.name == "reduce" and not alone and _by_rows(op, formula))
                or (takes(op) and not alone)
            ):
                open = self.join(open, place, op)
            else:
                open = [group for group in open if not group.makes(op.args)]
                learn(self.same, op)
        self.groups = [group for group in self.groups if group.fold is not None or not all(map(takes, group.ops))]

    def join(self, open: list[Group], place: int, op: Op) -> list[Group]:
        """Puts the operation into the groups that it belongs to, merged, and gives the groups that are still open."""
        key = key_of(op, self.same)
        found = Group(place, place, [op])
        users = [group for group in open if group.makes(op.args)]
        alike = [group for group in open if key_of(group.ops[0], self.same) == key]
        friends = [group for group in alike if group in users] or [group for group in alike if group.shares(op)][-1:]
        if self.alone or sum(len(group.ops) for group in friends) >= LIMIT or not self.mix(op, friends):
            friends = []
        for group in friends:
            found.first = min(found.first, group.first)
            found.ops = group.ops + found.ops
            self.groups.remove(group)
        found.ops.sort(key=self.places.__getitem__)
        self.groups.append(found)
        return [group for group in open if group not in users and group not in friends] + [found]

    def mix(self, op: Op, friends: list[Group]) -> bool:
        """Whether a kernel can do all of them at once: what is taken is taken while one element is made, and from what is in memory."""
        ops = [op, *(other for group in friends for other in group.ops)]
        taken = {other.args[0] for other in ops if takes(other)}
        return not taken or (all(map(self.plain, ops)) and taken.isdisjoint(other.result for other in ops))

    def plain(self, op: Op) -> bool:
        """Whether a kernel does it element by element."""
        return takes(op) or (op.name == "ew" and self.formula(op.attrs["ufunc"], dtypes_of(op)))

    def into(self, open: list[Group], place: int, assign: Op) -> None:
        """Makes an assignment of what a group computes part of the group."""
        made = assign.args[1]
        for group in open:
            if group.makes((made,)) and not group.makes(assign.args[:1]) and not self.alone and _storable(group, assign):
                group.store, group.last, group.attrs = assign, place, _places(group.ops, assign)
                group.by_elements = self._by_elements(group, assign)

    def _by_elements(self, group: Group, assign: Op) -> bool:
        """Whether what is read from the target is not needed any more when that element is stored: where NumPy's loops take part, they do not read
        it, and what is stored is made last, element by element."""
        target, made = assign.args[:2]
        formulas = {op for op in group.ops if op.name == "ew" and self.formula(op.attrs["ufunc"], dtypes_of(op))}
        if len(formulas) == len(group.ops):
            return True
        readers = {op for op in group.ops for value in operands_of(op) if value is made or owner(value) is owner(target)}
        return made.op in formulas and readers <= formulas and not any(made in operands_of(op) for op in readers)

    def producer(self, open: list[Group], op: Op) -> Group | None:
        """The group whose elements the reduction adds up, if it can do so while it makes them."""
        axis, elements = op.attrs["axis"], op.args[0]
        assert isinstance(elements.type, Array)
        if self.alone or op.attrs["ufunc"] != "add" or not self.sums(elements.type.name) or elements.type.order != "C":
            return None
        for group in open:
            if group.makes((elements,)):
                rank = elements.type.ndim
                good = flat(group.ops) if axis < 0 else rank > 1
                return group if all(map(self.plain, group.ops)) and good and rank and order_of(group.ops[-1]) == "C" else None
        return None

    def reuse(self, graph: Graph, uses: Uses, block: Block) -> None:
        """Lets a group that stores nowhere store in the place of an operand that ends with it."""
        for group in self.groups:
            found = None if group.store is not None or group.fold is not None else ending(graph, uses, block, group.ops, group.last)
            if found is None or not _storable(group, found):
                continue
            array, made = found.args[:2]
            again = begins(uses, block, array, group.ops, group.last)
            start = group.first if again is None else again
            alone = all(other is group or other.last < start or other.first > group.last for other in self.groups)
            by_elements = [self.formula(op.attrs["ufunc"], dtypes_of(op)) for op in group.ops if again is None or op is made.op]
            if alone and all(by_elements):
                group.store, group.attrs, group.by_elements, group.spent = found, _places(group.ops, found), True, again is not None
                if again is not None:
                    redirect(block, again, group.last)
                found.exits = {}  # those of the group
                if array in graph.alone:
                    graph.alone[array] = True
                Renamer({made: array}).graph(graph)
                uses.changed()

    def redirect(self, block: Block) -> None:
        """Points the exits within groups at the first operation of the earliest group that is under way there."""
        before = [op.exits for op in block.ops]
        for place, op in enumerate(block.ops):
            under_way = [group.first for group in self.groups if group.first <= place <= group.until]
            if not under_way:
                continue
            start = before[min(under_way)]["redo"]
            assert all(exit.kind == "redo" for exit in op.exits.values()), "only redo exits within a group"
            op.exits = {
                name: replace(exit, frames=start.frames, names=start.names) for name, exit in op.exits.items()
            }  # new ones: operations of one instruction may share theirs

    def rewrite(self, block: Block, uses: Uses, relaxed: bool) -> None:
        member = {op for group in self.groups for op in group.ops}
        kernels = {block.ops[group.last]: _kernel(group, uses, relaxed) for group in self.groups}
        block.ops = [kernels.get(op, op) for op in block.ops if op in kernels or op not in member]


def can_fuse(op: Op, fusible: Fusible) -> bool:
    """Whether a kernel can do the operation."""
    type = op.result.type
    alone = op.attrs.get("loop", False)
    return not alone and isinstance(type, Array) and type.order in ("C", "F") and fusible(op.attrs["ufunc"], dtypes_of(op))


def _by_rows(op: Op, formula: Fusible) -> bool:
    """Whether a reduction adds row to row, element by element: then what comes next can be done with the elements that are ready."""
    type = op.result.type
    return op.attrs["axis"] == 0 and not op.attrs["keep"] and isinstance(type, Array) and formula(op.attrs["ufunc"], (type.name,) * 3)


def _is_kept(value: Value, group: set[Op | None], uses: Uses) -> bool:
    """Whether anything but the group needs a value of it."""
    return bool(uses.at_exits(value) or uses.at_ends(value)) or not group.issuperset(uses.readers(value))


def _storable(group: Group, assign: Op) -> bool:
    """Whether the kernel's loops are good for the target too: it is not stretched, and its axes follow each other in memory as those of the
    results do. Warnings of the group are all given in the frame of the assignment (codegen/stores.py). What a reduction reads in all may not
    be overwritten before it is done, and a scan goes from the first element to the last at once."""
    if any(folds(op) or scans(op) or takes(op) for op in group.ops):
        return False
    target, _, *dims = assign.args
    assert isinstance(target.type, Array)
    order, own = order_of(group.ops[-1]), dims_of(group.ops[-1])
    if len(own) != len(dims) or any(_is_one(mine) != _is_one(dim) for mine, dim in zip(own, dims, strict=True)):
        return False
    if len(dims) > 1 and target.type.order not in {"C": ("C", "S"), "F": ("F",)}[order]:
        return False
    chains = {_chain(op) for op in (*group.ops, assign)}  # of the frames as they were before exits are redirected
    return len(chains) == 1 and None not in chains


def _chain(op: Op) -> tuple[object, ...] | None:
    """The frames that an operation stands in, by what is known of them in advance; None where they are not."""
    frames = op.exits["redo"].frames
    chain: list[object] = []
    for depth, frame in enumerate(frames):
        if depth and not isinstance(frame.function, Known | Box):
            return None
        chain.append((id(frame.function.value) if isinstance(frame.function, Known | Box) else None, id(frame.code)))
        chain.append(frame.pc if frame is not frames[-1] else None)
    return tuple(chain)


def _places(ops: list[Op], assign: Op) -> dict[str, Any]:
    """The line of each step, and the frames that the assignment stands in."""
    frames = assign.exits["redo"].frames
    lines = tuple(op.exits["redo"].frames[-1].line for op in ops)
    return {"lines": lines, "chain": tuple((frame.function, frame.pc) for frame in frames)}


def _is_one(dim: Value) -> bool:
    return isinstance(dim, Const) and dim.value == 1


def _kernel(group: Group, uses: Uses, relaxed: bool) -> Op:
    """The operation that does the whole group, its results being the values of the operations in it."""
    dims = dims_of(group.ops[-1])
    into, fold, exits = group.store, group.fold, group.ops[-1].exits
    if into is not None and into.exits:
        exits = {"redo": replace(into.exits["redo"], reason=exits["redo"].reason)}
    order = order_of(group.ops[-1])
    inner = {op.result for op in group.ops}
    layouts: dict[tuple[Value, tuple[int, ...]], None] = {}
    same: dict[Value, Value] = {}
    for op in group.ops:
        for value, stretch in zip(operands_of(op), stretch_of(op), strict=True):
            if value not in inner:
                same[value] = like(value, same.values())
                layouts.setdefault((same[value], tuple(stretch)))
    parts = {key: name for key in layouts if (name := half(*key, layouts, len(dims)))}
    operands = [key for key in layouts if key not in parts]
    folded = {same.get(op.args[0]) for op in group.ops if folds(op)}
    walked = operands + ([] if into is None else [(into.args[0], ())])
    collapsed = all(is_flat(value, stretch, len(dims), order) for value, stretch in walked) and (fold is None or fold.attrs["axis"] < 0)
    forms = [
        Operand(dtype_name(value), _strides(value, stretch, len(dims), order, collapsed), rows, known_stride(value, 0, set()) if rows else None)
        for value, stretch in operands
        for rows in (value in folded or stretch == PLACES,)
    ]
    numbers = {key: i for i, key in enumerate((*operands, *parts))}
    places = {op.result: len(numbers) + i for i, op in enumerate(group.ops)}
    steps = tuple(Step(name, (numbers[value.op.args[0], ()],), dtype_name(value)) for (value, _), name in parts.items())  # type: ignore[union-attr]
    steps += tuple(
        Step(
            "take" if takes(op) else op.attrs["ufunc"],
            tuple(
                places[value] if value in places else numbers[same[value], tuple(stretch)]
                for value, stretch in zip(operands_of(op), stretch_of(op), strict=True)
            ),
            dtype_name(op.result),
            folds(op),
            scans(op),
        )
        for op in group.ops
    )
    results = tuple(op.result for op in group.ops if _is_kept(op.result, {*group.ops, into, fold}, uses))
    ndim = 1 if collapsed else len(dims)
    kernel = Kernel(ndim, tuple(forms), steps, tuple(places[result] for result in results), relaxed=relaxed)
    if into is not None:
        store = _store(into, places[into.args[1]], order, collapsed)
        own = next((n for n, key in enumerate(operands) if key == (into.args[0], ())), None)
        moved = any(value is not into.args[0] and owner(value) is owner(into.args[0]) for value, _ in operands)
        if group.spent:
            store = replace(store, operand=own, spent=True)
        elif own is not None and not moved and group.by_elements and (ndim == 1 or not place_counts(kernel)):
            named = names_flags(kernel)
            store = replace(store, operand=own, logged=raises(kernel) and named is None and not repeatable(kernel, own), named=named)
        kernel = replace(kernel, store=store)
    if fold is not None:
        kernel = replace(kernel, fold=Fold(places[fold.args[0]], max(fold.attrs["axis"], 0)))
    attrs: dict[str, Any] = {
        "kernel": kernel, "ndim_out": len(dims), "collapsed": collapsed, "order": order, "flags": raises(kernel) or bool(folded),
    }  # fmt: skip
    if fold is not None:
        attrs["keep"] = fold.attrs["keep"]
        results = (*results, fold.result)
    errors = {op.attrs.get("errors") for op in (*group.ops, *(() if fold is None else (fold,))) if not takes(op)}
    assert len(errors) <= 1, "NumPy's error state is changed by calls, which no group goes across"
    if not errors <= {None}:
        attrs["errors"] = errors.pop()
    args = (*(value for value, _ in operands), *dims)
    if into is None:
        made = Op("kernel", args, (), attrs, exits, group.ops[0].line)
    else:
        lines = group.attrs["lines"]
        attrs |= group.attrs | {"lines": (*lines[:1] * len(parts), *lines)}
        made = Op("kernel_into", (*args, into.args[0]), (), attrs, exits, group.ops[0].line)
    made.results = results
    for result in results:
        result.op = made
    return made


def _store(assign: Op, reference: int, order: object, collapsed: bool) -> Store:
    target = assign.args[0]
    assert isinstance(target.type, Array)
    if collapsed:
        return Store(reference, (target.type.dtype.itemsize,))
    axes: list[int | None] = [None] * target.type.ndim
    inner = target.type.ndim - 1 if order == "C" else 0
    if known_stride(target, inner, set()) == target.type.dtype.itemsize:
        axes[-1] = target.type.dtype.itemsize
    return Store(reference, tuple(axes))


# ---- strides -----------------------------------------------------------------------------------------------------------


def _strides(
    value: Value, stretch: tuple[int, ...], ndim: int, order: object, collapsed: bool
) -> tuple[int | None, ...] | None:
    type = value.type
    if not isinstance(type, Array):
        return None
    if stretch == PLACES:
        return (0,) * (1 if collapsed else ndim)
    if collapsed:
        return (0 if len(stretch) == type.ndim else type.dtype.itemsize,)
    skipped = ndim - type.ndim  # -1 where the first axis is folded
    axes = [
        0 if axis < skipped or axis - skipped in stretch else known_stride(value, axis - skipped, set(stretch))
        for axis in range(ndim)
    ]
    return tuple(axes if order == "C" else axes[::-1])
