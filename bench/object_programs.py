"""The programs of the subject `objects`: small, and written as one writes them without a compiler in mind."""

from __future__ import annotations

import abc
import enum
import functools
import math
import operator

import numpy as np

# ---- a ray tracer ----------------------------------------------------------------------------------------------------------


class Vec:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k, self.z * k)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def unit(self):
        return self * (1.0 / math.sqrt(self.dot(self)))


class Ray:
    def __init__(self, origin, direction):
        self.origin, self.direction = origin, direction

    def at(self, t):
        return self.origin + self.direction * t


class Sphere:
    def __init__(self, center, radius, color):
        self.center, self.radius, self.color = center, radius, color

    def intersect(self, ray):
        oc = ray.origin - self.center
        b = oc.dot(ray.direction)
        discriminant = b * b - oc.dot(oc) + self.radius * self.radius
        if discriminant < 0.0:
            return None
        root = math.sqrt(discriminant)
        t = -b - root
        if t > 1e-4:
            return t
        t = -b + root
        return t if t > 1e-4 else None


class Scene:
    def __init__(self, spheres, light):
        self.spheres, self.light = spheres, light

    def trace(self, ray):
        best = hit = None
        for sphere in self.spheres:
            t = sphere.intersect(ray)
            if t is not None and (best is None or t < best):
                best, hit = t, sphere
        if hit is None:
            return 0.2 + 0.3 * ray.direction.y
        point = ray.at(best)
        normal = (point - hit.center) * (1.0 / hit.radius)
        shade = normal.dot((self.light - point).unit())
        return hit.color * max(shade, 0.05)


def render(scene, width, height):
    eye = Vec(0.0, 0.0, -3.0)
    image = np.zeros((height, width))
    for j in range(height):
        for i in range(width):
            direction = Vec(i / width - 0.5, j / height - 0.5, 1.0).unit()
            image[j, i] = scene.trace(Ray(eye, direction))
    return image


def scene():
    spheres = [Sphere(Vec(0.0, 0.0, 0.0), 1.0, 1.0), Sphere(Vec(1.0, 0.5, -0.5), 0.3, 0.7), Sphere(Vec(-1.0, -0.5, 0.5), 0.5, 0.5)]
    return Scene(spheres, Vec(5.0, 5.0, -5.0))


# ---- a network -------------------------------------------------------------------------------------------------------------


class Layer:
    def parameters(self):
        return []


class Dense(Layer):
    def __init__(self, rng, n, m):
        self.w, self.b = rng.normal(0.0, 0.3, (n, m)), np.zeros(m)

    def forward(self, x):
        self.x = x
        return x @ self.w + self.b

    def backward(self, grad):
        self.dw = self.x.T @ grad
        self.db = grad.sum(axis=0)
        return grad @ self.w.T

    def update(self, lr):
        self.w -= lr * self.dw
        self.b -= lr * self.db


class Tanh(Layer):
    def forward(self, x):
        self.y = np.tanh(x)
        return self.y

    def backward(self, grad):
        return grad * (1.0 - self.y * self.y)

    def update(self, lr):
        pass


class Network:
    def __init__(self, layers, config):
        self.layers, self.config = layers, config

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, grad):
        for layer in reversed(self.layers):
            grad = layer.backward(grad)

    def update(self):
        for layer in self.layers:
            layer.update(self.config["lr"])


def train(network, x, y, epochs):
    losses = []
    for _ in range(epochs):
        error = network.forward(x) - y
        losses.append(float((error * error).mean()))
        network.backward(2.0 * error / error.size)
        network.update()
    return losses


def network():
    rng = np.random.default_rng(0)
    return Network([Dense(rng, 8, 16), Tanh(), Dense(rng, 16, 2)], {"lr": 0.1})


# ---- a simulation ------------------------------------------------------------------------------------------------------------


class Oscillators:
    damping = 0.02

    def __init__(self, n):
        self.position, self.velocity = np.linspace(0.0, 1.0, n), np.zeros(n)
        self.time, self.dt, self.history = 0.0, 0.01, []

    def force(self):
        return -self.position - self.damping * self.velocity

    def step(self):
        self.velocity += self.dt * self.force()
        self.position += self.dt * self.velocity
        self.time += self.dt

    @property
    def energy(self):
        return 0.5 * float((self.velocity * self.velocity).sum() + (self.position * self.position).sum())


def simulate(simulation, steps):
    for i in range(steps):
        simulation.step()
        if i % 50 == 0:
            simulation.history.append(simulation.energy)
    return simulation.time, simulation.history


def simulation():
    return Oscillators(400)


# ---- an event loop -----------------------------------------------------------------------------------------------------------


