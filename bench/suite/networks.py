"""Layers of neural networks, forward, and what is done with their like."""

from __future__ import annotations

import math

import numpy as np

from .program import ELEMENTARY, Program


def multiply_add(a, b, c):
    return a * b + c


def multiply_add_numba(a, b, c):
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = a[i, j] * b[i, j] + c[i, j]
    return out


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def softmax_numba(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        most = x[i, 0]
        for j in range(x.shape[1]):
            most = max(most, x[i, j])
        total = 0.0
        for j in range(x.shape[1]):
            out[i, j] = math.exp(x[i, j] - most)
            total += out[i, j]
        for j in range(x.shape[1]):
            out[i, j] /= total
    return out


def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    d = x - mean
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5) * gain + bias


def layer_norm_numba(x, gain, bias):
    out = np.empty_like(x)
    n = x.shape[1]
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(n):
            s += x[i, j]
        mean = s / n
        q = 0.0
        for j in range(n):
            q += (x[i, j] - mean) * (x[i, j] - mean)
        root = math.sqrt(q / n + 1e-5)
        for j in range(n):
            out[i, j] = (x[i, j] - mean) / root * gain[j] + bias[j]
    return out


def gelu_mlp(x, a, b):
    h = x @ a
    h = 0.5 * h * (1.0 + np.tanh(0.7978845608 * (h + 0.044715 * h**3)))
    return h @ b


def gelu_mlp_numba(x, a, b):
    h = x @ a
    for i in range(h.shape[0]):
        for j in range(h.shape[1]):
            v = h[i, j]
            h[i, j] = 0.5 * v * (1.0 + math.tanh(0.7978845608 * (v + 0.044715 * v * v * v)))
    return h @ b


def mish(x):
    return x * np.tanh(np.log1p(np.exp(x)))


def mish_numba(x):
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = x[i] * math.tanh(math.log1p(math.exp(x[i])))
    return out


def convolve(x, w):
    """A 3 x 3 convolution of images with channels last, by slices."""
    rows, columns = x.shape[1] - 2, x.shape[2] - 2
    out = np.zeros((x.shape[0], rows, columns, w.shape[3]), dtype=x.dtype)
    for i in range(3):
        for j in range(3):
            out += x[:, i : i + rows, j : j + columns, :] @ w[i, j]
    return out


def batch_norm(x, gain, bias):
    mean = x.mean(axis=(0, 1, 2))
    variance = x.var(axis=(0, 1, 2))
    return (x - mean) / np.sqrt(variance + 1e-5) * gain + bias


def basic_block(x, w1, gain1, bias1, w2, gain2, bias2):
    """ResNet's: two convolutions, each normalised, and a short cut around them."""
    edge = ((0, 0), (1, 1), (1, 1), (0, 0))
    h = np.maximum(batch_norm(convolve(np.pad(x, edge), w1), gain1, bias1), 0.0)
    h = batch_norm(convolve(np.pad(h, edge), w2), gain2, bias2)
    return np.maximum(h + x, 0.0)


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    turned = np.concatenate((-x[..., half:], x[..., :half]), axis=-1)
    return x * cos + turned * sin


def attention(x, wq, wk, wv, wo, cos, sin, heads, groups):
    """Llama's: rotary positions, fewer heads for keys than for queries, causal."""
    length, width = x.shape
    size = width // heads
    q = rotate((x @ wq).reshape(length, heads, size).transpose(1, 0, 2), cos, sin)
    k = rotate((x @ wk).reshape(length, groups, size).transpose(1, 0, 2), cos, sin)
    v = (x @ wv).reshape(length, groups, size).transpose(1, 0, 2)
    k = np.repeat(k, heads // groups, axis=0)
    v = np.repeat(v, heads // groups, axis=0)
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(size)  # np.sqrt would make them double
    scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    return (scores @ v).transpose(1, 0, 2).reshape(length, width) @ wo


def k_means(x, centres, steps):
    for _ in range(steps):
        d = x[:, None, :] - centres[None, :, :]
        nearest = np.argmin((d * d).sum(axis=2), axis=1)
        centres = centres.copy()
        for k in range(len(centres)):
            members = x[nearest == k]
            if len(members):
                centres[k] = members.mean(axis=0)
    return centres, nearest


def k_means_numba(x, centres, steps):
    n, width = x.shape
    count = len(centres)
    nearest = np.zeros(n, dtype=np.int64)
    for _ in range(steps):
        total = np.zeros_like(centres)
        members = np.zeros(count)
        for i in range(n):
            least = np.inf
            for k in range(count):
                s = 0.0
                for j in range(width):
                    s += (x[i, j] - centres[k, j]) ** 2
                if s < least:
                    least = s
                    nearest[i] = k
            members[nearest[i]] += 1
            for j in range(width):
                total[nearest[i], j] += x[i, j]
        centres = centres.copy()
        for k in range(count):
            if members[k]:
                for j in range(width):
                    centres[k, j] = total[k, j] / members[k]
    return centres, nearest


def single(r, *shape):
    return r.standard_normal(shape).astype(np.float32)


def block(r, n):
    """Images of 2n x 2n, n channels, in single precision."""
    layer = (single(r, 3, 3, n, n), single(r, n), single(r, n))
    return (single(r, 2, 2 * n, 2 * n, n), *layer, *layer)


def sequence(r, n):
    """n tokens, width 4n, four heads, two for keys, in single precision."""
    heads, groups, width = 4, 2, 4 * n
    size = width // heads
    angle = np.outer(np.arange(n), 10000.0 ** (-np.arange(size // 2) / (size / 2)))
    angle = np.concatenate([angle, angle], axis=1).astype(np.float32)
    weights = [single(r, width, size * h) / np.float32(width) for h in (heads, groups, groups, heads)]
    return single(r, n, width), *weights, np.cos(angle), np.sin(angle), heads, groups


def dense(r, n):
    return r.standard_normal((n, n)), r.standard_normal((n, 4 * n)) / n, r.standard_normal((4 * n, n)) / n


PROGRAMS = [
    Program(multiply_add, lambda r, n: tuple(r.random((3, n, n + n // 2))), (2, 60, 1000), numba=multiply_add_numba),
    Program(softmax, lambda r, n: (r.random((n, 4 * n)),), (2, 20, 500), ELEMENTARY, softmax_numba),
    Program(
        layer_norm, lambda r, n: (r.random((n, 4 * n)), *r.random((2, 4 * n))), (2, 20, 500), numba=layer_norm_numba
    ),
    Program(gelu_mlp, dense, (2, 32, 256), ELEMENTARY, gelu_mlp_numba),
    Program(mish, lambda r, n: (r.standard_normal(n),), (1, 1000, 1_000_000), ELEMENTARY, mish_numba),
    Program(basic_block, block, (2, 8, 32)),
    Program(attention, sequence, (4, 16, 128)),
    Program(k_means, lambda r, n: (r.random((n, 4)), r.random((8, 4)), 3), (8, 200, 20_000), numba=k_means_numba),
]
