"""NumPy's functions, methods and attributes."""

from . import (
    arrays,
    classes,
    creation,
    histograms,
    joins,
    linear,
    moments,
    random_,
    ranges,
    reductions,
    rolling,
    scalars,
    scans,
    scatter,
    ufuncs,
    views,
)

__all__ = [
    "arrays",
    "classes",
    "creation",
    "histograms",
    "joins",
    "linear",
    "moments",
    "random_",
    "ranges",
    "reductions",
    "rolling",
    "scalars",
    "scans",
    "scatter",
    "ufuncs",
    "views",
]
