"""Each example plainly and under pijit: the same bits, both times, the speedup, and what was compiled.

    python examples/demo.py [name...] [--quick]

Each run is a process of its own that times its main job itself, compilation included.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent

# Name, arguments of the demonstration, arguments of a quick look.
EXAMPLES = {
    "lattice_boltzmann": ([], ["--steps", "200", "--nx", "120", "--ny", "40"]),
    "edit_distance": ([], ["--length", "200"]),
}
PLAIN = [sys.executable]
NATIVE = [sys.executable, "-m", "pijit", "run", "--report"]


def run(launcher, script, arguments, state):
    """Run one program; returns its output, the report and the seconds that it measured."""
    done = subprocess.run(
        [*launcher, str(script), *arguments, "--save", str(state)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{script.name} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    time = re.search(r"^time ([0-9.]+) s$", done.stdout, re.MULTILINE)
    return done.stdout, done.stderr, float(time[1])


def differences(plain, native):
    """The names of the arrays that are not the same, bit for bit."""
    with np.load(plain) as a, np.load(native) as b:
        return [
            name
            for name in sorted(set(a.files) | set(b.files))
            if name not in a
            or name not in b
            or a[name].dtype != b[name].dtype
            or a[name].shape != b[name].shape
            or a[name].tobytes() != b[name].tobytes()
        ]


def without_time(output):
    """What the program printed, but for the line that may differ."""
    return re.sub(r"^time .*$", "", output, flags=re.MULTILINE)


def demonstrate(name, arguments):
    """One example; returns whether both runs agree."""
    script = HERE / f"{name}.py"
    print(f"== {name}.py ==\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        states = [Path(folder, "plain.npz"), Path(folder, "native.npz")]
        plain, _, plain_seconds = run(PLAIN, script, arguments, states[0])
        native, report, native_seconds = run(NATIVE, script, arguments, states[1])
        wrong = differences(*states)
    same = not wrong and without_time(plain) == without_time(native)
    print(plain)
    print(report)
    print(f"final state     {'the same, bit for bit' if not wrong else 'DIFFERENT: ' + ', '.join(wrong)}")
    print(f"printed output  {'the same' if without_time(plain) == without_time(native) else 'DIFFERENT'}")
    print(f"plain Python    {plain_seconds:8.3f} s")
    print(f"pijit           {native_seconds:8.3f} s (compilation included)")
    print(f"speedup         {plain_seconds / native_seconds:8.2f} x\n", flush=True)
    return same


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(EXAMPLES))
    parser.add_argument("--quick", action="store_true", help="small sizes")
    options = parser.parse_args()
    for name in options.names:
        if name not in EXAMPLES:
            parser.error(f"no example {name!r}; there are: {', '.join(EXAMPLES)}")
    results = [demonstrate(name, EXAMPLES[name][options.quick]) for name in options.names or EXAMPLES]
    sys.exit(0 if all(results) else 1)
