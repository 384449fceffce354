"""Particles, flows, prices."""

from __future__ import annotations

import math

import numpy as np

from .program import ELEMENTARY, LOOPS, Program


def n_body(x, m):
    d = x[:, None, :] - x[None, :, :]
    r = np.sqrt((d * d).sum(axis=2) + 1e-3)
    return (d * (m / r**3)[:, :, None]).sum(axis=1)


def n_body_numba(x, m):
    n = len(x)
    force = np.zeros_like(x)
    for i in range(n):
        for j in range(n):
            dx = x[i, 0] - x[j, 0]
            dy = x[i, 1] - x[j, 1]
            dz = x[i, 2] - x[j, 2]
            r = math.sqrt(dx * dx + dy * dy + dz * dz + 1e-3)
            w = m[j] / (r * r * r)
            force[i, 0] += dx * w
            force[i, 1] += dy * w
            force[i, 2] += dz * w
    return force


CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
WEIGHTS = np.array([4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36])


def lattice_boltzmann(f, tau, steps):
    f = f.copy()
    feq = np.empty_like(f)
    for _ in range(steps):
        for i in range(9):
            f[i] = np.roll(np.roll(f[i], CX[i], axis=1), CY[i], axis=0)
        rho = np.sum(f, axis=0)
        ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / rho
        uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / rho
        usq = 1.5 * (ux * ux + uy * uy)
        for i in range(9):
            cu = 3.0 * (CX[i] * ux + CY[i] * uy)
            feq[i] = rho * WEIGHTS[i] * (1.0 + cu + 0.5 * cu * cu - usq)
        f += -(1.0 / tau) * (f - feq)
    return f


def lattice_boltzmann_numba(f, tau, steps):
    _, rows, columns = f.shape
    new = np.empty_like(f)
    old = f.copy()
    for _ in range(steps):
        for y in range(rows):
            for x in range(columns):
                rho = 0.0
                ux = 0.0
                uy = 0.0
                for i in range(9):
                    value = old[i, (y - CY[i]) % rows, (x - CX[i]) % columns]
                    new[i, y, x] = value
                    rho += value
                    ux += CX[i] * value
                    uy += CY[i] * value
                ux /= rho
                uy /= rho
                usq = 1.5 * (ux * ux + uy * uy)
                for i in range(9):
                    cu = 3.0 * (CX[i] * ux + CY[i] * uy)
                    feq = rho * WEIGHTS[i] * (1.0 + cu + 0.5 * cu * cu - usq)
                    new[i, y, x] -= (new[i, y, x] - feq) / tau
        old, new = new, old
    return old


def deposit(x, q, cells):
    """Charge of particles on a grid, linear weighting."""
    cell = np.floor(x).astype(np.int64)
    right = x - cell
    rho = np.bincount(cell, weights=q * (1.0 - right), minlength=cells)
    return rho + np.bincount((cell + 1) % cells, weights=q * right, minlength=cells)


def deposit_at(x, q, cells):
    """The same with an unbuffered store."""
    cell = x.astype(np.int64)
    right = x - cell
    rho = np.zeros(cells)
    np.add.at(rho, cell, q * (1.0 - right))
    np.add.at(rho, (cell + 1) % cells, q * right)
    return rho


def deposit_loop(x, q, cells):
    rho = np.zeros(cells)
    for i in range(len(x)):
        cell = int(x[i])
        right = x[i] - cell
        rho[cell] += q[i] * (1.0 - right)
        rho[(cell + 1) % cells] += q[i] * right
    return rho


def pricing(z, s, k, r, sigma, t):
    """A European call by Monte Carlo."""
    paths = s * np.exp((r - 0.5 * sigma**2) * t + sigma * np.sqrt(t) * z)
    return np.exp(-r * t) * np.maximum(paths - k, 0.0).mean()


def pricing_numba(z, s, k, r, sigma, t):
    total = 0.0
    for i in range(z.size):
        total += max(s * math.exp((r - 0.5 * sigma**2) * t + sigma * math.sqrt(t) * z[i]) - k, 0.0)
    return math.exp(-r * t) * total / z.size


def asian_option(z, s, k, r, sigma, t):
    """Paths step by step: the mean along each path counts."""
    dt = t / z.shape[0]
    price = np.full(z.shape[1], s)
    total = np.zeros(z.shape[1])
    for step in range(z.shape[0]):
        price *= np.exp((r - 0.5 * sigma * sigma) * dt + sigma * np.sqrt(dt) * z[step])
        total += price
    return np.exp(-r * t) * np.mean(np.maximum(total / z.shape[0] - k, 0.0))


