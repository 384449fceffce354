"""Why something was not compiled, was left, or was compiled again: one row per reason.

1. Ids never change and are never given out twice. The first digit is the kind:
   1 break, 2 exit, 3 guard failure, 4 recompile or give-up, 9 internal.
2. Code refers to a reason by its short key; people and tests see the id.
"""

from __future__ import annotations

from typing import NamedTuple

KINDS = {"1": "break", "2": "exit", "3": "guard failure", "4": "recompile or give-up", "9": "internal"}


class Reason(NamedTuple):
    """One row of the registry. (A named tuple: a dataclass costs `import pijit` several times as much.)"""

    id: str
    key: str
    title: str
    explanation: str
    hint: str

    @property
    def kind(self) -> str:
        """break, exit, guard failure, ..."""
        return KINDS[self.id[2]]

    @property
    def example(self) -> str:
        """A program that leads to it."""
        from pijit.ground.examples import EXAMPLES

        return EXAMPLES[self.id]


# fmt: off
ROWS: tuple[Reason, ...] = (
    # 10x: the shape of the code
    Reason("PJ101", "opcode", "instruction not supported",
           "Capture met a bytecode instruction that has no handler. The code before it is compiled, the instruction runs "
           "in the interpreter, and native code takes over again after it.",
           "Move the statement out of the hot loop, or write it with arithmetic, indexing and calls."),
    Reason("PJ102", "generator", "generator or coroutine",
           "A generator runs natively where it is made and consumed at once, if its steps have no effect outside and no yield is in a try or with.",
           "Compute in a plain function and let the generator call it; yield what is to be stored, and store it in the loop."),
    Reason("PJ103", "exception_handling", "exception handling",
           "A with is not captured, or the handler of an exception looks at more of it than its class, arguments and attributes,"
           " or does more than native code can do again.",
           "Put the hot loop into a function of its own, inside the try; count or note in the handler, and do the rest behind it."),
    Reason("PJ104", "block_limit", "too many versions of one place",
           "Types that change along different paths made more versions of one block than the limit allows.",
           "Give each variable one type: start sums of floats with 0.0 instead of 0."),
    Reason("PJ105", "graph_limit", "function too large",
           "The code has thousands of variables, or one value holds others at too many places, or the graph reached the limit on blocks,"
           " on what comes in, or on what its exits keep; the rest runs in the interpreter or is captured separately.",
           "Split the function, or raise PIJIT_MAX_BLOCKS."),
    Reason("PJ106", "import", "import statement",
           "An import may run any code.",
           "Move the import to the top of the file."),
    Reason("PJ107", "definition", "function or class defined here",
           "A class is made by the interpreter, and so is a function that is kept after the call that makes it.",
           "Define it outside the hot code."),
    Reason("PJ108", "comprehension", "comprehension or container display not supported",
           "The container that is built here cannot be kept out of memory, so the interpreter builds it.",
           "Fill an array made beforehand, or use an array expression."),
    Reason("PJ109", "formatting", "text is put together",
           "An f-string, `%` or `format` of other objects than numbers and texts calls their formatting, which is left to the interpreter.",
           "Nothing: what surrounds it stays native. Do it less often if it shows in a profile."),
    # 11x: calls
    Reason("PJ111", "unsupported_call", "call not supported",
           "Nothing is known about this callable, so Python calls it.",
           "If it is your own function, define it in Python so that it can be inlined; otherwise call it outside the loop."),
    Reason("PJ112", "call_arguments", "arguments of this call not supported",
           "The function is known, but not with these arguments or keywords.",
           "Use the plain form of the call, or accept that this one runs in the interpreter."),
    Reason("PJ113", "inline_limit", "calls nested too deep to inline",
           "Inlining stops at a depth (PIJIT_MAX_INLINE_DEPTH) and at recursive calls.",
           "The called function is compiled on its own if it is hot; nothing needs to be done."),
    Reason("PJ114", "not_inlinable", "function cannot be inlined",
           "The called function uses something that needs a frame of its own.",
           "The called function is compiled on its own if it is hot; nothing needs to be done."),
    Reason("PJ115", "side_effect", "call with an effect outside the program's arrays",
           "Printing, logging, files and the like are done by Python, in the order written.",
           "Nothing: what surrounds the call stays native. Call it less often if it shows in a profile."),
    Reason("PJ116", "skipped", "function marked with @skip",
           "The function asked to be left to the interpreter.",
           "Remove @skip if it should be compiled."),
    # 12x: values
    Reason("PJ121", "unsupported_type", "value of a type that is not supported",
           "The operation meets an object that native code cannot compute with.",
           "Use numbers and NumPy arrays in hot code."),
    Reason("PJ122", "unsupported_dtype", "array dtype not supported",
           "Arrays of object, string, datetime, structured, extended-precision or byte-swapped type run in the interpreter.",
           "Convert once, before the hot code: x.astype(np.float64)."),
    Reason("PJ123", "array_subclass", "subclass of ndarray",
           "A subclass may redefine any operation; only exact numpy.ndarray is compiled.",
           "Use np.asarray(x) if the subclass's behaviour is not needed."),
    Reason("PJ126", "attribute", "attribute access not supported",
           "Reading or writing this attribute may run code that pijit does not know.",
           "Read the attribute into a local before the loop."),
    Reason("PJ127", "store_target", "assignment to something that is not supported",
           "The object that is stored into is not an array or a local, global or closure variable.",
           "Collect results in a preallocated array."),
    Reason("PJ128", "big_int", "integer beyond 64 bits",
           "The value is a Python int that does not fit into a machine word.",
           "Reduce it modulo 2**64 (or use np.uint64) if that is what the algorithm means."),
    Reason("PJ129", "iteration", "iteration over this object not supported",
           "Ranges, arrays and built-in containers and texts are iterated natively, and enumerate, zip and reversed of ranges, arrays, lists,"
           " texts, bytes and short tuples; of itertools what runs no functions.",
           "Make a list or an array of it before the loop."),
    # 13x: surroundings
    Reason("PJ133", "unbound", "variable that may be unbound",
           "The variable has no value on this path; the interpreter raises the error.",
           "Give the variable a value on every path."),
    Reason("PJ134", "always_raises", "operation that raises",
           "The operation raises for these values; the interpreter raises the error.",
           "Nothing, if the error is meant."),
    Reason("PJ135", "nonlocal_store", "assignment to a variable of an enclosing function",
           "A variable that functions made earlier share is stored to by the interpreter, where the function that stores is inlined.",
           "Use a local in the loop and assign to the outer variable once, at the end."),
    Reason("PJ136", "was_empty", "container that was empty",
           "There was nothing in the container when the code was looked at, so nothing is known of its items. It is looked at again later.",
           "Nothing, if the container is filled by then."),
    # 2xx: exits
    Reason("PJ200", "return", "the function returned", "The normal end.", "Nothing."),
    Reason("PJ201", "int_overflow", "integer outgrew 64 bits",
           "A Python int would have wrapped; the interpreter takes over and makes a big int.",
           "Reduce modulo 2**64 or use np.uint64 if wrapping is meant; use floats if the exact value is not needed."),
    Reason("PJ202", "index_error", "index out of range",
           "The interpreter takes over at the index and raises IndexError, or in np.bincount ValueError.",
           "Check the bounds of the loop."),
    Reason("PJ203", "zero_division", "division by zero",
           "The interpreter takes over at the division and raises ZeroDivisionError or warns.",
           "Test the divisor beforehand if zero is expected."),
    Reason("PJ204", "shape_mismatch", "shapes do not broadcast",
           "The interpreter takes over at the operation and raises ValueError, or finds the broadcast that capture did not assume.",
           "Check the shapes that go into the operation."),
    Reason("PJ205", "math_domain", "argument outside a math function's domain",
           "The interpreter takes over at the call and raises the error.",
           "Test the argument beforehand if it may be outside."),
    Reason("PJ206", "fp_flags", "floating-point flag raised",
           "The operation set a floating-point flag; it is done again by NumPy so that warnings are NumPy's own.",
           "Mask the values that divide by zero or overflow, or use np.errstate(all='ignore') if they are meant."),
    Reason("PJ207", "call_raised", "called function raised",
           "A function called from inside a fragment raised; the exception goes on from the line of the call.",
           "Nothing, if the error is meant."),
    Reason("PJ208", "call_type", "called function returned another type",
           "The result of a call is of another type than at capture; the interpreter goes on after the call.",
           "Let the function return one type."),
    Reason("PJ209", "poll", "signal, thread switch or pending call",
           "A loop stopped for a moment to let Python serve signals and other threads.",
           "Nothing."),
    Reason("PJ212", "source_changed", "a name, attribute, item or array changed while native code ran",
           "A call or another thread changed what native code had read before: the interpreter goes on with what is there now.",
           "Read it into a local variable before the loop if the change does not matter there."),
    Reason("PJ215", "read_only", "array is read-only",
           "The interpreter takes over at the store and raises ValueError.",
           "Copy the array, or set its writeable flag."),
    Reason("PJ217", "conversion", "number cannot be converted",
           "int() of a nan, an infinity or a huge float: the interpreter takes over.",
           "Test with np.isfinite beforehand."),
    Reason("PJ218", "memory", "no memory",
           "An array could not be allocated; the interpreter takes over and raises MemoryError.",
           "Use smaller arrays."),
    Reason("PJ222", "int_too_large", "integer too large for this operation",
           "An int beyond 2**53 meets a float, or a range reaches beyond 2**62: the fast path is not exact there.",
           "Nothing, if it is rare."),
    Reason("PJ223", "list_item_type", "list item of another type",
           "The list held items of one type when the code was captured, or of several, and now holds another.",
           "Use an array, or keep few types per list."),
    Reason("PJ224", "short_axis", "axis shorter than its slice",
           "A slice with constant ends reaches beyond the array.",
           "Nothing, if such small arrays are rare."),
    Reason("PJ225", "power", "power that does not give a plain number",
           "A negative exponent of an int, a negative base of a float or an overflow: the interpreter takes over.",
           "Write x * x for squares, and keep bases and exponents where the result is of one type."),
    Reason("PJ226", "negative_shift", "negative shift count", "The interpreter takes over and raises ValueError.",
           "Check the shift count."),
    Reason("PJ227", "overlap", "target overlaps what is stored",
           "What is stored by a mask or by indices, or the mask or they, lies in the memory that is stored to: NumPy does it, by way of a copy."
           " Or the target of np.exp, np.power or a product of complex numbers does, which NumPy rounds otherwise there.",
           "Store a copy, if it happens often."),
    Reason("PJ228", "draw", "random number that native code does not draw",
           "The arguments are wrong, another thread is drawing from the generator, or its bit generator is none of NumPy's.",
           "Nothing, if it is rare. Threads draw faster from generators of their own: rng.spawn(n)."),
    Reason("PJ229", "histogram", "histogram that is not of the plain kind",
           "The range is empty, turned round, not finite or too wide for its bins, or there are no or very many bins: NumPy does it, or raises.",
           "Nothing, if it is rare. Give np.histogram a range where the data may hold NaN."),
    Reason("PJ230", "container", "built-in container does something else",
           "A key is not there, a container is empty or an iterator was left behind by a change, so that Python raises; or an item has another type"
           " than before; or a key, an item or what is let go of has code of its own to run.",
           "Use keys and items of built-in types, of one type per container; ask with `in` or get() for what is often not there."),
    Reason("PJ231", "text_grows", "text grows long",
           "Python lets a long text that a variable holds grow where it is; native code would copy it each time something is added.",
           "Collect the parts in a list and join them once."),
    Reason("PJ232", "own_call", "call of the function itself that leaves native code",
           "Nothing of such a call must be seen before it returns, but it stores something, raises, warns, is given or gives what there is no native"
           " code for, or signals, other threads or the recursion limit are met: the interpreter makes it.",
           "Nothing, if it is rare. Let the function give its results rather than store them, and always of one type."),
    # 3xx: guard failures
    Reason("PJ301", "guard_type", "other type", "A value has another type than the fragment was compiled for.",
           "Call hot code with the same types; convert once at the border."),
    Reason("PJ302", "guard_value", "other value", "A value that was taken as constant has changed.",
           "Pass what changes as an argument rather than through a global or a default."),
    Reason("PJ303", "guard_identity", "other object", "A function, module or class was replaced.",
           "Nothing, if it is replaced once; replacing it again and again makes pijit compile again and again."),
    Reason("PJ304", "guard_array_dtype", "other dtype", "An array has another dtype than the fragment was compiled for.",
           "Convert once at the border: x = np.asarray(x, dtype=np.float64)."),
    Reason("PJ305", "guard_array_ndim", "other number of dimensions", "An array has another rank.",
           "Reshape at the border, or expect one fragment per rank."),
    Reason("PJ306", "guard_array_ones", "other broadcast shape",
           "A dimension of an array is 1 where it was not, or the other way round, so it broadcasts differently.",
           "Nothing, unless shapes keep alternating."),
    Reason("PJ307", "guard_array_order", "other memory order", "An array is laid out otherwise in memory.",
           "np.ascontiguousarray at the border, if both orders keep coming."),
    Reason("PJ308", "guard_array_flags", "other array flags",
           "An array is read-only and was not when this was compiled, or the other way round, or not aligned.",
           "Copy it once at the border."),
    Reason("PJ309", "guard_missing", "variable missing", "A variable that the fragment reads is not there.",
           "Define it before the hot code."),
    Reason("PJ310", "guard_present", "variable appeared", "A name that did not exist when the fragment was compiled does now.",
           "Define it before the hot code."),
    Reason("PJ311", "guard_int_range", "integer beyond 64 bits", "A Python int does not fit into a machine word.",
           "Reduce it if the algorithm allows."),
    Reason("PJ312", "guard_errstate", "other floating-point error state", "np.errstate or np.seterr changed how errors are treated.",
           "Set it once, outside the hot code."),
    Reason("PJ313", "guard_attr", "attribute changed", "An attribute that the fragment relies on has changed.",
           "Read it into a local, or pass it as an argument."),
    Reason("PJ314", "guard_length", "other length", "A tuple or list has another length.",
           "Keep numbers in an array, whose length is not part of the guard."),
    Reason("PJ315", "guard_globals", "other globals", "The code runs with the globals of another module.",
           "Nothing."),
    # 4xx: recompiles and give-ups
    Reason("PJ401", "recompiled", "compiled again",
           "No fragment fitted, so one more was compiled. Or an attribute was found to hold objects of several types in turn: each has a way now.",
           "See the guard that failed."),
    Reason("PJ402", "too_many_versions", "too many fragments",
           "The entry reached the limit on fragments (PIJIT_MAX_FRAGMENTS); new types run in the interpreter.",
           "Convert types once at the border, or raise the limit."),
    Reason("PJ404", "not_worth_it", "native code did not pay",
           "The fragment was no faster than the interpreter and was retired, by what its operations save or by the clock; or nothing was compiled, "
           "since its loops only move objects about.",
           "Nothing: the interpreter runs this."),
    Reason("PJ405", "nothing_to_compile", "nothing to compile here",
           "Capture found too little between entry and first break, or the interpreter takes less there than entering native code does.",
           "See the break, if there is one."),
    Reason("PJ408", "not_a_python_function", "not a Python function",
           "Builtins, classes and callables written in C have no bytecode to compile; they are returned as they are.",
           "Jit the Python function that calls them."),
    Reason("PJ409", "suspendable", "generator or coroutine function",
           "Generator functions, coroutines and asynchronous generators run as they are.",
           "Jit the plain functions that they call."),
    Reason("PJ410", "not_yet", "hot, to be compiled later",
           "What was looked at and compiled so far has taken its share of the program's time and of what native code has saved.",
           "Nothing: it is compiled when the program has run for longer. Jit the function to have it compiled at its first call."),
    Reason("PJ411", "never_fitted", "fragment that never fitted",
           "What was compiled did not fit even what it was compiled for, as where something beside the loop refers to the iterator that it goes "
           "through. It was retired, and nothing more is compiled there.",
           "See the guard that failed. Let the loop go through the container itself, or through an iterator that nothing else has."),
    # 9xx: internal
    Reason("PJ901", "internal", "internal error in pijit", "pijit failed; the code ran in the interpreter and its result is right.",
           "Please report it, with the traceback that the log holds."),
)
# fmt: on

