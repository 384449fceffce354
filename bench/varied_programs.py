"""Programs whose attributes hold objects of several types in turn: a node or nothing, a number or None, ints and floats; whose containers
hold nothing or much; whose arguments come in a dict."""

from __future__ import annotations

import functools
import heapq
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


def roads():
    """Towns, of which the first ones have no roads: to whom they lead, and how long they are."""
    draw = random.Random(3)
    towns = [[] for _ in range(400)]
    for _ in range(1600):
        a, b = draw.randrange(40, 400), draw.randrange(40, 400)
        length = draw.random()
        towns[a].append((b, length))
        towns[b].append((a, length))
    return towns


def nearest(towns, start):
    """How far it is to each town (Dijkstra 1959), summed."""
    far = [float("inf")] * len(towns)
    far[start] = 0.0
    ahead = [(0.0, start)]
    while ahead:
        distance, town = heapq.heappop(ahead)
        if distance > far[town]:
            continue
        for other, length in towns[town]:
            if distance + length < far[other]:
                far[other] = distance + length
                heapq.heappush(ahead, (distance + length, other))
    return sum(distance for distance in far if distance < float("inf"))


def rank(towns, rounds):
    """How often a traveller without a plan is in each town."""
    often = [1.0 / len(towns)] * len(towns)
    for _ in range(rounds):
        then = [0.15 / len(towns)] * len(towns)
        for town, ways in enumerate(towns):
            for other, _ in ways:
                then[other] += 0.85 * often[town] / len(ways)
        often = then
    return sum(place * part for place, part in enumerate(often))


def travel(n, towns):
    return sum(nearest(towns, start) for start in range(40, 40 + n)), rank(towns, n)


def passed_on(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@passed_on
def damped(x, v, *, stiffness=1.0, damping=0.1, step=0.01):
    force = -stiffness * x - damping * v
    return x + step * v, v + step * force


def settings():
    return {"stiffness": 4.0, "step": 0.02}


def swing(options, n):
    """A spring, whose properties come as keyword arguments through a decorator."""
    x, v, most = 1.0, 0.0, 0.0
    for _ in range(n):
        x, v = damped(x, v, **options)
        most = max(most, x)
    return x, v, most


class Machine:
    """One register, and a table of what its instructions do."""

    def __init__(self):
        self.held = 1
        self.table = {"add": self.add, "subtract": self.subtract, "multiply": self.multiply}

    def add(self, x):
        self.held += x

    def subtract(self, x):
        self.held -= x

    def multiply(self, x):
        self.held = self.held * x & 0xFFFF


INSTRUCTIONS = [(("add", "subtract", "multiply")[k * 7 % 3], k % 5) for k in range(300)]


def execute(machine, rounds):
    for _ in range(rounds):
        for name, x in INSTRUCTIONS:
            machine.table[name](x)
    return machine.held


class Cell:
    """Kinds of cells in a tissue, each of which grows in its own way."""

    def __init__(self, size):
        self.size, self.age = size, 0

    def grow(self, food):
        self.age += 1
        return self.size * 0.5 + food


class Stem(Cell):
    def grow(self, food):
        self.age += 2
        return self.size * food


class Muscle(Cell):
    def grow(self, food):
        return self.size + food if self.age > 3 else self.size


class Nerve(Cell):
    def grow(self, food):
        return self.size


class Skin(Cell):
    def grow(self, food):
        self.age = 0 if self.age > 9 else self.age + 1
        return self.size * 0.25 * self.age


class Blood(Cell):
    def grow(self, food):
        return food - self.size


class Bone(Cell):
    def grow(self, food):
        self.size += 0.125 * food
        return self.size


class Fat(Cell):
    def grow(self, food):
        self.size += food
        return -food


def tissue():
    kinds = (Cell, Stem, Muscle, Nerve, Skin, Blood, Bone, Fat)
    return [kinds[i * 5 % 8](0.25 * (i % 9)) for i in range(160)]


def nourish(cells, rounds):
    """A list of objects of eight classes."""
    total = 0.0
    for k in range(rounds):
        for cell in cells:
            total += cell.grow(0.5 * (k % 3))
    return total
