"""Array programs against NumPy on one core, at three sizes."""

from __future__ import annotations

import numpy as np
from measure import interleaved, ratio

import pijit

LIMIT = 1.05
BUDGET = 0.01  # seconds that one sample lasts at least


def heat(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    return u


def jacobi(u, f, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1])
        u = new
    return u


def advection(u, c, steps):
    for _ in range(steps):
        u = u - c * (u - np.roll(u, 1))
    return u


def n_body(x, m):
    d = x[:, None, :] - x[None, :, :]
    r = np.sqrt((d * d).sum(axis=2) + 1e-3)
    return (d * (m / r**3)[:, :, None]).sum(axis=1)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    d = x - mean
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5) * gain + bias


def gelu_mlp(x, a, b):
    h = x @ a
    h = 0.5 * h * (1.0 + np.tanh(0.7978845608 * (h + 0.044715 * h**3)))
    return h @ b


def pricing(z, s, k, r, sigma, t):
    paths = s * np.exp((r - 0.5 * sigma**2) * t + sigma * np.sqrt(t) * z)
    return np.exp(-r * t) * np.maximum(paths - k, 0.0).mean()


def mandelbrot(c, steps):
    z = np.zeros_like(c)
    n = np.zeros(c.shape, dtype=np.int64)
    for _ in range(steps):
        inside = z.real * z.real + z.imag * z.imag < 4.0
        z = np.where(inside, z * z + c, z)
        n += inside
    return n


def k_means(x, centres):
    d = x[:, None, :] - centres[None, :, :]
    return np.argmin((d * d).sum(axis=2), axis=1)


def rolling(x, w):
    s = np.cumsum(x)
    q = np.cumsum(x * x)
    mean = (s[w:] - s[:-w]) / w
    return mean, np.sqrt(np.maximum((q[w:] - q[:-w]) / w - mean * mean, 0.0))


def black_scholes(s, k, t, r, sigma):
    root = sigma * np.sqrt(t)
    d = (np.log(s / k) + (r + 0.5 * sigma * sigma) * t) / root
    p = 1.0 / (1.0 + np.exp(-1.702 * d))
    q = 1.0 / (1.0 + np.exp(-1.702 * (d - root)))
    return s * p - k * np.exp(-r * t) * q


def subjects():
    """(name, function, arguments of a size, sizes)."""
    rng = np.random.default_rng(1)
    r = rng.random
    return [
        (heat, lambda n: (r((n, n)), 10), (8, 100, 1000)),
        (jacobi, lambda n: (r((n, n)), r((n, n)), 10), (8, 100, 1000)),
        (advection, lambda n: (r(n), 0.3, 10), (10, 1000, 1_000_000)),
        (n_body, lambda n: (r((n, 3)), r(n)), (4, 40, 400)),
        (softmax, lambda n: (r((n, 4 * n)),), (2, 20, 500)),
        (layer_norm, lambda n: (r((n, 4 * n)), r(4 * n), r(4 * n)), (2, 20, 500)),
        (gelu_mlp, lambda n: (r((n, n)), r((n, 4 * n)), r((4 * n, n))), (4, 32, 256)),
        (pricing, lambda n: (rng.standard_normal(n), 100.0, 95.0, 0.02, 0.3, 1.0), (10, 1000, 1_000_000)),
        (mandelbrot, lambda n: (np.linspace(-2, 0.5, n)[:, None] + 1j * np.linspace(-1, 1, n), 20), (4, 40, 400)),
        (k_means, lambda n: (r((n, 4)), r((8, 4))), (4, 100, 10_000)),
        (rolling, lambda n: (r(n), 5), (10, 1000, 1_000_000)),
        (black_scholes, lambda n: (r(n) + 1, r(n) + 1, r(n) + 0.5, 0.02, 0.3), (10, 1000, 1_000_000)),
    ]


def figures():
    for function, make, sizes in subjects():
        for size in sizes:
            args = make(size)
            best = interleaved(
                {"numpy": function, "pijit": pijit.jit(function)}, "f(*args)", repeats=5, sample=BUDGET, args=args
            )
            yield ratio(f"{function.__name__}, {size}", best, "numpy", LIMIT)
