"""Programs that read tables and lines: records with gaps in them, texts taken apart; numbers in arrays of the library, and its logs."""

from __future__ import annotations

import io
import logging
from array import array


def measured():
    """A row of a table for each reading: a number, perhaps one from a second instrument, a weight that is a whole number here and there, a place."""
    return [(0.25 * i, None if i % 3 else 0.5 * i, 0.5 * (i % 7) if i % 2 else i % 5, f"place {i % 11}") for i in range(3000)]


def weigh(rows):
    total = extra = 0.0
    for value, second, weight, place in rows:
        total += value * weight
        if second is not None and place != "place 4":
            extra += (second - value) * weight
    return total, extra


def orders():
    return [{"id": i, "city": f"c{i % 9}", "price": None if i % 5 == 0 else 1.25 * i, "items": list(range(i % 4))} for i in range(3000)]


def bill(orders):
    total, count, open_ = 0.0, 0, 0
    for order in orders:
        if order["price"] is None:
            open_ += 1
        elif order["city"] != "c3":
            total += order["price"]
            count += len(order["items"])
    return total, count, open_


def lines():
    return [f"k{i % 17},{i},{i * 0.5}" for i in range(2000)]


def parse(lines):
    total, far = 0.0, 0
    for line in lines:
        key, number, value = line.split(",")
        total += float(value)
        if key != "k3":
            far += int(number)
    return total, far


def passwords(lines):
    good = 0
    for line in lines:
        if any(c.isdigit() for c in line) and sum(1 for c in line if c == "5") < 2 and not all(c < "7" for c in line):
            good += 1
    return good


def points():
    return [(0.5 * i, 0.25 * (i % 9), -1.5 * i) for i in range(1000)]


def spread(points):
    """Vectors that are tuples, by generator expressions."""
    centre, far = (0.0, 0.0, 0.0), 0.0
    for point in points:
        centre = tuple(a + b for a, b in zip(centre, point, strict=True))
        far += sum(max(0.0, x) ** 2 for x in [x - 1.0 for x in point]) ** 0.5
    return centre, far, max(sum(point) for point in points)


def votes():
    return [{f"c{k}": (k * i) % 7 for k in range(1 + i % 12)} for i in range(600)]


def gini(counts, total):
    return 1.0 - sum((count / total) ** 2 for count in counts.values())


def impurity(votes):
    """Dicts of any keys, by generator expressions over their values."""
    total = 0.0
    for counts in votes:
        total += gini(counts, 1 + len(counts))
    return total


class Matrix:
    """Numbers side by side, as without NumPy."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.numbers = array("d", [0.0]) * (rows * columns)

    def __getitem__(self, place):
        return self.numbers[place[0] * self.columns + place[1]]

    def __setitem__(self, place, value):
        self.numbers[place[0] * self.columns + place[1]] = value


def plate():
    made = Matrix(24, 20)
    for j in range(20):
        made[0, j] = 1.0 + j % 3
    return made


def overrelax(plate, rounds):
    """Successive over-relaxation of a plate with a hot edge."""
    for _ in range(rounds):
        for i in range(1, plate.rows - 1):
            for j in range(1, plate.columns - 1):
                around = plate[i - 1, j] + plate[i + 1, j] + plate[i, j - 1] + plate[i, j + 1]
                plate[i, j] = 0.3125 * around - 0.25 * plate[i, j]
    return plate[12, 10]


def logged():
    """Many functions of the library, called much, of which nothing gains: what it costs to find that out."""
    stream = io.StringIO()
    logger = logging.Logger("logged")
    logger.addHandler(logging.StreamHandler(stream))
    for i in range(300):
        logger.warning("%d of %s", i, "many")
    return len(stream.getvalue())
