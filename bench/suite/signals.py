"""Signals, images, sequences."""

from __future__ import annotations

import math

import numpy as np

from .program import LOOPS, Program


def rolling(x, w):
    """Mean and deviation of a window."""
    s = np.cumsum(x)
    q = np.cumsum(x * x)
    mean = (s[w:] - s[:-w]) / w
    return mean, np.sqrt(np.maximum((q[w:] - q[:-w]) / w - mean * mean, 0.0))


def rolling_numba(x, w):
    mean = np.empty(x.size - w)
    deviation = np.empty(x.size - w)
    s = 0.0
    q = 0.0
    for i in range(1, w + 1):
        s += x[i]
        q += x[i] * x[i]
    for i in range(x.size - w):
        if i:
            s += x[i + w] - x[i]
            q += x[i + w] * x[i + w] - x[i] * x[i]
        mean[i] = s / w
        deviation[i] = math.sqrt(max(q / w - mean[i] * mean[i], 0.0))
    return mean, deviation


def rolling_max(x, w):
    out = x[: x.size - w + 1].copy()
    for k in range(1, w):
        np.maximum(out, x[k : k + out.size], out=out)
    return out


def rolling_max_numba(x, w):
    out = np.empty(x.size - w + 1)
    for i in range(out.size):
        most = x[i]
        for k in range(1, w):
            most = max(most, x[i + k])
        out[i] = most
    return out


def moving_average(x, alpha):
    """Exponentially weighted, element by element."""
    out = np.empty_like(x)
    level = x[0]
    for i in range(len(x)):
        level = alpha * x[i] + (1.0 - alpha) * level
        out[i] = level
    return out


def prefix_sums(x):
    """Hillis and Steele's scan: doubling distances."""
    x = x.copy()
    distance = 1
    while distance < len(x):
        x[distance:] = x[distance:] + x[:-distance]
        distance *= 2
    return x


def prefix_sums_numba(x):
    x = x.copy()
    distance = 1
    while distance < x.size:
        for i in range(x.size - 1, distance - 1, -1):
            x[i] += x[i - distance]
        distance *= 2
    return x


def drawdown(x):
    """The deepest fall from a peak so far."""
    peak = np.maximum.accumulate(x)
    return ((peak - x) / peak).max()


def drawdown_numba(x):
    peak = x[0]
    worst = 0.0
    for i in range(x.size):
        peak = max(peak, x[i])
        worst = max(worst, (peak - x[i]) / peak)
    return worst


def stockham(x):
    """The Fourier transform of 2**k points."""
    n = x.size
    y = x.reshape(1, n)
    while y.shape[1] > 1:
        half = y.shape[1] // 2
        twiddle = np.exp(-1j * np.pi * np.arange(y.shape[0]) / y.shape[0])[:, None]
        even, odd = y[:, :half], twiddle * y[:, half:]
        y = np.concatenate([even + odd, even - odd])
    return y.ravel()


def stockham_numba(x):
    n = x.size
    y = x.copy()
    z = np.empty_like(y)
    rows = 1
    while rows < n:
        width = n // rows
        half = width // 2
        for p in range(rows):
            angle = -math.pi * p / rows
            twiddle = complex(math.cos(angle), math.sin(angle))
            for q in range(half):
                even = y[p * width + q]
                odd = twiddle * y[p * width + half + q]
                z[p * half + q] = even + odd
                z[(p + rows) * half + q] = even - odd
        y, z = z, y
        rows *= 2
    return y


def convolve_2d(image, w):
    rows, columns = image.shape[0] - w.shape[0] + 1, image.shape[1] - w.shape[1] + 1
    out = np.zeros((rows, columns))
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            out += w[i, j] * image[i : i + rows, j : j + columns]
    return out


def convolve_2d_numba(image, w):
    rows, columns = image.shape[0] - w.shape[0] + 1, image.shape[1] - w.shape[1] + 1
    out = np.zeros((rows, columns))
    for y in range(rows):
        for x in range(columns):
            s = 0.0
            for i in range(w.shape[0]):
                for j in range(w.shape[1]):
                    s += w[i, j] * image[y + i, x + j]
            out[y, x] = s
    return out


def sobel(image):
    gx = image[:-2, 2:] + 2 * image[1:-1, 2:] + image[2:, 2:] - image[:-2, :-2] - 2 * image[1:-1, :-2] - image[2:, :-2]
    gy = image[2:, :-2] + 2 * image[2:, 1:-1] + image[2:, 2:] - image[:-2, :-2] - 2 * image[:-2, 1:-1] - image[:-2, 2:]
    return np.sqrt(gx * gx + gy * gy)


def sobel_numba(image):
    rows, columns = image.shape
    out = np.empty((rows - 2, columns - 2))
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            up, down = i - 1, i + 1
            left, right = j - 1, j + 1
            gx = image[up, right] + 2 * image[i, right] + image[down, right]
            gx -= image[up, left] + 2 * image[i, left] + image[down, left]
            gy = image[down, left] + 2 * image[down, j] + image[down, right]
            gy -= image[up, left] + 2 * image[up, j] + image[up, right]
            out[i - 1, j - 1] = math.sqrt(gx * gx + gy * gy)
    return out


def sharpen(image, amount):
    """Of bytes, with saturation."""
    x = image.astype(np.int32)
    blurred = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + 4 * x[1:-1, 1:-1]) >> 3
    inner = x[1:-1, 1:-1]
    return np.clip(inner + amount * (inner - blurred), 0, 255).astype(np.uint8)


