"""Programs whose attributes hold objects of several types in turn: a node or nothing, a number or None, ints and floats."""

from __future__ import annotations

import random


class Node:
    def __init__(self, key, value):
        self.key, self.value = key, value
        self.left = self.right = None


def words():
    draw = random.Random(5)
    return [draw.randrange(10**6) for _ in range(1500)]


def index(keys):
    """A search tree without balance: built, and asked for every key and its neighbour."""
    root, found = Node(keys[0], 0), 0
    for number, key in enumerate(keys):
        node = root
        while node.key != key:
            if key < node.key:
                if node.left is None:
                    node.left = Node(key, number)
                node = node.left
            else:
                if node.right is None:
                    node.right = Node(key, number)
                node = node.right
    for key in keys:
        for asked in (key, key + 1):
            node = root
            while node is not None and node.key != asked:
                node = node.left if asked < node.key else node.right
            if node is not None:
                found += node.value
    return found


class Station:
    def __init__(self, number):
        self.level = number % 3 if number % 2 else number * 0.25
        self.rate = 1 if number % 5 == 0 else 0.5
        self.last = None
        self.alarms = 0


def stations():
    return [Station(number) for number in range(300)]


def watch(stations, steps):
    """What stations measured last, if anything, and what they measure now."""
    total = 0.0
    for step in range(steps):
        for s in stations:
            s.level += s.rate
            if s.last is not None and s.level > 2 * s.last:
                s.alarms += 1
            if s.level > 10:
                s.level = 0
                s.last = None
            elif step % 3 == 0:
                s.last = s.level
            total += s.level
    return total, sum(s.alarms for s in stations)


def noise(seed, n):
    """Random.gauss makes two numbers at once, and keeps one of them for the next call."""
    draw = random.Random(seed)
    total = 0.0
    for _ in range(n):
        total += draw.gauss(0.0, 1.0)
    return total
