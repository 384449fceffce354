"""The forms of numpy_forms.py, each with arguments of one kind in turn: native from beginning to end, and the same result as NumPy's.

Where NumPy warns, or refuses such arguments, there may be exits and breaks: the interpreter warns and raises.
"""

from __future__ import annotations

import numpy as np
import pytest
from differential import compare, settings, subject_of
from numpy_forms import FORMS
from test_numpy_table import ARGUMENTS

import pijit

pytestmark = pytest.mark.shared


def every(change):
    """The arguments with the arrays of native dtypes changed."""
    return {
        name: change(a) if isinstance(a, np.ndarray) and a.ndim and a.dtype.isbuiltin == 1 and a.dtype.char in "dDl?" else a
        for name, a in ARGUMENTS.items()
    }  # fmt: skip


def stepped(a):
    made = np.empty((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)[..., ::2]
    made[...] = a
    return made


def read_only(a):
    made = a.copy()
    made.flags.writeable = False
    return made


def of(dtype):
    return every(lambda a: a.astype(dtype) if a.dtype.kind == "f" else a)


VARIANTS = {
    "as they are": ARGUMENTS,
    "Fortran order": every(np.asfortranarray),
    "stepped": every(stepped),
    "reversed": every(lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1]),
    "float32": of("f4"),
    "int32": of("i4"),
    "complex": of("c16"),
    "bool": of("?"),
    "read only": every(read_only),
}
# Data decides there on the type of the result: how many items are found, and which of two ways the values call for.
DECIDED_BY_DATA = {
    "np.argwhere(a>1)", "np.unique(v)", "np.unique_values(v)", "np.unique(a,axis=0)", "a[:,v>.5]", "np.trim_zeros(v,'f')",
}  # fmt: skip
# Complex numbers have no order: the interpreter says so, or sorts them.
BREAKS = {("complex", "max(v[0],v[1])")}


def is_native(expression, arguments):
    """Whether it runs without a break or an exit, in three calls; None where NumPy warns or refuses. Fails where results differ."""
    subject = subject_of(f"def f({', '.join(arguments)}):\n    y = {expression}\n    return y\n", "f")
    calls = [(tuple(arguments.values()), {})] * 3
    plain = subject.make().run(calls[:1])
    if plain[0].exception is not None:
        return None
    instance = subject.make()
    with settings(compile_all=True, raise_internal=True):
        instance.jit({})
        compare(expression, plain * 3, instance.run(calls))
    stats = pijit.stats(instance.function)
    return None if plain[0].warnings else not (stats.breaks or stats.exits or stats.failures)


@pytest.mark.many
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("group", FORMS)
def test_forms(group):
    every_form = " ".join(FORMS[group].split()).split(" | ")
    kinds = list(VARIANTS)
    left = []
    for place, form in enumerate(every_form):
        kind = kinds[place % len(kinds)]
        if is_native(form, VARIANTS[kind]) is False and form not in DECIDED_BY_DATA and (kind, form) not in BREAKS:
            left.append((kind, form))
    assert left == []