class Server:
    def __init__(self):
        self.queued, self.busy_until, self.served, self.lost, self.state = 0, 0.0, 0, 0, 12345

    def random(self):
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        return self.state / 2147483648.0

    def arrive(self, now):
        if self.queued >= 5:
            self.lost += 1
            return False
        self.queued += 1
        return True

    def work(self, now):
        if self.queued == 0:
            return None
        if self.busy_until > now:
            return None
        self.queued -= 1
        self.busy_until = now + 0.8 * self.random()
        self.served += 1
        return self.busy_until


def serve(server, events):
    now = 0.0
    waited = 0.0
    for _ in range(events):
        now += server.random() * 0.7
        if not server.arrive(now):
            continue
        done = server.work(now)
        if done is None:
            waited += 0.1
            continue
        if done > 1e9:
            break
        waited += done - now
    return now, waited, server.served, server.lost


def server():
    return Server()


# ---- generators and inner functions ------------------------------------------------------------------------------------------


def smoothed(samples, cutoff):
    state = 0.0
    for sample in samples:
        state += cutoff * (sample - state)
        yield state


def summarise(cutoff, n):
    crossings, above = 0, False

    def watch(level):
        nonlocal crossings, above
        if (level > 0.5) != above:
            above = not above
            crossings += 1

    samples = [i * 0.37 % 1.0 for i in range(n)]
    for level in smoothed(samples, cutoff):
        watch(level)
    energy = sum(level * level for level in smoothed(samples, cutoff))
    peak = max(abs(level - 0.5) for level in smoothed(samples, cutoff))
    return crossings, energy, peak, any(level > 0.9 for level in smoothed(samples, cutoff))


def cutoff():
    return 0.05


# ---- map, filter and reduce --------------------------------------------------------------------------------------------------


def settle(rates, n):
    """Of amounts in another currency what is due, what it grows to, the largest either way, and what both currencies have in common."""
    rate, fee = rates
    amounts = [i * 37 % 101 - 50.0 for i in range(n)]
    converted = list(map(lambda amount: amount * rate + fee, amounts))  # noqa: C417 (it is what is measured)
    due = sum(filter(lambda amount: amount > 0, converted))
    grown = functools.reduce(lambda total, amount: total * 0.999 + amount, converted)
    for amount in map(abs, converted):
        due -= amount * 0.001
    return due, grown, max(converted, key=abs), sum(map(operator.mul, amounts, converted))


def rates():
    return 1.1, 0.25


# ---- programs without arrays -------------------------------------------------------------------------------------------------


def compare(names):
    """Of each two neighbours, the edit distance, and a polynomial of their letters by Horner's rule, from the last one on."""
    total = 0.0
    for number, a in enumerate(names[:-1]):
        b = names[number + 1]
        before = list(range(len(b) + 1))
        for i, x in enumerate(a, 1):
            now = [i]
            for j, y in enumerate(b, 1):
                now.append(min(before[j] + 1, now[j - 1] + 1, before[j - 1] + (x != y)))
            before = now
        value = 0.0
        for distance in reversed(before):
            value = value * 0.5 + distance
        total += value
    return total


def names():
    return ["kitten" * 9, "sitting" * 8, "sitar" * 11, "guitar" * 9]


def rod():
    return [0.0] * 400 + [1.0] * 400


def conduct(rod, steps):
    """Numbers in lists: a rod's heat in place, and how many ways there are to pay so many coins."""
    for _ in range(steps):
        for i in range(1, len(rod) - 1):
            rod[i] = 0.5 * (rod[i - 1] + rod[i + 1])
    ways = [1] + [0] * 800
    for coin in (1, 2, 5, 10, 20, 50):
        for i in range(coin, len(ways)):
            ways[i] += ways[i - coin]
    return rod, ways, [x * x for x in rod]


class Cell:
    def __init__(self, age):
        self.age, self.energy, self.alive, self.divisions = age, 1.0, True, 0


def colony():
    return [Cell(i % 40) for i in range(200)]


def grow(cells, steps):
    """Counters and flags in objects, and the best of tuples."""
    oldest = (0, 0.0)
    for step in range(steps):
        for cell in cells:
            cell.age += 1
            cell.energy += 0.25 if cell.alive else -0.125
            if cell.energy > 3.0:
                cell.energy *= 0.5
                cell.divisions += 1
            cell.alive = cell.age < 300 + step
            if (cell.divisions, cell.energy) > oldest:
                oldest = (cell.divisions, cell.energy)
    return oldest, sum(cell.age for cell in cells)


class Going(enum.Enum):
    UP = 1
    DOWN = -1
    NOWHERE = 0


