"""Loops over scalars and over arrays by index, against numba on the same source."""

from __future__ import annotations

import numba
import numpy as np
from measure import interleaved, ratio
from programs import example

import pijit

LIMIT = 1.15


def xorshift(n):
    x = 2463534242
    for _ in range(n):
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
    return x


def collatz(n):
    longest = 0
    for start in range(1, n):
        k = start
        steps = 0
        while k != 1:
            if k % 2 == 0:
                k = k // 2
            else:
                k = 3 * k + 1
            steps += 1
        if steps > longest:
            longest = steps
    return longest


def mandelbrot(n):
    total = 0
    for i in range(n):
        for j in range(n):
            cr = -2.0 + 3.0 * i / n
            ci = -1.5 + 3.0 * j / n
            x = 0.0
            y = 0.0
            k = 0
            while k < 100 and x * x + y * y < 4.0:
                t = x * x - y * y + cr
                y = 2.0 * x * y + ci
                x = t
                k += 1
            total += k
    return total


def complex_mandelbrot(n):
    total = 0
    for i in range(n):
        for j in range(n):
            c = complex(-2.0 + 3.0 * i / n, -1.5 + 3.0 * j / n)
            z = 0j
            k = 0
            while k < 100 and abs(z) < 2.0:
                z = z * z + c
                k += 1
            total += k
    return total


def matrix_vector(a, x):
    rows, columns = a.shape
    y = np.zeros(rows)
    for i in range(rows):
        s = 0.0
        for j in range(columns):
            s += a[i, j] * x[j]
        y[i] = s
    return y


def running_maximum(x):
    out = np.empty(len(x))
    best = x[0]
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
        out[i] = best
    return out


def monte_carlo(n, rng):
    hits = 0
    for _ in range(n):
        x = rng.random()
        y = rng.uniform(0.0, 1.0)
        if x * x + y * y <= 1.0:
            hits += 1
    return hits


def random_walk(n, rng):
    x = 0.0
    farthest = 0.0
    for _ in range(n):
        x += rng.normal(0.0, 1.0) * rng.exponential(0.5)
        farthest = max(farthest, abs(x))
    return farthest


def subjects():
    rng = np.random.default_rng(1)
    letters = rng.integers(0, 4, 400)
    return [
        (xorshift, (300_000,)),
        (collatz, (3_000,)),
        (mandelbrot, (60,)),
        (complex_mandelbrot, (60,)),
        (matrix_vector, (rng.random((300, 300)), rng.random(300))),
        (monte_carlo, (100_000, rng)),
        (random_walk, (50_000, rng)),
        (running_maximum, (rng.random(100_000),)),
        (example("edit_distance").edit_distance, (letters, letters[::-1].copy())),
    ]


def figures():
    for function, args in subjects():
        best = interleaved({"numba": numba.njit(function), "pijit": pijit.jit(function)}, "f(*args)", args=args)
        yield ratio(function.__name__, best, "numba", LIMIT)
