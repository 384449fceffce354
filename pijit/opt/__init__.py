"""Passes over the graph."""
