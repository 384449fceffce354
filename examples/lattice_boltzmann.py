"""Flow past a cylinder: the lattice Boltzmann method on a D2Q9 grid.

    python lattice_boltzmann.py [--steps N] [--save FILE]
"""

import argparse
import time

import numpy as np

# The nine directions of D2Q9 and their weights.
CX = np.array([0, 0, 1, 1, 1, 0, -1, -1, -1])
CY = np.array([0, 1, 1, 0, -1, -1, -1, 0, 1])
WEIGHTS = np.array([4 / 9, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36])
OPPOSITE = [0, 5, 6, 7, 8, 1, 2, 3, 4]


def main(nx, ny, steps, tau, report_every):
    """Run the simulation; returns the distribution, the velocity and the vorticity."""
    rng = np.random.default_rng(42)
    x, y = np.meshgrid(np.arange(nx), np.arange(ny))
    cylinder = (x - nx / 4) ** 2 + (y - ny / 2) ** 2 < (ny / 8) ** 2

    # A flow to the right with a little noise.
    f = np.ones((9, ny, nx)) + 0.01 * rng.standard_normal((9, ny, nx))
    f[3] += 2.0 * (1.0 + 0.2 * np.cos(2.0 * np.pi * x / nx * 4.0))
    rho = np.sum(f, axis=0)
    for i in range(9):
        f[i] *= 100.0 / rho

    feq = np.empty_like(f)
    ux = np.zeros((ny, nx))
    uy = np.zeros((ny, nx))
    for step in range(steps):
        # Let nothing come back from the left and right borders.
        f[6, :, -1] = f[6, :, -2]
        f[7, :, -1] = f[7, :, -2]
        f[8, :, -1] = f[8, :, -2]
        f[2, :, 0] = f[2, :, 1]
        f[3, :, 0] = f[3, :, 1]
        f[4, :, 0] = f[4, :, 1]

        # Drift.
        for i in range(9):
            f[i] = np.roll(np.roll(f[i], CX[i], axis=1), CY[i], axis=0)

        # Bounce back at the cylinder.
        bounced = f[:, cylinder]
        bounced = bounced[OPPOSITE, :]

        # Macroscopic variables.
        rho = np.sum(f, axis=0)
        ux = (f[2] + f[3] + f[4] - f[6] - f[7] - f[8]) / rho
        uy = (f[1] + f[2] + f[8] - f[4] - f[5] - f[6]) / rho
        f[:, cylinder] = bounced
        ux[cylinder] = 0.0
        uy[cylinder] = 0.0

        # Collision: relax towards equilibrium.
        usq = 1.5 * (ux * ux + uy * uy)
        for i in range(9):
            cu = 3.0 * (CX[i] * ux + CY[i] * uy)
            feq[i] = rho * WEIGHTS[i] * (1.0 + cu + 0.5 * cu * cu - usq)
        f += -(1.0 / tau) * (f - feq)

        if (step + 1) % report_every == 0:
            speed = np.sqrt(ux * ux + uy * uy)
            print(f"step {step + 1:5d}  mass {np.sum(rho):.6e}  fastest {speed.max():.6f}")

    vorticity = (np.roll(ux, -1, axis=0) - np.roll(ux, 1, axis=0)) - (np.roll(uy, -1, axis=1) - np.roll(uy, 1, axis=1))
    return f, np.stack([ux, uy]), vorticity


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nx", type=int, default=400)
    parser.add_argument("--ny", type=int, default=100)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--save", metavar="FILE", help="write the final state to an .npz file")
    args = parser.parse_args()

    # The allocator keeps memory for large temporaries once it has seen a large block come and go; without this the
    # time depends on what ran before.
    block = np.empty(31 << 20, dtype=np.uint8)
    del block

    start = time.perf_counter()
    f, velocity, vorticity = main(args.nx, args.ny, args.steps, 0.6, 100)
    seconds = time.perf_counter() - start

    print(f"checksum {float(np.sum(f)):.17g} {float(np.sum(vorticity * vorticity)):.17g}")
    print(f"time {seconds:.3f} s")
    if args.save:
        np.savez(args.save, f=f, velocity=velocity, vorticity=vorticity)