def sharpen_numba(image, amount):
    rows, columns = image.shape
    out = np.empty((rows - 2, columns - 2), dtype=np.uint8)
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            inner = np.int32(image[i, j])
            around = np.int32(image[i - 1, j]) + np.int32(image[i + 1, j])
            around += np.int32(image[i, j - 1]) + np.int32(image[i, j + 1])
            value = inner + amount * (inner - ((around + 4 * inner) >> 3))
            out[i - 1, j - 1] = min(max(value, 0), 255)
    return out


def equalise(image):
    """Grey values by their rank."""
    counts = np.bincount(image.ravel(), minlength=256)
    levels = np.cumsum(counts)
    table = np.round((levels - levels[0]) * 255.0 / max(image.size - levels[0], 1)).astype(np.uint8)
    return table[image]


def equalise_numba(image):
    levels = np.zeros(256, dtype=np.int64)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            levels[image[i, j]] += 1
    for k in range(1, 256):
        levels[k] += levels[k - 1]
    table = np.empty(256, dtype=np.uint8)
    for k in range(256):
        table[k] = np.uint8(round((levels[k] - levels[0]) * 255.0 / max(image.size - levels[0], 1)))
    out = np.empty_like(image)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            out[i, j] = table[image[i, j]]
    return out


def azimuthal(radius, image, rings):
    """Mean intensity of each ring."""
    weights = np.histogram(radius, rings, weights=image)[0]
    counts = np.histogram(radius, rings)[0]
    return weights / np.maximum(counts, 1)


def azimuthal_numba(radius, image, rings):
    low = radius[0]
    high = radius[0]
    for r in radius:
        low = min(low, r)
        high = max(high, r)
    weights = np.zeros(rings)
    counts = np.zeros(rings)
    for i in range(radius.size):
        k = min(int((radius[i] - low) / (high - low) * rings), rings - 1)
        weights[k] += image[i]
        counts[k] += 1
    return weights / np.maximum(counts, 1)


def crc_32(data, table):
    crc = 0xFFFFFFFF
    for i in range(len(data)):
        crc = (crc >> 8) ^ int(table[(crc ^ int(data[i])) & 0xFF])
    return crc ^ 0xFFFFFFFF


def edit_distance(a, b):
    """Row by row, element by element."""
    previous = np.arange(len(b) + 1)
    for i in range(len(a)):
        current = np.empty_like(previous)
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous = current
    return previous[-1]


def knapsack(weights, values, capacity):
    """The best value for each capacity, a row at a time."""
    best = np.zeros(capacity + 1)
    for i in range(len(weights)):
        w = weights[i]
        best[w:] = np.maximum(best[w:], best[:-w] + values[i])
    return best


def knapsack_numba(weights, values, capacity):
    best = np.zeros(capacity + 1)
    for i in range(len(weights)):
        w = weights[i]
        for c in range(capacity, w - 1, -1):
            best[c] = max(best[c], best[c - w] + values[i])
    return best


def crc_table():
    """The table of the CRC of Ethernet."""
    crc = np.arange(256, dtype=np.int64)
    for _ in range(8):
        crc = np.where(crc & 1, (crc >> 1) ^ 0xEDB88320, crc >> 1)
    return crc


def picture(r, n):
    return r.integers(0, 256, (n, n), dtype=np.uint8)


def rings(r, n):
    y, x = np.indices((n, n)) - n / 2
    return np.hypot(x, y).ravel(), r.random(n * n), 32


PROGRAMS = [
    Program(rolling, lambda r, n: (r.random(n), 5), (8, 1000, 1_000_000), numba=rolling_numba),
    Program(rolling_max, lambda r, n: (r.random(n), 7), (8, 1000, 1_000_000), numba=rolling_max_numba),
    Program(moving_average, lambda r, n: (r.random(n), 0.1), (1, 1000, 100_000), LOOPS, moving_average),
    Program(prefix_sums, lambda r, n: (r.random(n),), (1, 1000, 1_000_000), numba=prefix_sums_numba),
    Program(drawdown, lambda r, n: (1.0 + r.random(n),), (1, 1000, 1_000_000), numba=drawdown_numba),
    Program(stockham, lambda r, n: (r.random(n) + 1j * r.random(n),), (2, 1024, 262_144), numba=stockham_numba),
    Program(convolve_2d, lambda r, n: (r.random((n, n)), r.random((3, 3))), (4, 60, 800), numba=convolve_2d_numba),
    Program(sobel, lambda r, n: (r.random((n, n)),), (4, 60, 800), numba=sobel_numba),
    Program(sharpen, lambda r, n: (picture(r, n), 2), (4, 60, 800), numba=sharpen_numba),
    Program(equalise, lambda r, n: (picture(r, n),), (4, 60, 800), numba=equalise_numba),
    Program(azimuthal, rings, (4, 40, 500), numba=azimuthal_numba),
    Program(
        crc_32, lambda r, n: (r.integers(0, 256, n, dtype=np.uint8), crc_table()), (1, 1000, 50_000), LOOPS, crc_32
    ),
    Program(edit_distance, lambda r, n: tuple(r.integers(0, 4, (2, n))), (2, 20, 150), LOOPS, edit_distance),
    Program(
        knapsack,
        lambda r, n: (r.integers(1, n, 20), r.random(20), 4 * n),
        (2, 500, 100_000),
        numba=knapsack_numba,
    ),
]
