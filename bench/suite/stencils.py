"""Stencils in one, two and three dimensions."""

from __future__ import annotations

import numpy as np

from .program import LOOPS, Program


def jacobi_1d(a, steps):
    b = a.copy()
    a = a.copy()
    for _ in range(steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return a


def jacobi_1d_numba(a, steps):
    b = a.copy()
    a = a.copy()
    for _ in range(steps):
        for i in range(1, a.size - 1):
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
        for i in range(1, a.size - 1):
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1])
    return a


def jacobi_2d(u, f, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1])
        u = new
    return u


def jacobi_2d_numba(u, f, steps):
    for _ in range(steps):
        new = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                new[i, j] = 0.25 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - f[i, j])
        u = new
    return u


def heat_2d(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    return u


def heat_2d_numba(u, steps):
    u = u.copy()
    new = u.copy()
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                new[i, j] = u[i, j] + 0.1 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j])
        u, new = new, u
    return u


def heat_3d(a, steps):
    a = a.copy()
    for _ in range(steps):
        centre = 2.0 * a[1:-1, 1:-1, 1:-1]
        change = (
            0.125 * (a[2:, 1:-1, 1:-1] - centre + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - centre + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - centre + a[1:-1, 1:-1, :-2])
        )
        a[1:-1, 1:-1, 1:-1] += change
    return a


def heat_3d_numba(a, steps):
    a = a.copy()
    new = a.copy()
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                for k in range(1, a.shape[2] - 1):
                    centre = 2.0 * a[i, j, k]
                    new[i, j, k] = a[i, j, k] + (
                        0.125 * (a[i + 1, j, k] - centre + a[i - 1, j, k])
                        + 0.125 * (a[i, j + 1, k] - centre + a[i, j - 1, k])
                        + 0.125 * (a[i, j, k + 1] - centre + a[i, j, k - 1])
                    )
        a, new = new, a
    return a


def gauss_seidel(u, steps):
    u = u.copy()
    rows, columns = u.shape
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


def fdtd_2d(ex, ey, hz, pulse):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for t in range(pulse.size):
        ey[0, :] = pulse[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def fdtd_2d_numba(ex, ey, hz, pulse):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    rows, columns = hz.shape
    for t in range(pulse.size):
        for j in range(columns):
            ey[0, j] = pulse[t]
        for i in range(1, rows):
            for j in range(columns):
                ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(rows):
            for j in range(1, columns):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(rows - 1):
            for j in range(columns - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    return ex, ey, hz


def advection(u, c, steps):
    for _ in range(steps):
        u = u - c * (u - np.roll(u, 1))
    return u


def advection_numba(u, c, steps):
    for _ in range(steps):
        new = np.empty_like(u)
        new[0] = u[0] - c * (u[0] - u[-1])
        for i in range(1, u.size):
            new[i] = u[i] - c * (u[i] - u[i - 1])
        u = new
    return u


def shallow_water(h, u, v, steps, dt, dx):
    h, u, v = h.copy(), u.copy(), v.copy()
    for _ in range(steps):
        u[1:-1, :] -= 9.81 * dt / dx * (h[1:, :] - h[:-1, :])
        v[:, 1:-1] -= 9.81 * dt / dx * (h[:, 1:] - h[:, :-1])
        flow_x = np.zeros_like(u)
        flow_y = np.zeros_like(v)
        flow_x[1:-1, :] = u[1:-1, :] * np.where(u[1:-1, :] > 0.0, h[:-1, :], h[1:, :])
        flow_y[:, 1:-1] = v[:, 1:-1] * np.where(v[:, 1:-1] > 0.0, h[:, :-1], h[:, 1:])
        h -= dt / dx * (flow_x[1:, :] - flow_x[:-1, :] + flow_y[:, 1:] - flow_y[:, :-1])
    return h, u, v


def shallow_water_numba(h, u, v, steps, dt, dx):
    h, u, v = h.copy(), u.copy(), v.copy()
    rows, columns = h.shape
    flow_x = np.zeros_like(u)
    flow_y = np.zeros_like(v)
    for _ in range(steps):
        for i in range(1, rows):
            for j in range(columns):
                u[i, j] -= 9.81 * dt / dx * (h[i, j] - h[i - 1, j])
                flow_x[i, j] = u[i, j] * (h[i - 1, j] if u[i, j] > 0.0 else h[i, j])
        for i in range(rows):
            for j in range(1, columns):
                v[i, j] -= 9.81 * dt / dx * (h[i, j] - h[i, j - 1])
                flow_y[i, j] = v[i, j] * (h[i, j - 1] if v[i, j] > 0.0 else h[i, j])
        for i in range(rows):
            for j in range(columns):
                h[i, j] -= dt / dx * (flow_x[i + 1, j] - flow_x[i, j] + flow_y[i, j + 1] - flow_y[i, j])
    return h, u, v


def laplace(u, tolerance):
    """Until it hardly changes any more."""
    change = 1.0
    while change > tolerance:
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        change = np.abs(new - u).max()
        u = new
    return u


def laplace_numba(u, tolerance):
    change = 1.0
    while change > tolerance:
        new = u.copy()
        change = 0.0
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                new[i, j] = 0.25 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1])
                change = max(change, abs(new[i, j] - u[i, j]))
        u = new
    return u


def water(r, n):
    """A hump in a basin with walls, at rest."""
    return 1.0 + 0.1 * r.random((n, n)), np.zeros((n + 1, n)), np.zeros((n, n + 1)), 10, 0.01, 0.1


PROGRAMS = [
    Program(jacobi_1d, lambda r, n: (r.random(n), 10), (8, 1000, 1_000_000), numba=jacobi_1d_numba),
    Program(jacobi_2d, lambda r, n: (r.random((n, n)), r.random((n, n)), 10), (8, 100, 800), numba=jacobi_2d_numba),
    Program(heat_2d, lambda r, n: (r.random((n, n)), 10), (8, 100, 800), numba=heat_2d_numba),
    Program(heat_3d, lambda r, n: (r.random((n, n, n)), 5), (4, 20, 100), numba=heat_3d_numba),
    Program(gauss_seidel, lambda r, n: (r.random((n, n)), 3), (4, 20, 100), LOOPS, gauss_seidel),
    Program(fdtd_2d, lambda r, n: (*r.random((3, n, n)), r.random(10)), (4, 60, 600), numba=fdtd_2d_numba),
    Program(advection, lambda r, n: (r.random(n), 0.3, 10), (8, 1000, 1_000_000), numba=advection_numba),
    Program(shallow_water, water, (4, 60, 600), numba=shallow_water_numba),
    Program(laplace, lambda r, n: (r.random((n, n)), 0.1), (4, 60, 600), numba=laplace_numba),
]
