"""Capture: symbolic execution of bytecode, from the actual values of a frame to a graph with guards."""
