"""Edit distance between two long sequences, by the textbook's dynamic programme.

    python edit_distance.py [--length N] [--save FILE]
"""

import argparse
import time

import numpy as np


def edit_distance(a, b):
    """The table of distances between all prefixes of a and b."""
    n = len(a)
    m = len(b)
    table = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(n + 1):
        table[i, 0] = i
    for j in range(m + 1):
        table[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                cost = 0
            else:
                cost = 1
            best = table[i - 1, j - 1] + cost
            if table[i - 1, j] + 1 < best:
                best = table[i - 1, j] + 1
            if table[i, j - 1] + 1 < best:
                best = table[i, j - 1] + 1
            table[i, j] = best
    return table


def mutate(sequence, rng):
    """A copy with a few letters changed and a few lost."""
    changed = sequence.copy()
    places = rng.integers(0, len(sequence), len(sequence) // 10)
    changed[places] = rng.integers(0, 4, len(places))
    return changed[rng.random(len(changed)) > 0.05]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=3000)
    parser.add_argument("--save", metavar="FILE", help="write the final state to an .npz file")
    args = parser.parse_args()

    rng = np.random.default_rng(7)
    a = rng.integers(0, 4, args.length)
    b = mutate(a, rng)

    start = time.perf_counter()
    table = edit_distance(a, b)
    seconds = time.perf_counter() - start

    print(f"distance {table[-1, -1]} between {len(a)} and {len(b)} letters")
    print(f"checksum {int(np.sum(table))}")
    print(f"time {seconds:.3f} s")
    if args.save:
        np.savez(args.save, table=table)
