"""Programs that take items of lists and tuples at places that are computed, or from the end of a list that grows."""

from __future__ import annotations

import math
import random

GRADIENTS = ((1, 1), (-1, 1), (1, -1), (-1, -1))


def some_words():
    draw = random.Random(8)
    return ["".join(draw.choices("abcdefgh", k=draw.randint(4, 10))) for _ in range(24)]


def distance(a, b):
    """How many letters have to be put in, taken out or replaced (Wagner and Fischer)."""
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        now = [i]
        for j, y in enumerate(b, 1):
            now.append(min(before[j] + 1, now[-1] + 1, before[j - 1] + (x != y)))
        before = now
    return before[-1]


def distances(words):
    total = 0
    for a in words:
        for b in words:
            total += distance(a, b)
    return total


def permutation():
    draw = random.Random(3)
    places = list(range(256))
    draw.shuffle(places)
    return places * 2


def eased(t):
    return t * t * t * (t * (t * 6 - 15) + 10)


def slope(hashed, x, y):
    gradient = GRADIENTS[hashed & 3]
    return gradient[0] * x + gradient[1] * y


def perlin(places, n):
    """Gradient noise (Perlin 2002) on n x n points, summed."""
    total = 0.0
    for i in range(n):
        for j in range(n):
            x, y = i * 0.17, j * 0.23
            column, row = math.floor(x) & 255, math.floor(y) & 255
            x, y = x - math.floor(x), y - math.floor(y)
            left, right = places[column] + row, places[column + 1] + row
            u, v = eased(x), eased(y)
            low = slope(places[left], x, y) * (1 - u) + slope(places[right], x - 1, y) * u
            high = slope(places[left + 1], x, y - 1) * (1 - u) + slope(places[right + 1], x - 1, y - 1) * u
            total += low + v * (high - low)
    return total


class Node:
    def __init__(self, x, y, parent):
        self.x, self.y, self.parent = x, y, parent


def explore(obstacles, n):
    """A tree that grows at random around obstacles (LaValle 1998). The place of its root is given in ints, those of others are floats."""
    draw = random.Random(5)
    nodes = [Node(1, 1, None)]
    for _ in range(n):
        x, y = draw.uniform(0, 20), draw.uniform(0, 20)
        near = min(nodes, key=lambda node: (node.x - x) ** 2 + (node.y - y) ** 2)
        angle = math.atan2(y - near.y, x - near.x)
        x, y = near.x + 0.3 * math.cos(angle), near.y + 0.3 * math.sin(angle)
        if all((x - left) ** 2 + (y - top) ** 2 > radius * radius for left, top, radius in obstacles):
            nodes.append(Node(x, y, near))
    return len(nodes), nodes[-1].x
