"""Dense and sparse linear algebra by loops and slices."""

from __future__ import annotations

import numpy as np

from .program import LOOPS, Program


def lu(a):
    a = a.copy()
    for k in range(len(a) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def lu_numba(a):
    a = a.copy()
    n = len(a)
    for k in range(n - 1):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def lu_broadcast(a):
    """The same with newaxis instead of outer."""
    a = a.copy()
    for k in range(len(a) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, None, k + 1 :]
    return a


def lu_loops(a):
    a = a.copy()
    n = a.shape[0]
    for k in range(n - 1):
        for i in range(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def cholesky(a):
    n = len(a)
    low = np.zeros_like(a)
    for j in range(n):
        low[j, j] = np.sqrt(a[j, j] - low[j, :j] @ low[j, :j])
        for i in range(j + 1, n):
            low[i, j] = (a[i, j] - low[i, :j] @ low[j, :j]) / low[j, j]
    return low


def cholesky_numba(a):
    n = len(a)
    low = np.zeros_like(a)
    for j in range(n):
        s = a[j, j]
        for k in range(j):
            s -= low[j, k] * low[j, k]
        low[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            low[i, j] = s / low[j, j]
    return low


def gram_schmidt(a):
    q = a.copy()
    n = a.shape[1]
    r = np.zeros((n, n))
    for k in range(n):
        r[k, k] = np.sqrt(np.sum(q[:, k] * q[:, k]))
        q[:, k] /= r[k, k]
        for j in range(k + 1, n):
            r[k, j] = np.sum(q[:, k] * q[:, j])
            q[:, j] -= r[k, j] * q[:, k]
    return q, r


def gram_schmidt_numba(a):
    q = a.copy()
    m, n = a.shape
    r = np.zeros((n, n))
    for k in range(n):
        s = 0.0
        for i in range(m):
            s += q[i, k] * q[i, k]
        r[k, k] = np.sqrt(s)
        for i in range(m):
            q[i, k] /= r[k, k]
        for j in range(k + 1, n):
            s = 0.0
            for i in range(m):
                s += q[i, k] * q[i, j]
            r[k, j] = s
            for i in range(m):
                q[i, j] -= s * q[i, k]
    return q, r


def triangular_solve(low, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - low[i, :i] @ x[:i]) / low[i, i]
    return x


def triangular_solve_numba(low, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        s = b[i]
        for j in range(i):
            s -= low[i, j] * x[j]
        x[i] = s / low[i, i]
    return x


def covariance(x):
    d = x - x.mean(axis=0)
    return d.T @ d / (x.shape[0] - 1.0)


def covariance_numba(x):
    m, n = x.shape
    d = x.copy()
    for j in range(n):
        s = 0.0
        for i in range(m):
            s += x[i, j]
        for i in range(m):
            d[i, j] -= s / m
    return d.T @ d / (m - 1.0)


def correlation(x):
    d = x - x.mean(axis=0)
    deviation = x.std(axis=0)
    deviation[deviation <= 0.1] = 1.0
    d /= np.sqrt(x.shape[0]) * deviation
    return d.T @ d


def correlation_numba(x):
    m, n = x.shape
    d = x.copy()
    for j in range(n):
        s = 0.0
        for i in range(m):
            s += x[i, j]
        q = 0.0
        for i in range(m):
            d[i, j] -= s / m
            q += d[i, j] * d[i, j]
        deviation = np.sqrt(q / m)
        if deviation <= 0.1:
            deviation = 1.0
        for i in range(m):
            d[i, j] /= np.sqrt(m) * deviation
    return d.T @ d


def floyd_warshall(d):
    d = d.copy()
    for k in range(len(d)):
        d = np.minimum(d, d[:, k, None] + d[k])
    return d


def floyd_warshall_numba(d):
    d = d.copy()
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])
    return d


def csr_product(starts, columns, values, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        s = 0.0
        for k in range(starts[i], starts[i + 1]):
            s += values[k] * x[columns[k]]
        y[i] = s
    return y


def csr_rows(starts, columns, values, x):
    """Row by row, as it is done without loops over the elements."""
    y = np.empty(len(starts) - 1)
    for i in range(len(starts) - 1):
        row = slice(starts[i], starts[i + 1])
        y[i] = np.sum(values[row] * x[columns[row]])
    return y


def thomas(a, b, c, d):
    """One tridiagonal system, element by element."""
    n = len(d)
    c = c.copy()
    x = d.copy()
    c[0] /= b[0]
    x[0] /= b[0]
    for i in range(1, n):
        m = b[i] - a[i] * c[i - 1]
        c[i] /= m
        x[i] = (x[i] - a[i] * x[i - 1]) / m
    for i in range(n - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return x


def thomas_many(a, b, c, d):
    """Many systems at once, one per column."""
    c = c.copy()
    x = d.copy()
    c[0] /= b[0]
    x[0] /= b[0]
    for i in range(1, len(d)):
        m = b[i] - a[i] * c[i - 1]
        c[i] /= m
        x[i] = (x[i] - a[i] * x[i - 1]) / m
    for i in range(len(d) - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return x


def thomas_many_numba(a, b, c, d):
    c = c.copy()
    x = d.copy()
    n, systems = d.shape
    for j in range(systems):
        c[0, j] /= b[0, j]
        x[0, j] /= b[0, j]
    for i in range(1, n):
        for j in range(systems):
            m = b[i, j] - a[i, j] * c[i - 1, j]
            c[i, j] /= m
            x[i, j] = (x[i, j] - a[i, j] * x[i - 1, j]) / m
    for i in range(n - 2, -1, -1):
        for j in range(systems):
            x[i, j] -= c[i, j] * x[i + 1, j]
    return x


def durand_kerner(c, steps):
    """All roots of a polynomial with complex coefficients, element by element."""
    n = len(c) - 1
    roots = np.empty(n, np.complex128)
    roots[0] = 1.0
    for i in range(1, n):
        roots[i] = roots[i - 1] * (0.4 + 0.9j)
    for _ in range(steps):
        for i in range(n):
            z = roots[i]
            value = c[0]
            for k in range(1, n + 1):
                value = value * z + c[k]
            value = value / c[0]
            for j in range(n):
                if j != i:
                    value = value / (z - roots[j])
            roots[i] = z - value
    return roots


def dominant(r, n):
    """A symmetric matrix with a large diagonal."""
    a = r.random((n, n))
    return (a + a.T + 2 * n * np.eye(n),)


def sparse(r, n):
    """About eight entries in a row."""
    counts = r.integers(0, 17, n)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return starts, r.integers(0, n, starts[-1]), r.random(starts[-1]), r.random(n)


def polynomial(r, n):
    return r.normal(size=n + 1) + 1j * r.normal(size=n + 1), 20


def tridiagonal(r, *shape):
    return r.random(shape), 2.0 + r.random(shape), r.random(shape), r.random(shape)


PROGRAMS = [
    Program(lu, dominant, (3, 40, 300), numba=lu_numba),
    Program(lu_broadcast, dominant, (3, 40, 300), numba=lu_numba),
    Program(lu_loops, dominant, (3, 12, 40), LOOPS, lu_loops),
    Program(cholesky, dominant, (3, 20, 120), numba=cholesky_numba),
    Program(gram_schmidt, lambda r, n: (r.random((2 * n, n)),), (3, 20, 80), numba=gram_schmidt_numba),
    Program(triangular_solve, lambda r, n: (*dominant(r, n), r.random(n)), (4, 60, 800), numba=triangular_solve_numba),
    Program(covariance, lambda r, n: (r.random((4 * n, n)),), (3, 40, 400), numba=covariance_numba),
    Program(correlation, lambda r, n: (r.random((4 * n, n)),), (3, 40, 400), numba=correlation_numba),
    Program(floyd_warshall, lambda r, n: (r.random((n, n)),), (3, 40, 200), numba=floyd_warshall_numba),
    Program(csr_product, sparse, (4, 100, 5000), LOOPS, csr_product),
    Program(csr_rows, sparse, (4, 100, 5000), numba=csr_product),
    Program(thomas, lambda r, n: tridiagonal(r, n), (4, 200, 20_000), LOOPS, thomas),
    Program(durand_kerner, polynomial, (3, 12, 24), LOOPS, durand_kerner),
    Program(thomas_many, lambda r, n: tridiagonal(r, n, 4 * n), (3, 40, 400), numba=thomas_many_numba),
]
