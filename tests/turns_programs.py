"""Loops whose rounds go natively and in the interpreter in turn (csrc/turns.c): each goes round, is left or is disturbed in another way."""

PROGRAMS = {
    "a dict": """
def f(n):
    seen, order = {}, []
    for i in range(n):
        key = str(i % 7)
        seen[key] = seen.get(key, 0) + i
        order.append(key)
    return seen, order[-9:]
""",
    "while": """
def f(n):
    stack, out = list(range(n)), []
    while stack:
        x = stack.pop()
        if x % 3 == 0 and x > 3:
            stack.append(x // 3)
        out.append(x)
    return out
""",
    "while with a condition in the middle": """
def f(n):
    out, i = [], 0
    while True:
        i += 1
        if i % 5 == 0:
            continue
        out.append(str(i))
        if len(out) > n:
            break
    else:
        out.append(-1)
    return out, i
""",
    "loops within a loop": """
def f(n):
    table = {}
    for i in range(n):
        row = []
        for j in range(i % 6):
            row.append((i, j))
        for j in row:
            table[j] = len(table)
        table[i] = row
    return table
""",
    "raises": """
def f(n):
    out = []
    try:
        for i in range(n):
            out.append({0: 1.5, 1: 2.5, 2: 3.5}[i % 4 if i > 40 else i % 3])
    except KeyError as error:
        out.append(error.args)
    return out
""",
    "raises out of the function": """
def f(n):
    out = []
    for i in range(n):
        out.append(str(i))
        out[-1 - 2 * (i // 50)].upper()
        out[i // 40 * 60]
    return out
""",
    "raises in a function that is inlined": """
def at(items, i):
    if i > 37:
        raise LookupError(i, items[-1])
    return items[i]

def f(n):
    out, items = [], list(range(n))
    for i in range(n):
        out.append(at(items, i))
    return out
""",
    "handles exceptions": """
def f(n):
    out, d = [], {}
    for i in range(n):
        try:
            out.append(d[i % 5])
        except KeyError:
            d[i % 5] = i
            if len(d) == 4:
                del d[1]
    return out, d
""",
    "a generator": """
def numbers(n):
    seen = []
    for i in range(n):
        seen.append(i)
        if i % 9 == 8:
            yield len(seen), sum(seen)

def f(n):
    out = []
    for pair in numbers(n):
        out.append(pair)
    return out
""",
    "a generator that is closed": """
def numbers(log, n):
    try:
        for i in range(n):
            log.append(i)
            if i == 45:
                yield i
    finally:
        log.append("closed")

def f(n):
    log = []
    it = numbers(log, n)
    first = next(it)
    it.close()
    return first, log
""",
    "other types": """
def f(n):
    out, total = {}, 0
    for i in range(n):
        if i == n // 2:
            total = 0.5
        total = total + i
        out[str(total)] = total
    return out
""",
    "objects": """
class Body:
    def __init__(self, x):
        self.x, self.v, self.log = x, 1.0, []

    def step(self, dt):
        self.x += self.v * dt
        if self.x > 3.0:
            self.v = -self.v
            self.log.append(self.x)

def f(n):
    bodies = [Body(i * 0.7) for i in range(4)]
    for _ in range(n):
        for body in bodies:
            body.step(0.25)
    return [(b.x, b.v, b.log) for b in bodies]
""",
    "recursion": """
def f(n, depth=3):
    out = []
    for i in range(n // 2):
        out.append((depth, i))
        if i == 30 and depth:
            out.append(f(n, depth - 1))
    return out
""",
    "what the loop uses is rebound": """
import math
scale = 2

def g(x):
    return x + scale

def h(x):
    return x * 3

def f(n):
    global g, scale
    out, before = [], g
    for i in range(n):
        out.append(g(i))
        if i == 25:
            scale = 7
        if i == 40:
            g = h
    g, scale = before, 2
    return out
""",
    "locals are looked at": """
import sys

def peep(depth):
    frame = sys._getframe(depth)
    return sorted(frame.f_locals), frame.f_lineno

def f(n):
    out = []
    for i in range(n):
        out.append(str(i))
        if i % 16 == 15:
            out.append(peep(1))
    return out
""",
    "the tracer comes and goes": """
import sys

def tracer(log):
    def trace(frame, event, arg):
        if event == "line":
            log.append(frame.f_lineno)
        return trace
    return trace

def f(n):
    out, log = [], []
    for i in range(n):
        out.append({"i": i})
        if i == 30:
            sys.settrace(tracer(log))
            sys._getframe().f_trace = sys.gettrace()
        if i == 33:
            sys.settrace(None)
            sys._getframe().f_trace = None
    return out, log
""",
    "signals": """
import signal

def f(n):
    out, got = [], []
    before = signal.signal(signal.SIGUSR1, lambda *_: got.append(len(out)))
    for i in range(n):
        out.append([i])
        if i in (20, 41):
            signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)
    return out, got
""",
    "a handler of signals raises": """
import signal

def stop(*_):
    raise TimeoutError("enough")

def f(n):
    out = []
    before = signal.signal(signal.SIGUSR1, stop)
    try:
        for i in range(n):
            out.append([i])
            if i == 41:
                signal.raise_signal(signal.SIGUSR1)
    except TimeoutError as error:
        out.append(str(error))
    signal.signal(signal.SIGUSR1, before)
    return out
""",
    "threads": """
import threading

def work(n, out):
    d = {}
    for i in range(40 * n):
        d[i % 11] = d.get(i % 11, 0) + i
    out.append(d)

def f(n):
    out = []
    threads = [threading.Thread(target=work, args=(n, out)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out
""",
    "cells": """
def f(n):
    total, out = 0, []

    def add(x):
        nonlocal total
        total += x
        return total

    for i in range(n):
        out.append(add(i))
        if i % 20 == 19:
            total = 0
    return out, total
""",
    "what is let go": """
import weakref

class Node:
    pass

def f(n):
    log, kept = [], None
    for i in range(n):
        node = Node()
        node.number = i
        weakref.finalize(node, log.append, i)
        if i % 10 == 3:
            kept = node
    return log, kept.number
""",
}
