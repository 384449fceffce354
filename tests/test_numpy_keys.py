"""Dicts and sets in which ints of NumPy's are looked up: Python's ints, which are equal, have the same hash."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_stays_native, function_of

pytestmark = pytest.mark.shared

TABLE = "d = {-2: 1.5, -1: 2.5, 0: 3.5, 2: 4.5, 250: 5.5}"
LOOKUPS = {
    "an item": f"{TABLE}\nreturn [d[k] for k in a if k != 1]",
    "one that is not there": f"{TABLE}\nreturn [d[k] for k in a]",
    "the exception": f"{TABLE}\nout = []\nfor k in a:\n    try:\n        out.append(d[k])\n    except KeyError as e:\n"
    "        out.append((type(e.args[0]), str(e)))\nreturn out",
    "get": f"{TABLE}\nreturn [d.get(k, 0.5) for k in a], [d.get(k) for k in a]",
    "membership": f"{TABLE}\ns = set(d)\nreturn [k in d for k in a], [k not in s for k in a], [k in d.keys() for k in a]",
    "pairs": "d = {(i, j): i * 0.5 + j for i in range(-2, 3) for j in range(3)}\n"
    "return [d.get((k, abs(k)), -1.0) for k in a], [(k, 1) in d for k in a]",
    "what cannot be a key": "d = {(0,): 1}\nout = []\nfor k in a:\n    try:\n        out.append(d[[k]])\n    except TypeError as e:\n"
    "        out.append(str(e))\nreturn out, [(k,) in d for k in a]",
    "pairs in pairs": "d = {((i, i), 1): i * 0.5 for i in range(-2, 3)}\nreturn [((k, k), 1) in d for k in a]",
    "keys that are floats": "d = {-2.0: 1, 0.0: 2, 2.5: 3}\nreturn [d.get(k, 4) for k in a]",
    "keys of NumPy's": "d = {k: i for i, k in enumerate(a)}\nreturn [d[k] for k in a], [type(k) for k in d]",
    "texts among them": "d = {'a': 1, 2: 3, None: 4}\nreturn [d.get(k, 5) for k in a]",
    "stores": f"{TABLE}\nfor k in a:\n    d[k] = d.get(k, 0.0) + 1.0\nreturn d, [type(k) for k in d]",
    "counted": "d = Counter([0, 0, 2])\nreturn [d[k] for k in a], len(d)",
    "made where missing": "d = defaultdict(int, {0: 1})\nfor k in a:\n    d[k] += 1\n"
    "return dict(d), [type(k) for k in d]",
    "set to a default": f"{TABLE}\nreturn [d.setdefault(k, 0.5) for k in a], [type(k) for k in d]",
    "popped": f"{TABLE}\nreturn [d.pop(k, 0.5) for k in a], d",
    "lists": "some = [0, 2.0, -2]\nreturn [k in some for k in a]",
}
DTYPES = {"int8": [-2, -1, 0, 1, 2], "int64": [-2, -1, 0, 1, 2, 2**62], "uint8": [0, 1, 2, 250], "uint64": [0, 1, 2, 2**63 + 1]}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", LOOKUPS)
def test_same_answer(name, dtype):
    source = function_of("numbers", f"a = np.array(numbers, {dtype!r})\n{LOOKUPS[name]}")
    check(f"from collections import Counter, defaultdict\nimport numpy as np\n{source}", DTYPES[dtype], entry="f")


ISING = """
import numpy as np

def f(spins, table, draws):
    flipped = 0
    for k in range(len(draws)):
        i, j = k % 5, k % 7
        change = 2 * spins[i, j] * spins[i - 1, j]
        if change in table and draws[k] < table[change]:
            spins[i, j] = -spins[i, j]
            flipped += 1
    return flipped
"""


def test_it_is_native():
    check_stays_native(ISING, np.ones((5, 7), int), {-2: 1.0, 0: 0.9, 2: 0.3}, np.random.default_rng(1).random(60))
