"""Pictures of a graph: a PNG with a Japanese font, and an interactive page that needs nothing but a browser."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from rag1.errors import ConfigError, InputError, StorageError
from rag1.graph.fonts import JAPANESE, font_face, japanese_font
from rag1.graph.model import Fact
from rag1.graph.store import ALL, GraphStore

FONTS = (JAPANESE, "DejaVu Sans")
"""The first comes with the extra `plot`, the second with matplotlib."""

KANA = "".join(map(chr, range(0x3041, 0x30FF)))
"""What may be typed into the page's search box."""

MISSING = "〓"
"""What Japanese typesetting puts where a font lacks a character."""


def facts_to_draw(
    store: GraphStore, entity: str = "", hops: int = 1, limit: int = 150, doc_ids: frozenset[str] = ALL
) -> list[Fact]:
    """The neighbourhood of `entity` up to `hops` steps, or the facts between the best connected entities.

    At most `limit` facts, near ones first. Raises InputError where there is nothing to draw.
    """
    found = _around(store, entity, hops, limit, doc_ids) if entity else _best_connected(store, limit, doc_ids)
    if not found:
        near = [match.name for match in store.match_names(entity, 5)] if entity else []
        hint = f"; near names: {', '.join(near)}" if near else ""
        raise InputError(f"nothing to draw: no facts about {entity!r}{hint}" if entity else "the graph has no facts")
    return found


def _around(store: GraphStore, entity: str, hops: int, limit: int, doc_ids: frozenset[str]) -> list[Fact]:
    found: dict[tuple[str, str, str], Fact] = {}
    met, edge = {entity}, [entity]
    for _ in range(hops):
        facts = store.neighbours(edge, limit, doc_ids) if edge else []
        found.update({(fact.id, fact.head, fact.tail): fact for fact in facts})
        edge = sorted({name for fact in facts for name in (fact.head, fact.tail)} - met)
        met.update(edge)
    return list(found.values())[:limit]


def _best_connected(store: GraphStore, limit: int, doc_ids: frozenset[str]) -> list[Fact]:
    facts = list(store.facts(doc_ids))
    degree = Counter(name for fact in facts for name in (fact.head, fact.tail))
    return sorted(facts, key=lambda f: (-min(degree[f.head], degree[f.tail]), f.id))[:limit]


def write_png(facts: Sequence[Fact], path: Path, centre: str = "", title: str = "") -> Path:
    """Draws `facts` as a PNG of 1,800 × 1,350 pixels. Needs the extra `plot`; raises ConfigError without it."""
    figure, networkx, known = _canvas()
    graph = networkx.MultiDiGraph()
    for fact in facts:
        graph.add_edge(fact.head, fact.tail, label=fact.relation)
    places = _places(networkx, networkx.Graph(graph))
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.92))
    axes.set_axis_off()
    axes.set_title(_drawable(title, known), fontfamily=list(FONTS))
    sizes = [60 + 30 * min(graph.degree(name), 20) for name in graph]
    colours = ["#c2410c" if name == centre else "#8fc1d4" for name in graph]
    networkx.draw_networkx_nodes(graph, places, ax=axes, node_size=sizes, node_color=colours)
    arrows = {"edge_color": "#b6c2cf", "arrowsize": 10, "connectionstyle": "arc3,rad=0.08", "node_size": sizes}
    networkx.draw_networkx_edges(networkx.DiGraph(graph), places, ax=axes, **arrows)
    names = {name: _drawable(name, known, 16) for name in graph}
    networkx.draw_networkx_labels(graph, places, names, ax=axes, font_size=9, font_family=list(FONTS))
    _label_edges(networkx, graph, places, axes, known)
    return _saved(path, lambda: figure.savefig(path, dpi=150))


def _places(networkx: Any, graph: Any) -> dict[str, tuple[float, float]]:
    """Each connected part laid out by itself, then set side by side in rows: forces alone would fling them apart."""
    parts = sorted(networkx.connected_components(graph), key=lambda part: (-len(part), min(part)))
    row_width = 1.4 * sum(len(part) for part in parts) ** 0.5
    places: dict[str, tuple[float, float]] = {}
    x = y = height = 0.0
    for part in parts:
        side = len(part) ** 0.5
        if x and x + side > row_width:
            x, y, height = 0.0, y + height, 0.0
        height = max(height, side)
        centre = (x + side / 2, -y - side / 2)
        inner = graph.subgraph(sorted(part))
        force = {"k": 2 / side, "iterations": 200, "seed": 7}
        places.update(networkx.spring_layout(inner, scale=0.42 * side, center=centre, **force))
        x += side
    return places


