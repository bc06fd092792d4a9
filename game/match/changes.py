"""What changed from one view of a match to the next, small enough to be sent with every step; pure.

Views are JSON-able: objects with texts as keys, lists, texts, numbers, true, false and null. What became of a value is
an object again, and says one thing:

    {}                                              it is as before
    {"is": VALUE}                                   it is that now
    {"keys": {KEY: CHANGE, …}, "gone": [KEY, …]}    of an object: what changed under these keys, and which are gone
    {"items": {NUMBER: CHANGE, …}}                  of a list as long as before: what changed at these places, from 0
    {"at": NUMBER, "out": NUMBER, "in": [VALUE, …]} of a list: from that place on so many left it, and these came in

Each of "keys" and "gone", and of "out" and "in", is left out where it would be empty or 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Changes = dict[str, Any]


def changes(old: Any, new: Any) -> Changes:
    """What became of the old value, said as shortly as can be: `merged` makes the new one of it."""
    if _is_same(old, new):
        return {}
    ways: list[Changes] = [{"is": new}]
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        ways.append(_of_object(old, new))
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        ways.append(_of_list(old, new))
        if len(old) == len(new):
            ways.append({"items": _at_places(old, new)})
    return min(ways, key=_length)


def merged(old: Any, made: Mapping[str, Any]) -> Any:
    """The new value; the old one stays as it is. LookupError, TypeError or ValueError for what are no changes of it."""
    if not made:
        return old
    if "is" in made:
        return made["is"]
    if "items" in made:
        items = list(old)
        for place, change in made["items"].items():
            items[int(place)] = merged(items[int(place)], change)
        return items
    if "at" in made:
        at = made["at"]
        return [*old[:at], *made.get("in", ()), *old[at + made.get("out", 0) :]]
    gone = frozenset(made.get("gone", ()))
    found = {key: value for key, value in old.items() if key not in gone}
    for key, change in made.get("keys", {}).items():
        found[key] = merged(found.get(key), change)
    return found


def _of_object(old: Mapping[str, Any], new: Mapping[str, Any]) -> Changes:
    found: Changes = {}
    keys = {key: changes(old[key], value) if key in old else {"is": value} for key, value in new.items()}
    keys = {key: change for key, change in keys.items() if change}
    gone = [key for key in old if key not in new]
    if keys:
        found["keys"] = keys
    if gone:
        found["gone"] = gone
    return found


def _of_list(old: Sequence[Any], new: Sequence[Any]) -> Changes:
    """What left the list and what came in, between what is the same at both its ends."""
    most = min(len(old), len(new))
    first = next((at for at in range(most) if not _is_same(old[at], new[at])), most)
    last = next((at for at in range(most - first) if not _is_same(old[-1 - at], new[-1 - at])), most - first)
    out, came = len(old) - last - first, list(new[first : len(new) - last])
    return {"at": first, **({"out": out} if out else {}), **({"in": came} if came else {})}


def _at_places(old: Sequence[Any], new: Sequence[Any]) -> Changes:
    each = (changes(before, after) for before, after in zip(old, new, strict=True))
    return {str(at): change for at, change in enumerate(each) if change}


def _is_same(one: Any, other: Any) -> bool:
    """Whether both are the same in JSON, where 1, 1.0 and true are three things."""
    if one != other:
        return False
    if isinstance(one, Mapping | list | tuple | float):
        return _text(one) == _text(other)
    return type(one) is type(other)


_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def _length(made: Changes) -> int:
    return len(_text(made))