# Ids that were in use once.
RETIRED = frozenset({
    "PJ124", "PJ125", "PJ131", "PJ132", "PJ210", "PJ211", "PJ213", "PJ214", "PJ216", "PJ219", "PJ220", "PJ221", "PJ403", "PJ406", "PJ407", "PJ902",
})  # fmt: skip

# An operation of the graph that has one way to fail gives its own name as the reason.
OPERATIONS = {
    "accumulate": "fp_flags",
    "arg_extreme": "memory",
    "add_at": "fp_flags",
    "bincount": "index_error",
    "cast": "conversion",
    "edges": "histogram",
    "empty": "memory",
    "float_pow": "power",
    "float_round": "conversion",
    "float_to_int": "conversion",
    "kernel": "fp_flags",
    "kernel_into": "fp_flags",
    "kernel_rolled": "fp_flags",
    "kernel_at": "fp_flags",
    "kernel_scattered": "fp_flags",
    "math": "math_domain",
    "int_math": "int_overflow",
    "called": "math_domain",
    "matmul": "fp_flags",
    "recheck": "source_changed",
    "look": "source_changed",
    "make": "memory",
    "mask_places": "memory",
    "pick": "memory",
    "place": "overlap",
    "put": "store_target",
    "find": "container",
    "packed_put": "container",
    "do": "container",
    "next": "container",
    "text": "container",
    "char": "memory",
    "reduce": "fp_flags",
    "ramp": "memory",
    "roll": "memory",
    "roll_into": "memory",
    "join": "memory",
    "interp": "memory",
    "search": "math_domain",
    "take": "index_error",
}

