"""Programs that live on the standard library: itertools, math, random and collections."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from itertools import combinations, count, product


class Body:
    def __init__(self, x, y, z, mass):
        self.x, self.y, self.z, self.mass = x, y, z, mass


def bodies():
    return [Body(math.sin(i * 1.7), math.cos(i * 2.3), i * 0.1, 1.0 + i % 3) for i in range(24)]


def energy(bodies, times):
    """Of all pairs, as often as they are asked for."""
    total = 0.0
    for _ in range(times):
        for a, b in combinations(bodies, 2):
            total -= a.mass * b.mass / math.hypot(a.x - b.x, a.y - b.y, a.z - b.z)
    return total


def lattice():
    random.seed(3)
    return [[1 if (i * j) % 3 else -1 for j in range(24)] for i in range(24)]


def flip(spins, steps):
    """The Ising model by Metropolis: one random place after the other."""
    n = len(spins)
    for _ in range(steps):
        i, j = random.randrange(n), random.randrange(n)
        around = spins[(i + 1) % n][j] + spins[i - 1][j] + spins[i][(j + 1) % n] + spins[i][j - 1]
        cost = 2 * spins[i][j] * around
        if cost <= 0 or random.random() < math.exp(-0.4 * cost):
            spins[i][j] = -spins[i][j]
    return sum(map(sum, spins))


def grid():
    return [[(i * 7 + j * 3) % 11 for j in range(40)] for i in range(40)]


def survey(cells, most):
    """What lies on a grid: how often, how far apart, and with which divisors."""
    seen, sums = Counter(), defaultdict(int)
    for i, j in product(range(len(cells)), repeat=2):
        value = cells[i][j]
        seen[value] += 1
        sums[value] += math.gcd(i, j)
    for k in count(1):
        if k * k > most:
            break
        sums[k % 11] += math.isqrt(most // k)
    return sorted(seen.items()), sorted(sums.items())
