"""THE table of operations: one row each for builder, printer, checker, evaluator and lowering.

Families: ``int_*`` and ``float_*`` are Python's arithmetic (results that Python would give as something else, and errors, are exits);
``raw_*`` is address arithmetic that cannot overflow; ``np_*`` is NumPy-scalar arithmetic; the rest is arrays, calls, control.
An exit named "redo" means: nothing of the instruction has happened.
"""

from __future__ import annotations

from pijit.ground.records import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """``exits``: names of the exits that every such operation carries. ``effect``: None (pure: may be dropped, merged and moved
    subject to its exits), "read" (reads array or list memory), "write" (writes memory), "any" (runs Python).
    ``fresh``: makes a new object, so two equal ones are not merged; the whole-array ones read their operands' memory."""

    name: str
    meaning: str
    exits: tuple[str, ...] = ()
    effect: str | None = None
    attrs: tuple[str, ...] = ()
    fresh: bool = False


_REDO = ("redo",)

ROWS = (
    # Python ints (64-bit; a result outside is an exit: the interpreter makes a big int)
    Row("int_add", "a + b", _REDO),
    Row("int_sub", "a - b", _REDO),
    Row("int_mul", "a * b", _REDO),
    Row("int_neg", "-a", _REDO),
    Row("int_abs", "abs(a)", _REDO),
    Row("int_floordiv", "a // b, Python's sign; exit on b == 0 and on overflow", _REDO),
    Row("int_mod", "a % b, Python's sign; exit on b == 0", _REDO),
    Row("int_truediv", "a / b as float; exit on b == 0 and when |a| or |b| > 2**53", _REDO),
    Row("int_pow", "a ** b; exit on b < 0 and on overflow", _REDO),
    Row("int_lshift", "a << b; exit on b < 0 and on overflow (0 << b is 0)", _REDO),
    Row("int_rshift", "a >> b (b >= 64 gives 0 or -1); exit on b < 0", _REDO),
    Row("int_and", "a & b"),
    Row("int_or", "a | b"),
    Row("int_xor", "a ^ b"),
    Row("int_invert", "~a"),
    Row("int_to_float", "float(a), rounded to nearest even"),
    Row("int_exact_float", "float(a); exit when |a| > 2**53", _REDO),
    # address arithmetic on ints
    Row("raw_add", "a + b"),
    Row("raw_sub", "a - b"),
    Row("raw_mul", "a * b"),
    Row("wrap_add", "a + b modulo 2**64, for what is used only where that is right"),
    Row("wrap_sub", "a - b likewise"),
    Row("wrap_mul", "a * b likewise"),
    Row("raw_floordiv", "a // b for a constant b > 0"),
    Row("raw_mod", "a % b for a constant b > 0"),
    Row("raw_rshift", "a >> b for a constant b >= 0"),
    Row("raw_min", "min(a, b)"),
    Row("raw_max", "max(a, b)"),
    # Python floats
    Row("float_add", "a + b"),
    Row("float_sub", "a - b"),
    Row("float_mul", "a * b"),
    Row("float_div", "a / b; exit on b == 0", _REDO),
    Row("float_floordiv", "a // b as CPython's float_floor_div; exit on b == 0", _REDO),
    Row("float_mod", "a % b as CPython's float_rem; exit on b == 0", _REDO),
    Row("float_pow", "a ** b as CPython's float_pow; exit on whatever raises or gives a complex", _REDO),
    Row("float_neg", "-a"),
    Row("float_abs", "abs(a)"),
    Row("int_bits", "a.bit_length(), or with which=count a.bit_count()", attrs=("which",)),
    Row("int_math", "<name>(a, ...) on ints (ir/called.py); exit where that raises or gives more than 63 bits, and where it cannot be quick", _REDO,
        attrs=("name",)),
    Row("called", "<name>(a, ...) by Python's own function in C (ir/called.py), which gives a float; exit when it raises", _REDO, attrs=("name",)),
    Row("float_to_int", "int(a), towards zero; exit unless |a| < 2**63", _REDO),
    Row("float_round", "round(a) as int, half to even; exit unless |a| < 2**62", _REDO),
    Row("math", "math.<name>(a, ...) on floats as CPython does it: the C library, and an exit where CPython raises;"
        " floor, ceil and trunc give an int (exit unless |result| < 2**63), isnan, isinf, isfinite and isclose (with both tolerances) a bool",
        _REDO, attrs=("name",)),
    Row("part", "the real part of a Python complex number as a float, with which=1 the imaginary one", attrs=("which",)),
    Row("np_part", "the real part of a complex NumPy scalar as a NumPy scalar, with which=1 the imaginary one", attrs=("which",)),
    Row("np_complex", "np.complex128(complex(a, b))"),
    Row("complex_abs", "abs(complex(a, b)); exit when a part, or the result, is not finite", _REDO),
    # comparison, selection, conversion
    Row("cmp", "a <symbol> b for two values of one scalar type; bool", attrs=("symbol",)),
    Row("not", "not a (bool)"),
    Row("select", "b if a else c (a bool, b and c of one type)"),
    Row("bool_to_int", "int(a)"),
    Row("cast", "a as the result type: Python scalar or NumPy scalar to NumPy scalar or Python scalar, as NumPy casts;"
        " exit where NumPy would warn or raise (overflow, out of range)", _REDO),
    # NumPy scalars: one ufunc of NumPy applied to scalars of one dtype
    Row("np_op", "np.<ufunc>(a, ...) on NumPy scalars, all of the loop's dtype; exit where NumPy warns, raises or overflows",
        _REDO, attrs=("ufunc",)),
    Row("np_try", "two results: what np_op would give, and 0; or anything, and 1, where np_op would leave or might;"
        " of floats then something that is not finite, and 1 for all that is not", attrs=("ufunc",)),
    Row("beyond", "0 when -limit <= a < limit for a NumPy int and a power of two, some other int when not", attrs=("limit",)),
    # arrays: elements
    Row("dim", "a.shape[axis] as int", attrs=("axis",)),
    Row("stride", "a.strides[axis] (bytes) as int; of a view, where no attr `shown` is true, it may be another one for an axis that is never"
        " stepped along", attrs=("axis",)),
    Row("disjoint", "whether the extents of the arrays a and b in memory do not overlap; bool"),
    Row("apart", "whether the arrays a and b, of one rank, are disjoint or the same elements in the same order; bool"),
    Row("check_index", "i, or i + n when i < 0; exit unless it is in 0..n-1", _REDO),
    Row("try_index", "two results: what check_index would give, and True; or anything, and False, where it would leave"),
    Row("check", "nothing; exit unless the bool a is true", _REDO),
    Row("load", "a[i, j, ...] with as many checked indices as dimensions; NumPy scalar", effect="read"),
    Row("store", "a[i, j, ...] = v; args a, v, i, j, ...; v has the element type", effect="write"),
    Row("keep", "keeps the NumPy scalar v at place n, an int below the attr room, of the fragment's own store number slot; args v, n",
        effect="write", attrs=("slot", "room")),
    Row("keep_run", "keeps as many elements as the attr count says at the places from n on: a[i, j, ...], then those further by what the attr"
        " moves says for each axis; args a, i, j, ..., n", effect="write", attrs=("slot", "room", "count", "moves")),
    Row("kept", "what was kept last at place n of the store number slot", effect="read", attrs=("slot", "room")),
    # arrays: views. Arguments after a: offset in elements of bytes, then ndim dims, then ndim strides (bytes)
    Row("slice_bounds", "(first, length) of range(n)[start:stop:step], (0, 0) of none; args start, stop, n; attr step; absent start/stop are None in"
        " attr `given`: (bool, bool)", attrs=("step", "given")),
    Row("view", "an array of the result type on a's memory: args a, byte offset, *dims, *strides. attr axes tells the strides that"
        " NumPy shows: per axis of the result, the axis of a that it is and the step along it (a new one: -1, 0), of a"
        " diagonal those of both axes; \"new\": those of a new array;"
        " \"shape\": those of a where it has the same shape, else of a new array", fresh=True,
        attrs=("axes",)),
    # arrays: whole
    Row("ew", "np.<ufunc> elementwise; args: n operands (arrays, or NumPy scalars, all of the loop's dtypes), then the dims of the result."
        " attr stretch: per operand, the axes of the operand whose length is 1 and that are stretched. ufunc \"cast\" converts, \"where\" selects."
        " attr loop, where it is set: it is left to NumPy's loop."
        " A new array of the result type. exit: a floating-point flag was raised (nothing visible was written)",
        _REDO, attrs=("ufunc", "n", "stretch"), fresh=True),
    Row("assign", "a[...] = v as NumPy does it: as if v had been copied first, but along a single axis that both go through in one"
        " direction one element after the other; v an array or a NumPy scalar of a's dtype; attr stretch as for ew; args a, v, then the"
        " dims of a. exit: no memory for the copy", _REDO, effect="write", attrs=("stretch",)),
    Row("empty", "np.empty(dims) of the result type; with an argument after the dims: np.full. exit: no memory or negative dimension",
        _REDO, attrs=("filled",), fresh=True),
    Row("ramp", "np.arange: args length, the first element, and of ints the step, of floats the second element; a new array of either. exit: no"
        " memory", _REDO, fresh=True),
    Row("reduce", "np.<ufunc>.reduce(a, axis) of a C-contiguous array in its own dtype; axis -1: of all elements, a NumPy scalar; else"
        " a new C-contiguous array with keep axes of length 1 in place of that one; args a, then the dims of the result."
        " exit: a flag was raised, or no memory; no elements of the result, or of the array where there is no identity or the result has several"
        " axes", _REDO, attrs=("ufunc", "axis", "keep"), fresh=True),
    Row("arg_extreme", "np.argmax(a), where largest, or np.argmin(a), of a C-contiguous array: along its last axis, the others' dims being"
        " the args after it; without them of all elements, a NumPy scalar. exit: no memory, or no elements of the array",
        _REDO, attrs=("largest",), fresh=True),
    Row("accumulate", "np.<ufunc>.accumulate(a) of a vector in its own dtype: a new one; args a, its dim. exit: no memory, or a flag was raised",
        _REDO, attrs=("ufunc",), fresh=True),
    Row("matmul", "np.<function>(a, b), matmul, dot or vdot, of matrices or vectors of one dtype, of lengths that go together: a new C-contiguous"
        " array, or a NumPy scalar; matmul also of stacks of matrices: args a, b, then how long the result is along each axis before its matrices;"
        " stretch as for ew. exit: no elements of the result or no memory, more than ufuncs.largest_product multiplications, or a flag was"
        " raised; but for matmul a vector whose step is not positive, or a matrix with an axis of length 1",
        _REDO, attrs=("function", "stretch"), fresh=True),
    Row("roll", "np.roll: a new array of what is in a, along each axis so many places on, round the end; args a, its dims, places (0 <= n <= dim)."
        " exit: no memory", _REDO, fresh=True),
    Row("roll_into", "a[...] = roll of v as if v had been copied first; args a, v, their dims, places. exit: no memory, and nothing is written",
        _REDO, effect="write"),
    Row("join", "np.concatenate: a new C-contiguous array of n parts of its dtype, one behind the other along an axis; args the parts, how long"
        " each is along it, the result's dims. A part with one axis less, of a vector a NumPy scalar, takes one place. exit: no memory",
        _REDO, attrs=("n", "axis"), fresh=True),
    Row("mask_count", "how many elements of a bool array are true; int", effect="read"),
    Row("mask_places", "where a bool array is true, in the order of indices, as numbers of elements: a new int64 vector; args the array, how many"
        " are true. exit: no memory", _REDO, fresh=True),
    Row("search", "np.searchsorted(a, v, side) of a vector, and an array in order C, any vector or a NumPy scalar of its dtype; args v, a, the dims"
        " of the result, a new int64 array or a NumPy scalar; with bins it is np.digitize, whose `right` is side left. exit: no memory, or bins that"
        " go up and down", _REDO, attrs=("side", "bins"), fresh=True),
    Row("interp", "np.interp(x, xp, fp, left, right) of float64: args x, as for search but a scalar is Python's, two vectors in order C, equally long"
        " and not empty, two floats, the dims of the result, a new array or a NumPy scalar. exit: no memory", _REDO, fresh=True),
    Row("mask_many", "whether at least one element of a bool array in so many is true; where that was so it is not looked at for the next few times;"
        " and how many are true, if not many", effect="read", attrs=("slot", "one_in")),
    Row("many_lately", "whether mask_many of that slot would not look", effect="read", attrs=("slot",)),
    Row("mask_look", "counts as one of the times that mask_many does not look; at the last of them it looks already", effect="read",
        attrs=("slot", "one_in")),
    Row("pick", "a[mask], where the mask is for the axes of a from `lead` on; a new C-contiguous array, first along the mask, then the others of a;"
        " args a, mask, the result's dims. exit: no memory", _REDO, attrs=("lead",), fresh=True),
    Row("place", "a[mask] = v; args a, v, mask, how many elements it takes at most; v a NumPy scalar, or an array along the axes before the"
        " mask, the mask, and the other axes. attr stretch: of v. exit: a overlaps what is read", _REDO, effect="write", attrs=("lead", "stretch")),
    Row("take", "a[index], where the index, a vector of ints, or with lead 0 more axes in order C, says the places along axis"
        " `lead` of a; a new C-contiguous array, first along the index, then the other axes of a; args a, index, the"
        " result's dims. exit: no such place, or no memory", _REDO, attrs=("lead",), fresh=True),
    Row("bincount", "np.bincount of a vector of ints: a new vector of int64, or with weights (float64) of float64; args a, the weights if"
        " there are any, as many, the least number of bins (not negative). exit: an element is negative, or no memory", _REDO, fresh=True),
    Row("edges", "the edges of bins of one width, as np.histogram makes them, between two floats; args the floats, the length of the result, one more"
        " than there are bins. exit: NumPy raises, or numbers are too large or too close; with exact, where they are ints, beyond 2**53",
        _REDO, attrs=("exact",), fresh=True),
    Row("places", "the bin of each element of a float64 vector among bins of one width, -1 where it is in none: a new int32 vector; args the vector,"
        " the edges, its length. exit: no memory", _REDO, fresh=True),
    Row("histogram", "what np.histogram counts in each bin, or with weights (float64) sums up: a new vector; args the places, the weights if there"
        " are any, as many, the number of bins. exit: no memory, or a flag was raised where sums are added", _REDO, fresh=True),
    Row("within", "whether -n <= i < n for every element i of a vector of ints; args a, n; bool", effect="read"),
    Row("add_at", "np.<ufunc>.at(a, i, v) for add and subtract: a vector, a vector of ints that are within, and a vector as long as that, or one"
        " NumPy scalar, of a's dtype; a overlaps neither. exit: no memory, or a flag was raised: then nothing was changed",
        _REDO, effect="write", attrs=("ufunc",)),
    Row("kernel", "a fused group of ew; args: operands, then the dims of the results; see opt.fuse", _REDO,
        attrs=("kernel", "ndim_out", "collapsed", "order", "flags"), fresh=True),
    Row("kernel_rolled", "a kernel of operands some of which are rolled along their first axis first; args as for kernel, then for each of attr"
        " rolled, the operands' numbers, how many places on (0 <= n <= dim)", _REDO, fresh=True,
        attrs=("kernel", "ndim_out", "collapsed", "order", "flags", "rolled")),
    Row("kernel_into", "a kernel one of whose steps is assigned to an array: args as for kernel, then that array; see opt.fuse. attrs lines: of the"
        " steps; chain: as for call", _REDO, effect="write", fresh=True,
        attrs=("kernel", "ndim_out", "collapsed", "order", "flags", "lines", "chain")),
    Row("kernel_at", "a kernel whose results go into C-contiguous memory that nothing else reads yet: args as for kernel, then an array for each"
        " of them. exit: as for kernel, and anything may be in those", _REDO, effect="write",
        attrs=("kernel", "ndim_out", "collapsed", "order", "flags")),
    Row("kernel_scattered", "a kernel along one axis, and bincount or add_at of what it makes, which is nowhere else: args as for kernel, then what"
        " those need beside. attr sinks: for each (\"bincount\", \"add\" or \"subtract\", index, values), the two by the numbers of the kernel's"
        " outputs, or -1: an arg, in order behind the least number of bins, or the target; values of None: no weights. results: of bincount."
        " exit: as for all of them, an index is not within, and anything may be in the targets", _REDO, effect="write", fresh=True,
        attrs=("kernel", "ndim_out", "collapsed", "order", "flags", "sinks")),
    # random numbers
    Row("draw", "a draw of a numpy.random.Generator or RandomState (ir/draws.py), which moves its stream; args: the generator, and what the"
        " row says; an integer may be Python's. exit: wrong"
        " arguments, or the stream's lock is held, or its bit generator is none of NumPy's", _REDO, effect="write", attrs=("draw",)),
    # Python objects
    Row("obj_len", "len of an exact list, tuple, dict, str, ...: a built-in object that holds it behind its type", effect="read"),
    Row("set_len", "len of an exact set or frozenset", effect="read"),
    Row("list_get", "element i (checked index) of an exact list, unboxed to the result type; exit when it has another type",
        _REDO, effect="read"),
    Row("tuple_get", "element i (checked index) of an exact tuple", effect="read"),
    Row("packed_code", "the typecode of an array.array, as an int", effect="read"),
    Row("packed_get", "item i (checked index) of an array.array or bytearray; attr code: its typecode (ir.packed)", effect="read", attrs=("code",)),
    Row("packed_put", "stores a number there; args: the object, the checked index, the number. exit: it is none that an item can be", _REDO,
        effect="write", attrs=("code",)),
    Row("list_ints", "the items of an exact list as a new i64 array; args the list, its length. exit: they are not all ints of 64 bits, or no memory",
        _REDO, effect="read", fresh=True),
    Row("call", "calls a Python callable with boxed arguments; attrs: callable (Recipe), arguments (tuple of Recipe), keywords (tuple of"
        " str), chain (tuple of (function Recipe|None, pc)), result_guard (rows for register 0, in terms of results). args are the values of the"
        " recipes. results: the unboxed result. exit \"raise\": it raised; exit \"type\": the result is not of the expected type (attr"
        " `boxed`: a Value of type object, defined only in the \"type\" exit, that is the result)",
        ("raise", "type"), effect="any", attrs=("callable", "arguments", "keywords", "chain", "result_guard", "boxed")),
    Row("look", "walks guard rows on an object; attrs: arguments (the object's Recipe,), result_guard (rows for register 0, in terms of results)."
        " results: what the rows unbox. exit when one does not hold", _REDO, effect="read", attrs=("arguments", "result_guard")),
    Row("make", "makes the object of a recipe; attrs: arguments (the Recipe,). exit: no memory", _REDO, attrs=("arguments",), fresh=True),
    Row("box", "the object of a number; NULL where there is no memory, which what needs it says; attrs: arguments (the number's Recipe,)",
        attrs=("arguments",), fresh=True),
    Row("put", "stores an object in another one at once, or (Unset) removes what is there; attrs: place (\"field\" name, \"dict_item\" name,"
        " \"item\" or \"append\"), arguments (Recipes of the object, of what is stored and, for \"item\", of the checked index). exit: nothing"
        " was stored",
        _REDO, effect="write", attrs=("place", "arguments")),
    Row("find", "what an exact dict (or what looks items up as one) holds under a key, an object; attrs: arguments (the key's"
        " Recipe,), what: \"item\", or \"get\" (the second arg where nothing is held), or \"has\" (of a set, too): whether it is held, a bool. args:"
        " the container, the default if there is one, the key's values. exit: nothing is held (of \"item\"), or"
        " Python code would have to say", _REDO, effect="read", attrs=("what", "arguments")),
    Row("do", "what a built-in container does: a row of csrc/deeds.c; attrs: deed, arguments (Recipes), pure (whether it changes nothing that there"
        " was). result: what it gives, if that is used. exit: nothing was done", _REDO, effect="write", attrs=("deed", "arguments", "pure")),
    Row("own_call", "calls the function that this is native code of, without a frame; args: what its parameters are given, ints, floats, bools or"
        " objects, but first, with closure, a function of the same code. exit: it was not called, or did nothing that anybody could notice",
        _REDO, effect="write", attrs=("closure",)),
    Row("next", "two results: whether an iterator in C has another item, and that; attrs: own (whether it is made again when this is done again)."
        " exit: it raises", _REDO, effect="write", attrs=("own",)),
    Row("text", "a number that texts or bytes give (run_deeds.TEXTS). exit: it is negative, but for which=order", _REDO, effect="read",
        attrs=("which",)),
    Row("same", "whether two objects are one; bool"),
    Row("is_of", "whether the second object is the exact type of the first; bool", effect="read"),
    Row("char", "text[i] for a checked index. exit: no memory", _REDO, fresh=True),
    Row("recheck", "guard rows marked mutable still hold; exit otherwise", _REDO, effect="read"),
    Row("poll", "exit when signals, pending calls or other threads wait", ("poll",), effect="any"),
)  # fmt: skip

OPS = {row.name: row for row in ROWS}
