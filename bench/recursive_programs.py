"""Functions that call themselves. Each is made with the function that it calls jitted, or not."""

from __future__ import annotations

import math


def queens(jit):
    """In how many ways n queens can stand on a board, by sets that are bits of ints."""

    @jit
    def place(n, row, columns, left, right):
        if row == n:
            return 1
        count = 0
        for column in range(n):
            down, up = row + column, row - column + n
            if not (columns >> column | left >> down | right >> up) & 1:
                count += place(n, row + 1, columns | 1 << column, left | 1 << down, right | 1 << up)
        return count

    return place


def quadrature(jit):
    """An integral by Simpson's rule, in halves until they agree (Kuncir 1962)."""

    @jit
    def integral(a, b, low, middle, high, whole, tolerance):
        c = 0.5 * (a + b)
        x, y = 0.5 * (a + c), 0.5 * (c + b)
        left, right = math.exp(-x * x) * math.sin(9.0 * x), math.exp(-y * y) * math.sin(9.0 * y)
        first, second = (c - a) / 6.0 * (low + 4.0 * left + middle), (b - c) / 6.0 * (middle + 4.0 * right + high)
        if abs(first + second - whole) <= 15.0 * tolerance:
            return first + second
        tolerance *= 0.5
        return integral(a, c, low, left, middle, first, tolerance) + integral(c, b, middle, right, high, second, tolerance)

    return integral


def partitions(jit):
    """In how many ways n is a sum of numbers up to the largest."""

    @jit
    def count(n, largest):
        if n == 0 or largest == 1:
            return 1
        if n < largest:
            return count(n, n)
        return count(n, largest - 1) + count(n - largest, largest)

    return count
