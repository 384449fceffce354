"""Functions that call themselves, of numbers and through trees. Each is made with the function that it calls jitted, or not."""

from __future__ import annotations

import math
import random


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


class Cell:
    """A square of a quadtree (Barnes and Hut 1986): its mass, where that is, and the four squares in it."""

    def __init__(self, depth, rng):
        self.size, self.mass, self.x, self.y = 0.5 ** (8 - depth), rng.random(), rng.random(), rng.random()
        self.parts = [Cell(depth - 1, rng) for _ in range(4)] if depth else None


def forces(jit):
    """What the masses of a tree do to one at (x, y), squares that are far away as a whole."""

    @jit
    def force(cell, x, y, angle):
        dx, dy = cell.x - x, cell.y - y
        apart = dx * dx + dy * dy + 1e-4
        if cell.parts is None or cell.size * cell.size < angle * angle * apart:
            pull = cell.mass / (apart * math.sqrt(apart))
            return pull * dx, pull * dy
        fx = fy = 0.0
        for part in cell.parts:
            gx, gy = force(part, x, y, angle)
            fx += gx
            fy += gy
        return fx, fy

    return force


def masses():
    return Cell(5, random.Random(1))


class Half:
    """A k-d tree of points of the plane (Bentley 1975)."""

    def __init__(self, points, axis=0):
        points = sorted(points, key=lambda point: point[axis])
        middle = len(points) // 2
        self.axis, (self.x, self.y) = axis, points[middle]
        self.low = Half(points[:middle], 1 - axis) if middle else None
        self.high = Half(points[middle + 1 :], 1 - axis) if middle + 1 < len(points) else None


def nearest(jit):
    """The square of the distance of the nearest point."""

    @jit
    def search(half, x, y, best):
        if half is None:
            return best
        dx, dy = x - half.x, y - half.y
        best = min(best, dx * dx + dy * dy)
        side = dx if half.axis == 0 else dy
        near, far = (half.low, half.high) if side < 0.0 else (half.high, half.low)
        best = search(near, x, y, best)
        return search(far, x, y, best) if side * side < best else best

    return search


def points():
    rng = random.Random(5)
    return Half([(rng.random(), rng.random()) for _ in range(2000)])


class Number:
    def __init__(self, value):
        self.value = value


class Name:
    def __init__(self, name):
        self.name = name


class Binary:
    def __init__(self, operator, left, right):
        self.operator, self.left, self.right = operator, left, right


def evaluator(jit):
    """The value of an expression, by a visitor whose methods are named after the classes."""

    class Evaluator:
        def __init__(self, names):
            self.names = names

        @jit
        def visit(self, node):
            return getattr(self, "visit_" + type(node).__name__)(node)

        def visit_Number(self, node):
            return node.value

        def visit_Name(self, node):
            return self.names[node.name]

        def visit_Binary(self, node):
            left, right = self.visit(node.left), self.visit(node.right)
            if node.operator == "+":
                return left + right
            return left - right if node.operator == "-" else left * right

    return Evaluator({"x": 1.5, "y": 0.5, "z": 2.5}).visit


def expression(depth, rng):
    if depth == 0 or rng.random() < 0.1:
        return Number(rng.random()) if rng.random() < 0.5 else Name(rng.choice("xyz"))
    return Binary(rng.choice("+-*"), expression(depth - 1, rng), expression(depth - 1, rng))


def total(jit):
    """The sum of the numbers in lists of lists, however deep."""

    @jit
    def add_up(held):
        if not isinstance(held, list):
            return held
        found = 0.0
        for item in held:
            found += add_up(item)
        return found

    return add_up


def nested(depth, rng):
    return rng.random() if depth == 0 or rng.random() < 0.1 else [nested(depth - 1, rng) for _ in range(rng.randrange(1, 4))]
