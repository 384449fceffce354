"""Programs that native code has nothing to offer: pijit has to notice and get out of the way."""

from __future__ import annotations

import numpy as np
from measure import interleaved, ratio

import pijit

MASK = (1 << 64) - 1
N = 50_000


def big_ints(n):
    x = 12345
    for _ in range(n):
        x = (x * 6364136223846793005 + 1442695040888963407) & MASK
    return x


def strings(n):
    found = []
    for i in range(n):
        text = str(i)
        if text.endswith("7"):
            found.append(text.upper())
    return len(found)


def dictionary(n):
    counts = {}
    for i in range(n):
        key = i % 100
        counts[key] = counts.get(key, 0) + i
    return counts


class Particle:
    def __init__(self):
        self.x, self.v, self.trail = 0.0, 1.0, []

    def step(self, dt):
        self.x += self.v * dt
        self.v -= self.x * dt
        self.trail.append((self.x, self.v))


def objects(n):
    particle = Particle()
    for _ in range(n):
        particle.step(0.01)
    return particle.x


def list_items(n):
    items = ["" for _ in range(n)]
    for i in range(n):
        items[i] = chr(65 + i % 26)
    return "".join(items)


def exceptions(n):
    balance = 0
    for i in range(n):
        try:
            if i % 2:
                raise ValueError
            balance += 1
        except ValueError:
            balance -= 1
    return balance


def nan_arrays(n):
    a = np.array([0.0, 1.0, 2.0])
    total = 0
    with np.errstate(all="ignore"):
        for _ in range(n // 10):
            total += len(a / a)
    return total


PARTICLES = [Particle() for _ in range(1000)]


def attributes(n):
    total = 0
    for _ in range(n // 1000):
        total += len([particle.x for particle in PARTICLES])
        for particle in PARTICLES:
            particle.v = particle.x
    return total


def list_copies(n):
    total = 0
    for _ in range(n // 1000):
        copy = []
        for particle in PARTICLES:
            copy.append(particle)
        total += len(copy)
    return total


CELLS = np.arange(16_000.0)
RUNS, MOST = CELLS % 100 < 60, CELLS % 50 != 7


def masks(n):
    total = 0
    for _ in range(n // 1000):
        total += len(CELLS[RUNS]) + len(CELLS[MOST])
        CELLS[RUNS] = CELLS[RUNS]
    return total


PROGRAMS = (big_ints, strings, dictionary, objects, list_items, exceptions, nan_arrays, attributes, list_copies, masks)


def figures():
    for program in PROGRAMS:
        best = interleaved({"python": program, "pijit": pijit.jit(program)}, f"f({N})", repeats=5)
        yield ratio(program.__name__, best, "python", 1.05)
