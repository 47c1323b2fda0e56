"""All things of a class that a text names, those that two names are known to mean counted once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rag1.retrieve.count_persons import persons
from rag1.retrieve.count_places import named_places
from rag1.text.count import Counter
from rag1.types import Span


def things_named(kind: str, text: str, aliases: Callable[[str], Sequence[str]]) -> Mapping[str, Sequence[Span]]:
    """The places of each 人物, 寺, 国 … by its fullest name, in text order.

    `aliases` are other names that ruby or a graph knows for a name: things that share one are one thing, and places
    under a name that the class itself does not show are added.
    """
    named = persons(text) if kind == "人物" else named_places(kind, text)
    found: dict[str, list[Span]] = {}
    owner: dict[str, str] = {}
    for name, places in named.items():
        forms = dict.fromkeys([name, *(text[start:end] for start, end in places)])
        known = dict.fromkeys(other for form in forms for other in (form, *aliases(form)))
        same = next((owner[other] for other in known if other in owner), name)
        owner.update(dict.fromkeys(known, same))
        taken = found.setdefault(same, [])
        taken += [place for place in places if place not in taken]
        unseen = [other for other in known if other not in forms and other not in named]
        taken += [(o.start, o.end) for o in Counter().entity(text, unseen)]
    return {name: sorted(set(places)) for name, places in found.items()}
