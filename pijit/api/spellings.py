"""The options of jit: which there are, which other spellings mean the same, and what is said about all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pijit.ground.config import CHOICES, Options

FLAGS = ("fullgraph", "compile_once")
EXISTING = (*CHOICES, *FLAGS)

# Other spellings of capture_mode.
MODES = {"PIJit": "bytecode"}

# The public interface that is planned; each says so in one line until it exists.
PLANNED = frozenset({
    "dynamic", "input_signature", "static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "keep_unused", "inline",
    "hash_args", "device", "in_shardings", "out_shardings",
})  # fmt: skip


def translated(function: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The function and the options in pijit's own words; ValueError or TypeError in one line for what does not exist."""
    options = dict(options)
    if "fn" in options:
        if function is not None:
            raise TypeError("jit: the function is given twice, also as fn=")
        function = options.pop("fn")
    config = options.pop("jit_config", None)
    if config is not None:
        options = {**mapping_of(config), **options}
    mode = options.pop("mode", None)
    if mode is not None:
        if mode not in MODES:
            raise ValueError(f"jit: mode={mode!r} does not exist; there are: {', '.join(map(repr, MODES))}")
        options.setdefault("capture_mode", MODES[mode])
    check(options)
    options.pop("compile_once", None)
    return function, options


def mapping_of(config: Any) -> Mapping[str, Any]:
    """The options in a jit_config: a mapping, or an object that holds one as MindSpore's JitConfig does."""
    config = getattr(config, "jit_config_dict", config)
    if not isinstance(config, Mapping):
        raise TypeError(f"jit: jit_config is a mapping of options, not {config!r}")
    return config


def check(options: dict[str, Any]) -> None:
    """ValueError that lists what exists."""
    for name in options:
        if name not in EXISTING:
            what = f"option {name!r} does not exist yet" if name in PLANNED else f"no option {name!r}"
            raise ValueError(f"jit: {what}; there are: {', '.join(EXISTING)}")
    defaults = Options()
    for name, choices in CHOICES.items():
        value = options.get(name, getattr(defaults, name))
        if value not in choices:
            raise ValueError(f"jit: {name}={value!r} does not exist; there are: {', '.join(map(repr, choices))}")
    for name in FLAGS:
        if not isinstance(options.get(name, False), bool):
            raise ValueError(f"jit: {name}={options[name]!r} does not exist; there are: False, True")