def _label_edges(networkx: Any, graph: Any, places: Any, axes: Any, known: frozenset[int]) -> None:
    """Relations between the same two in one label, since lines between them lie on each other."""
    labels: dict[tuple[str, str], list[str]] = {}
    for head, tail, data in graph.edges(data=True):
        labels.setdefault((head, tail), []).append(data["label"])
    joined = {ends: _drawable(" / ".join(dict.fromkeys(parts)), known, 24) for ends, parts in labels.items()}
    networkx.draw_networkx_edge_labels(
        networkx.DiGraph(graph),
        places,
        joined,
        ax=axes,
        font_size=6,
        font_color="#566575",
        font_family=list(FONTS),
        connectionstyle="arc3,rad=0.08",
    )


def _canvas() -> tuple[Any, Any, frozenset[int]]:
    """A figure, networkx, and the code points that the fonts can draw."""
    font = japanese_font()
    if font is None:
        raise ConfigError("a PNG needs matplotlib and its Japanese font: install the extra plot, or write .html")
    import networkx
    from matplotlib import font_manager
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ft2font import FT2Font

    font_manager.fontManager.addfont(font)
    paths = [font_manager.findfont(name, fallback_to_default=False) for name in FONTS]
    known = frozenset(code for path in paths for code in FT2Font(path).get_charmap())
    figure = Figure(figsize=(12, 9), facecolor="white")
    FigureCanvasAgg(figure)
    figure.set_layout_engine("none")
    return figure, networkx, known


def _drawable(text: str, known: frozenset[int], longest: int = 40) -> str:
    """One line that the fonts can draw. `$` would start a formula."""
    line = " ".join(text.split())
    line = line if len(line) <= longest else line[: longest - 1] + "…"
    return "".join(c if ord(c) in known else MISSING for c in line).replace("$", r"\$")


def write_html(facts: Sequence[Fact], path: Path, centre: str = "", title: str = "知識グラフ") -> Path:
    """Writes `facts` as one page with everything in it: graph to zoom and search, evidence on a click."""
    folder = files("rag1.graph") / "page"
    # `<` inside the data could end its element; as an escape it is the same to JSON.
    data = json.dumps(_page_data(facts, centre), ensure_ascii=False).replace("<", "\\u003c")
    parts = {
        "title": html.escape(title),
        "status": html.escape(f"{len(facts)} 件の関係"),
        "library": (folder / "cytoscape.min.js").read_text(encoding="utf-8"),
        "script": (folder / "graph.js").read_text(encoding="utf-8"),
        "data": data,
    }
    page = (folder / "graph.html").read_text(encoding="utf-8")
    parts["font"] = font_face(page + data + title + parts["script"] + KANA, "GraphJapanese")
    page = re.sub(r"\{\{(\w+)\}\}", lambda m: parts[m[1]], page)
    return _saved(path, lambda: path.write_text(page, encoding="utf-8", errors="replace"))


def _page_data(facts: Sequence[Fact], centre: str) -> dict[str, Any]:
    degree = Counter(name for fact in facts for name in (fact.head, fact.tail))
    ids = {name: f"n{number}" for number, name in enumerate(degree)}
    nodes = [
        {"id": ids[name], "name": name, "degree": count, "centre": name == centre} for name, count in degree.items()
    ]
    return {"nodes": nodes, "facts": [_edge(number, fact, ids) for number, fact in enumerate(facts)]}


def _edge(number: int, fact: Fact, ids: dict[str, str]) -> dict[str, Any]:
    place = f"{fact.doc_id}:{fact.span[0]}-{fact.span[1]}" if fact.span else fact.doc_id
    ends = {"source": ids[fact.head], "target": ids[fact.tail]}
    words = {"relation": fact.relation, "text": fact.text, "evidence": fact.evidence, "place": place}
    return {"id": f"f{number}", **ends, **words}


def write(facts: Sequence[Fact], path: Path, centre: str = "", title: str = "") -> Path:
    """By the ending of `path`: .png or .html."""
    writers = {".png": write_png, ".html": write_html}
    if path.suffix not in writers:
        raise ConfigError(f"picture {path.name!r} ends in none of {', '.join(writers)}")
    return writers[path.suffix](facts, path, centre, title or centre or "知識グラフ")


def _saved(path: Path, save: Callable[[], object]) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save()
    except OSError as error:
        raise StorageError(f"picture {path}: {error.strerror or error}") from error
    return path