class Moving(abc.ABC):
    def __init__(self, at):
        self.at, self.going, self.waited, self.last = at, Going.UP, 0, None

    @abc.abstractmethod
    def move(self): ...


class Lift(Moving):
    speed = 1.0

    def move(self):
        if self.going is Going.NOWHERE:
            self.waited += 1
            if self.waited > 2:
                self.going, self.waited = (Going.DOWN if self.last is Going.UP else Going.UP), 0
        elif not 0.0 <= self.at + self.going.value * self.speed <= 20.0:
            self.last, self.going = self.going, Going.NOWHERE
        else:
            self.at += self.going.value * self.speed


class Express(Lift):
    speed = 2.5


def lifts():
    return [Express(0.5 * i) if i % 4 == 3 else Lift(0.5 * i) for i in range(12)]


def operate(lifts, steps):
    """Members of enumerations in attributes, compared by `is`, and methods of subclasses of an abstract class."""
    idle, last = 0, lifts[-1]
    for _ in range(steps):
        for lift in lifts:
            lift.move()
            if lift is not last and lift.going is Going.NOWHERE:
                idle += 1
    return idle, [(lift.at, lift.going.name) for lift in lifts]


class Tile:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


class Round(Tile):
    def area(self):
        return 0.7853981633974483 * self.side * self.side


class Worn(Tile):
    def area(self):
        return None if self.side < 1.0 else self.side * 0.5


def tiles():
    return [(Tile, Round, Tile, Worn, Round)[i * i % 5](0.25 * (i % 9)) for i in range(150)]


def cover(tiles, steps):
    """Lists whose items are of several types: classes with a method each, and the fewest pieces of some lengths, where there is a way at all."""
    total, smallest, which = 0.0, None, None
    for _ in range(steps):
        for tile in tiles:
            area = tile.area()
            if area is not None:
                total += area
                if smallest is None or area < smallest:
                    smallest, which = area, tile
    fewest = [math.inf] * (10 * steps)
    fewest[0] = 0
    for length in range(1, len(fewest)):
        for piece in (4, 9, 11):
            if piece <= length and fewest[length - piece] + 1 < fewest[length]:
                fewest[length] = fewest[length - piece] + 1
    return total, smallest, which is tiles[0], fewest


class Diverged(Exception):
    """An iteration that leads nowhere."""


def root(x, most):
    """By Newton's method, of x**3 - 2 x + 2, which has places from where that goes round in circles or far away."""
    for _ in range(most):
        slope = 3.0 * x * x - 2.0
        step = (x * x * x - 2.0 * x + 2.0) / slope
        x -= step
        if abs(x) > 20.0:
            raise Diverged(f"at {x:.3g}")
        if abs(step) < 1e-9:
            return x
    raise Diverged("in circles")


def starts():
    return [0.01 * (i - 200) for i in range(400)]


def sift(starts, most):
    """Answers that are exceptions: of the function itself, of a division, of a list and of a dict."""
    roots, far, flat = [], 0, 0
    for x in starts:
        try:
            roots.append(root(x, most))
        except Diverged:
            far += 1
        except ZeroDivisionError:
            flat += 1
    near, beyond = {}, 0
    for k, x in enumerate(roots):
        try:
            x -= roots[2 * k]
        except IndexError:
            beyond += 1
        key = int(x * 4.0)
        try:
            near[key] += 1
        except KeyError:
            near[key] = 1
    return len(roots), far, flat, beyond, near


class Task:
    def __init__(self, name, priority):
        self.name, self.priority, self.done = name, priority, 0

    def run(self, budget):
        self.done += min(budget, self.priority)
        return self.done


def richards():
    tasks = [Task(f"task {i}", i % 7 + 1) for i in range(50)]
    total = 0
    for budget in range(400):
        for task in tasks:
            total += task.run(budget % 9)
    return total


def nqueens(n=7):
    found = []

    def place(row, columns, left, right):
        if row == n:
            found.append(tuple(columns))
            return
        for column in range(n):
            if column not in columns and row - column not in left and row + column not in right:
                place(row + 1, [*columns, column], left | {row - column}, right | {row + column})

    place(0, [], frozenset(), frozenset())
    return len(found)


def words():
    text = "the quick brown fox jumps over the lazy dog and runs away from the small angry cat " * 150
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3]


class Node:
    __slots__ = ("left", "right")

    def __init__(self, left, right):
        self.left, self.right = left, right

    def count(self):
        return 1 + (self.left.count() if self.left else 0) + (self.right.count() if self.right else 0)


def tree(depth=11):
    def grow(n):
        return Node(grow(n - 1), grow(n - 1)) if n else None

    return grow(depth).count()
