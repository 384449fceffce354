"""Programs of classes, against plain Python and NumPy; what a guarded source costs a call; programs without arrays."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
from measure import Figure, human, interleaved, ratio

import pijit

HERE = Path(__file__).resolve().parent
# In a fresh process, by file.
PROGRAMS = {"object_programs.py": ["richards", "nqueens", "words", "tree"], "table_programs.py": ["logged"]}
SOURCES = (1, 10, 50)

# Programs in a fresh process, all of it enabled or none. As in pyperformance each is repeated for a while, so that
# what it costs to find out what is hot, and to compile it, is over.
WARM = 2.0  # seconds for each,
PROCESSES = 6  # in so many: how objects come to lie in memory makes 5 % from one to the next
WHOLE = """
import json, runpy, sys, time
if {everything}:
    import pijit
    from pijit.command import run
    pijit.enable("*")
best = {{}}
for path, name in {programs!r}:
    function = runpy.run_path(path)[name]
    times = []
    end = time.perf_counter() + {seconds}
    while time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    best[name] = min(times[len(times) // 2 :])
print(json.dumps(best))
"""


def guarded(n):
    """A function that reads n attributes, one that reads one and computes as much, and their argument."""
    names = [f"a{i}" for i in range(n)]
    space = {}
    body = " + ".join(f"o.{name}" for name in names)
    exec(f"class O:\n    def __init__(self):\n        {'; '.join(f'self.{x} = 1.5' for x in names)}\ndef f(o):\n    return {body}", space)
    return space["f"], space["O"]()


def cost_of_a_source():
    """Nanoseconds that each guarded source adds to a call, from 1 to 50 of them."""
    best = {}
    for n in SOURCES:
        function, o = guarded(n)
        best[n] = interleaved({"python": function, "pijit": pijit.jit(function)}, "f(o)", o=o)
    first, last = SOURCES[0], SOURCES[-1]
    each = (best[last]["pijit"] - best[first]["pijit"]) / (last - first) / 1e-9
    yield Figure(f"each guarded source, {first} to {last} of them", each, 10, unit="ns")
    for n in SOURCES[1:]:
        yield ratio(f"a sum of {n} attributes", best[n], "python", 1.0)


def whole_programs():
    limit = 1.15 if sys.version_info < (3, 12) else 1.03
    programs = [(str(HERE / file), name) for file, names in PROGRAMS.items() for name in names]
    best: dict[bool, dict[str, float]] = {False: {}, True: {}}
    for seed in range(PROCESSES):
        for everything in best:
            program = WHOLE.format(everything=everything, programs=programs, seconds=WARM)
            env = os.environ | {"PYTHONHASHSEED": str(seed)}  # where the words of a dict collide is not ours
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env)
            for name, seconds in json.loads(done.stdout.splitlines()[-1]).items():
                best[everything][name] = min(seconds, best[everything].get(name, seconds))
    for _, name in programs:
        plain, enabled = best[False][name], best[True][name]
        note = f"{human(enabled)} against {human(plain)}"
        yield Figure(f"{name} with everything enabled / python", enabled / plain, limit, note=note)


def figures():
    import item_programs as items
    import library_programs as library
    import object_programs as programs
    import recursive_programs as recursive
    import table_programs as table
    import varied_programs as varied

    x = np.random.default_rng(1).random((64, 8))
    subjects = [
        ("a ray tracer", programs.render, "f(o, 24, 18)", programs.scene),
        ("a network of layer objects, training", programs.train, "f(o, x, x[:, :2], 20)", programs.network),
        ("a simulation class", programs.simulate, "f(o, 200)", programs.simulation),
        ("generators and inner functions", programs.summarise, "f(o, 3000)", programs.cutoff),
        ("map, filter and reduce", programs.settle, "f(o, 3000)", programs.rates),
        ("edit distances of texts, and Horner's rule", programs.compare, "f(o,)", programs.names),
        ("numbers in lists", programs.conduct, "f(o, 5)", programs.rod),
        ("counters and flags in objects", programs.grow, "f(o, 20)", programs.colony),
        ("members of enumerations, and abstract classes", programs.operate, "f(o, 400)", programs.lifts),
        ("lists whose items are of several types", programs.cover, "f(o, 20)", programs.tiles),
        ("exceptions that are answers", programs.sift, "f(o, 12)", programs.starts),
        ("an event loop with early exits", programs.serve, "f(o, 3000)", programs.server),
        ("a search tree", varied.index, "f(o)", varied.words, 1.5),
        ("attributes that are numbers or None", varied.watch, "f(o, 20)", varied.stations),
        ("options that a decorator passes on", varied.swing, "f(o, 2000)", varied.settings),
        ("objects of eight classes", varied.nourish, "f(o, 100)", varied.tissue),
        ("a machine with a table of its methods", varied.execute, "f(o, 10)", varied.Machine, 1.2),
        ("gaussian noise", varied.noise, "f(o, 1000)", lambda: 7, 1.5),
        ("edit distances by lists that grow", items.distances, "f(o)", items.some_words),
        ("gradient noise by tables", items.perlin, "f(o, 40)", items.permutation),
        ("the nearest of objects, and a tree of them", items.explore, "f(o, 300)", lambda: [(5, 5, 2), (10, 12, 3), (15, 6, 2)]),
        ("random places of a lattice", library.flip, "f(o, 1000)", library.lattice),
        ("rows of a table, with gaps", table.weigh, "f(o)", table.measured),
        ("the characters of texts", table.passwords, "f(o)", table.lines),
        ("vectors that are tuples", table.spread, "f(o)", table.points),
        ("a matrix of array.array", table.overrelax, "f(o, 4)", table.plate),
        # what moves in C, object by object, gains less
        ("sums over the values of dicts", table.impurity, "f(o)", table.votes, 1.5),
        ("records that are dicts", table.bill, "f(o)", table.orders, 1.1),
        ("lines that are taken apart", table.parse, "f(o)", table.lines, 1.0),
        ("a graph, of which parts are empty", varied.travel, "f(4, o)", varied.roads, 1.3),
        ("pairs of bodies by combinations", library.energy, "f(o, 4)", library.bodies, 1.3),
        ("counters, default dicts, products and divisors", library.survey, "f(o, 5000)", library.grid, 1.1),
    ]
    for name, function, call, make, *least in subjects:
        plain, ours = function, pijit.jit(function)
        assert repr(eval(call, {"f": plain, "o": make(), "x": x})) == repr(eval(call, {"f": ours, "o": make(), "x": x}))
        # what is called with more than its object may change it
        best = interleaved({"python": plain, "pijit": ours}, call.replace("o,", "make(),"), make=make, o=make(), x=x, repeats=7)
        yield ratio(name, best, "python", *(least or [2]), least=True)
    calls_of_their_own = [
        ("queens on a board, recursively", recursive.queens, "f(7, 0, 0, 0, 0)", 2),
        ("an integral in halves", recursive.quadrature, "f(0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 1e-8)", 2),
        ("partitions of a number", recursive.partitions, "f(38, 38)", 1.5),
        ("forces of a tree of masses", recursive.forces, "f(cells, 0.5, 0.5, 0.001)", 1.5),
        ("the nearest point by a tree", recursive.nearest, "f(halves, 0.31, 0.77, 9.0)", 1.2),
        ("an expression, by a visitor", recursive.evaluator, "f(expression)", 1.5),
        ("the sum of lists of lists", recursive.total, "f(nested)", 1.5),
    ]
    rng = random.Random(3)
    trees = {"cells": recursive.masses(), "halves": recursive.points()}
    trees |= {"expression": recursive.expression(8, rng), "nested": recursive.nested(8, rng)}
    for name, make, call, least in calls_of_their_own:
        plain, ours = make(lambda function: function), make(pijit.jit)
        assert eval(call, {"f": plain, **trees}) == eval(call, {"f": ours, **trees})
        yield ratio(name, interleaved({"python": plain, "pijit": ours}, call, repeats=7, **trees), "python", least, least=True)
    yield from cost_of_a_source()
    yield from whole_programs()