BY_ID = {row.id: row for row in ROWS}
BY_KEY = {row.key: row for row in ROWS}
BY_NAME = {**BY_ID, **BY_KEY, **{name: BY_KEY[key] for name, key in OPERATIONS.items()}}


def lookup(name: str) -> Reason:
    """The row with this id ("PJ101") or key ("opcode")."""
    row = BY_NAME.get(name) or BY_ID.get(name.upper())
    if row is None:
        raise KeyError(f"no reason {name!r}")
    return row


def describe(row: Reason) -> str:
    """A reason in full, for people."""
    head = f"{row.id} {row.key}: {row.title} ({row.kind})\n    {row.explanation}\n    Hint: {row.hint}"
    return f"{head}\n    Example:\n{indented(row.example, 8)}"


def indented(text: str, columns: int) -> str:
    """A block of text, moved to the right."""
    return "\n".join(" " * columns + line if line else "" for line in text.splitlines())


def page() -> str:
    """docs/reasons.md."""
    parts = ["# Reasons", "", "Every break, exit, guard failure and recompile has a row here, with a program that leads to it (`import numpy as np`"]
    parts += ["and `import pijit` go without saying). Ids do not change."]
    for digit, kind in KINDS.items():
        parts += ["", f"## PJ{digit}xx: {kind}"]
        for row in ROWS:
            if row.id[2] == digit:
                parts += ["", f"**{row.id}** `{row.key}`: {row.title}. {row.explanation} *{row.hint}*", "", indented(row.example, 4)]
    return "\n".join(parts) + "\n"
