"""The programs as users of JAX write them: no stores, loops by `fori_loop`. Whole numbers among the arguments are static."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.lax import fori_loop

from .physics import CX, CY, WEIGHTS


def jacobi_1d(a, steps):
    def step(_, ab):
        a, b = ab
        b = b.at[1:-1].set(0.33333 * (a[:-2] + a[1:-1] + a[2:]))
        return a.at[1:-1].set(0.33333 * (b[:-2] + b[1:-1] + b[2:])), b

    return fori_loop(0, steps, step, (a, a))[0]


def neighbours(u):
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]


def jacobi_2d(u, f, steps):
    return fori_loop(0, steps, lambda _, u: u.at[1:-1, 1:-1].set(0.25 * (neighbours(u) - f[1:-1, 1:-1])), u)


def heat_2d(u, steps):
    return fori_loop(0, steps, lambda _, u: u.at[1:-1, 1:-1].add(0.1 * (neighbours(u) - 4.0 * u[1:-1, 1:-1])), u)


def heat_3d(a, steps):
    def step(_, a):
        centre = 2.0 * a[1:-1, 1:-1, 1:-1]
        change = (
            0.125 * (a[2:, 1:-1, 1:-1] - centre + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - centre + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - centre + a[1:-1, 1:-1, :-2])
        )
        return a.at[1:-1, 1:-1, 1:-1].add(change)

    return fori_loop(0, steps, step, a)


def fdtd_2d(ex, ey, hz, pulse):
    def step(t, fields):
        ex, ey, hz = fields
        ey = ey.at[0, :].set(pulse[t])
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        hz = hz.at[:-1, :-1].add(-0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))
        return ex, ey, hz

    return fori_loop(0, pulse.size, step, (ex, ey, hz))


def advection(u, c, steps):
    return fori_loop(0, steps, lambda _, u: u - c * (u - jnp.roll(u, 1)), u)


def shallow_water(h, u, v, steps, dt, dx):
    def step(_, state):
        h, u, v = state
        u = u.at[1:-1, :].add(-9.81 * dt / dx * (h[1:, :] - h[:-1, :]))
        v = v.at[:, 1:-1].add(-9.81 * dt / dx * (h[:, 1:] - h[:, :-1]))
        flow_x = jnp.zeros_like(u).at[1:-1, :].set(u[1:-1, :] * jnp.where(u[1:-1, :] > 0.0, h[:-1, :], h[1:, :]))
        flow_y = jnp.zeros_like(v).at[:, 1:-1].set(v[:, 1:-1] * jnp.where(v[:, 1:-1] > 0.0, h[:, :-1], h[:, 1:]))
        return h - dt / dx * (flow_x[1:, :] - flow_x[:-1, :] + flow_y[:, 1:] - flow_y[:, :-1]), u, v

    return fori_loop(0, steps, step, (h, u, v))


def laplace(u, tolerance):
    def step(state):
        u, _ = state
        new = u.at[1:-1, 1:-1].set(0.25 * neighbours(u))
        return new, jnp.abs(new - u).max()

    return jax.lax.while_loop(lambda state: state[1] > tolerance, step, (u, jnp.asarray(1.0)))[0]


def covariance(x):
    d = x - x.mean(axis=0)
    return d.T @ d / (x.shape[0] - 1.0)


def correlation(x):
    d = x - x.mean(axis=0)
    deviation = x.std(axis=0)
    d /= jnp.sqrt(x.shape[0]) * jnp.where(deviation <= 0.1, 1.0, deviation)
    return d.T @ d


def floyd_warshall(d):
    return fori_loop(0, len(d), lambda k, d: jnp.minimum(d, d[:, k, None] + d[k]), d)


def thomas_many(a, b, c, d):
    def down(i, state):
        c, x = state
        m = b[i] - a[i] * c[i - 1]
        return c.at[i].divide(m), x.at[i].set((x[i] - a[i] * x[i - 1]) / m)

    n = len(d)
    c, x = fori_loop(1, n, down, (c.at[0].divide(b[0]), d.at[0].divide(b[0])))
    return fori_loop(0, n - 1, lambda k, x: x.at[n - 2 - k].add(-c[n - 2 - k] * x[n - 1 - k]), x)


def n_body(x, m):
    d = x[:, None, :] - x[None, :, :]
    r = jnp.sqrt((d * d).sum(axis=2) + 1e-3)
    return (d * (m / r**3)[:, :, None]).sum(axis=1)


def lattice_boltzmann(f, tau, steps):
    def step(_, f):
        f = jnp.stack([jnp.roll(f[i], (CX[i], CY[i]), axis=(1, 0)) for i in range(9)])
        rho = jnp.sum(f, axis=0)
        ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / rho
        uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / rho
        usq = 1.5 * (ux * ux + uy * uy)
        cu = [3.0 * (CX[i] * ux + CY[i] * uy) for i in range(9)]
        feq = jnp.stack([rho * WEIGHTS[i] * (1.0 + cu[i] + 0.5 * cu[i] * cu[i] - usq) for i in range(9)])
        return f - (f - feq) / tau

    return fori_loop(0, steps, step, f)


def deposit(x, q, cells):
    cell = jnp.floor(x).astype(jnp.int64)
    right = x - cell
    return jnp.zeros(cells).at[cell].add(q * (1.0 - right)).at[(cell + 1) % cells].add(q * right)


def pricing(z, s, k, r, sigma, t):
    paths = s * jnp.exp((r - 0.5 * sigma**2) * t + sigma * jnp.sqrt(t) * z)
    return jnp.exp(-r * t) * jnp.maximum(paths - k, 0.0).mean()


def asian_option(z, s, k, r, sigma, t):
    dt = t / z.shape[0]
    prices = s * jnp.cumprod(jnp.exp((r - 0.5 * sigma * sigma) * dt + sigma * jnp.sqrt(dt) * z), axis=0)
    return jnp.exp(-r * t) * jnp.mean(jnp.maximum(prices.mean(axis=0) - k, 0.0))


def black_scholes(s, k, t, r, sigma):
    root = sigma * jnp.sqrt(t)
    d = (jnp.log(s / k) + (r + 0.5 * sigma * sigma) * t) / root
    p = 1.0 / (1.0 + jnp.exp(-1.702 * d))
    q = 1.0 / (1.0 + jnp.exp(-1.702 * (d - root)))
    return s * p - k * jnp.exp(-r * t) * q


def mandelbrot(c, steps):
    def step(_, state):
        z, count = state
        inside = z.real * z.real + z.imag * z.imag < 4.0
        return jnp.where(inside, z * z + c, z), count + inside

    return fori_loop(0, steps, step, (jnp.zeros_like(c), jnp.zeros(c.shape, dtype=jnp.int64)))[1]


def multiply_add(a, b, c):
    return a * b + c


def softmax(x):
    e = jnp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    d = x - mean
    return d / jnp.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5) * gain + bias


def gelu_mlp(x, a, b):
    h = x @ a
    return 0.5 * h * (1.0 + jnp.tanh(0.7978845608 * (h + 0.044715 * h**3))) @ b


def mish(x):
    return x * jnp.tanh(jnp.log1p(jnp.exp(x)))


def normalised(x, w, gain, bias):
    """A convolution, its result normalised."""
    h = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return (h - h.mean(axis=(0, 1, 2))) / jnp.sqrt(h.var(axis=(0, 1, 2)) + 1e-5) * gain + bias


def basic_block(x, w1, gain1, bias1, w2, gain2, bias2):
    h = jnp.maximum(normalised(x, w1, gain1, bias1), 0.0)
    return jnp.maximum(normalised(h, w2, gain2, bias2) + x, 0.0)


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + jnp.concatenate((-x[..., half:], x[..., :half]), axis=-1) * sin


def attention(x, wq, wk, wv, wo, cos, sin, heads, groups):
    length, width = x.shape
    size = width // heads
    q = rotate((x @ wq).reshape(length, heads, size).transpose(1, 0, 2), cos, sin)
    k = rotate((x @ wk).reshape(length, groups, size).transpose(1, 0, 2), cos, sin)
    v = (x @ wv).reshape(length, groups, size).transpose(1, 0, 2)
    k, v = (jnp.repeat(array, heads // groups, axis=0) for array in (k, v))
    scores = q @ k.transpose(0, 2, 1) / jnp.sqrt(jnp.float32(size))
    scores = jax.nn.softmax(jnp.where(jnp.tri(length, dtype=bool), scores, -jnp.inf), axis=-1)
    return (scores @ v).transpose(1, 0, 2).reshape(length, width) @ wo


def rolling(x, w):
    s = jnp.cumsum(x)
    q = jnp.cumsum(x * x)
    mean = (s[w:] - s[:-w]) / w
    return mean, jnp.sqrt(jnp.maximum((q[w:] - q[:-w]) / w - mean * mean, 0.0))


def rolling_max(x, w):
    out = x[: x.size - w + 1]
    for k in range(1, w):
        out = jnp.maximum(out, x[k : k + out.size])
    return out


def prefix_sums(x):
    distance = 1
    while distance < len(x):
        x = x.at[distance:].add(x[:-distance])
        distance *= 2
    return x


def drawdown(x):
    peak = jax.lax.cummax(x)
    return ((peak - x) / peak).max()


def convolve_2d(image, w):
    rows, columns = image.shape[0] - w.shape[0] + 1, image.shape[1] - w.shape[1] + 1
    return sum(w[i, j] * image[i : i + rows, j : j + columns] for i in range(w.shape[0]) for j in range(w.shape[1]))


def sobel(image):
    gx = image[:-2, 2:] + 2 * image[1:-1, 2:] + image[2:, 2:] - image[:-2, :-2] - 2 * image[1:-1, :-2] - image[2:, :-2]
    gy = image[2:, :-2] + 2 * image[2:, 1:-1] + image[2:, 2:] - image[:-2, :-2] - 2 * image[:-2, 1:-1] - image[:-2, 2:]
    return jnp.sqrt(gx * gx + gy * gy)


def sharpen(image, amount):
    x = image.astype(jnp.int32)
    blurred = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + 4 * x[1:-1, 1:-1]) >> 3
    inner = x[1:-1, 1:-1]
    return jnp.clip(inner + amount * (inner - blurred), 0, 255).astype(jnp.uint8)


def azimuthal(radius, image, rings):
    weights = jnp.histogram(radius, rings, weights=image)[0]
    return weights / jnp.maximum(jnp.histogram(radius, rings)[0], 1)


VERSIONS = {
    function.__name__: function
    for function in (
        *(jacobi_1d, jacobi_2d, heat_2d, heat_3d, fdtd_2d, advection, shallow_water, laplace),
        *(covariance, correlation, floyd_warshall, thomas_many),
        *(n_body, lattice_boltzmann, deposit, pricing, asian_option, black_scholes, mandelbrot),
        *(multiply_add, softmax, layer_norm, gelu_mlp, mish, basic_block, attention),
        *(rolling, rolling_max, prefix_sums, drawdown, convolve_2d, sobel, sharpen, azimuthal),
    )
}