def asian_option_numba(z, s, k, r, sigma, t):
    steps, paths = z.shape
    dt = t / steps
    payoff = 0.0
    for j in range(paths):
        price = s
        total = 0.0
        for i in range(steps):
            price *= math.exp((r - 0.5 * sigma * sigma) * dt + sigma * math.sqrt(dt) * z[i, j])
            total += price
        payoff += max(total / steps - k, 0.0)
    return math.exp(-r * t) * payoff / paths


def black_scholes(s, k, t, r, sigma):
    root = sigma * np.sqrt(t)
    d = (np.log(s / k) + (r + 0.5 * sigma * sigma) * t) / root
    p = 1.0 / (1.0 + np.exp(-1.702 * d))
    q = 1.0 / (1.0 + np.exp(-1.702 * (d - root)))
    return s * p - k * np.exp(-r * t) * q


def black_scholes_numba(s, k, t, r, sigma):
    out = np.empty_like(s)
    for i in range(s.size):
        root = sigma * math.sqrt(t[i])
        d = (math.log(s[i] / k[i]) + (r + 0.5 * sigma * sigma) * t[i]) / root
        p = 1.0 / (1.0 + math.exp(-1.702 * d))
        q = 1.0 / (1.0 + math.exp(-1.702 * (d - root)))
        out[i] = s[i] * p - k[i] * math.exp(-r * t[i]) * q
    return out


def mandelbrot(c, steps):
    """By masks: what has escaped stays as it is."""
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int64)
    for _ in range(steps):
        inside = z.real * z.real + z.imag * z.imag < 4.0
        z = np.where(inside, z * z + c, z)
        count += inside
    return count


def mandelbrot_compressed(c, steps):
    """By masks: only what has not escaped is looked at."""
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int64)
    inside = np.ones(c.shape, dtype=np.bool_)
    for _ in range(steps):
        z[inside] = z[inside] * z[inside] + c[inside]
        inside = np.abs(z) < 2.0
        count[inside] += 1
    return count


def mandelbrot_numba(c, steps):
    count = np.zeros(c.shape, dtype=np.int64)
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            z = 0j
            for _ in range(steps):
                if z.real * z.real + z.imag * z.imag >= 4.0:
                    break
                z = z * z + c[i, j]
                count[i, j] += 1
    return count


def mandelbrot_compressed_numba(c, steps):
    count = np.zeros(c.shape, dtype=np.int64)
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            z = 0j
            for _ in range(steps):
                z = z * z + c[i, j]
                if z.real * z.real + z.imag * z.imag >= 4.0:
                    break
                count[i, j] += 1
    return count


def plane(r, n):
    return np.linspace(-2, 0.5, n)[:, None] + 1j * np.linspace(-1, 1, n), 20


def gas(r, n):
    return 1.0 + 0.1 * r.random((9, n, 2 * n)), 0.6, 5


def market(r, *shape):
    return r.standard_normal(shape), 100.0, 95.0, 0.02, 0.3, 1.0


def particles(r, n):
    return r.random(n) * 64, r.random(n), 64


PROGRAMS = [
    Program(n_body, lambda r, n: (r.random((n, 3)), r.random(n)), (2, 40, 400), numba=n_body_numba),
    Program(lattice_boltzmann, gas, (4, 40, 200), numba=lattice_boltzmann_numba),
    Program(deposit, particles, (4, 2000, 500_000), numba=deposit_loop),
    Program(deposit_at, particles, (4, 2000, 500_000), numba=deposit_loop),
    Program(deposit_loop, particles, (4, 200, 20_000), LOOPS, deposit_loop),
    Program(pricing, lambda r, n: market(r, n), (1, 1000, 1_000_000), ELEMENTARY, pricing_numba),
    Program(asian_option, lambda r, n: market(r, 12, n), (1, 1000, 100_000), ELEMENTARY, asian_option_numba),
    Program(
        black_scholes,
        lambda r, n: (*r.random((3, n)) + 1.0, 0.02, 0.3),
        (1, 1000, 1_000_000),
        ELEMENTARY,
        black_scholes_numba,
    ),
    Program(mandelbrot, plane, (4, 40, 400), numba=mandelbrot_numba),
    Program(mandelbrot_compressed, plane, (4, 40, 400), numba=mandelbrot_compressed_numba),
]
