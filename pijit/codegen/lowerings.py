"""Importing this module fills the table of lowerings."""

from . import convert, elements, floats, ints, npscalars, objects, whole

__all__ = ["convert", "elements", "floats", "ints", "npscalars", "objects", "whole"]
