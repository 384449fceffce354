"""Bytecode as the rest of pijit sees it: normalised instructions, control flow and liveness, the same on every version."""
