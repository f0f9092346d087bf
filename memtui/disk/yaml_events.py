"""Reads single values out of a YAML file by the parser's events.

Builds no tree: aliases stay unexpanded and nesting costs no stack, so neither a bomb nor a thousand brackets
can stop the program. What is not a scalar is only named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import yaml

Keys = tuple[str | None, ...]
"""The keys that lead to a value; None stands for a place in a list, or for a key that is no scalar."""


@dataclass(frozen=True, slots=True)
class Unscalar:
    """A value that is no scalar."""

    words: str
    """What it is instead: "a list", "a mapping", "an alias"."""


@dataclass(slots=True)
class _Frame:
    """An open mapping or list."""

    is_mapping: bool
    wants_key: bool
    key: str | None = None


def placed_values(raw_bytes: bytes) -> Iterator[tuple[Keys, yaml.NodeEvent]]:
    """Every value of the document, in order, with the keys that lead to it. Raises yaml.YAMLError,
    ValueError.
    """
    import yaml

    frames: list[_Frame] = []
    for event in yaml.parse(raw_bytes, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.CollectionEndEvent):
            frames.pop()
        if not isinstance(event, yaml.NodeEvent):
            continue
        top = frames[-1] if frames else None
        if top is not None and top.wants_key:
            top.key = event.value if isinstance(event, yaml.ScalarEvent) else None
            top.wants_key = False
        else:
            yield tuple(frame.key for frame in frames), event
            if top is not None:
                top.wants_key = top.is_mapping
        if isinstance(event, yaml.CollectionStartEvent):
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            frames.append(_Frame(is_mapping, wants_key=is_mapping))


def scalar_value(event: yaml.NodeEvent) -> object:
    """The value as YAML's safe loader makes it; an `Unscalar` for a list, a mapping or an alias.

    A scalar that the loader refuses (the 40th of March, a number of 5,000 digits, an empty `!!int`) stays the text
    it is.
    """
    import yaml

    if not isinstance(event, yaml.ScalarEvent):
        return Unscalar(_words(event))
    loader = yaml.SafeLoader("")
    # The stubs leave this one method without types.
    tag = event.tag or loader.resolve(yaml.ScalarNode, event.value, event.implicit)  # type: ignore[no-untyped-call]
    try:
        return loader.construct_object(yaml.ScalarNode(tag, event.value))
    # With a tag of its own the loader's code meets texts it was not written for, each in its own way.
    except (ValueError, ArithmeticError, LookupError, AttributeError, TypeError, yaml.YAMLError):
        return str(event.value)


def is_mapping_or_nothing(event: yaml.NodeEvent) -> bool:
    """True for a mapping, and for an empty value, which means that nothing is configured."""
    import yaml

    if isinstance(event, yaml.ScalarEvent):
        return scalar_value(event) is None
    return isinstance(event, yaml.MappingStartEvent)


def _words(event: yaml.NodeEvent) -> str:
    import yaml

    if isinstance(event, yaml.AliasEvent):
        return "an alias"
    return "a mapping" if isinstance(event, yaml.MappingStartEvent) else "a list"
