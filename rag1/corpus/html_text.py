"""HTML to plain text: the main part of a page, its headings, links and ruby readings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PreformattedString, Tag

DROPPED = (
    "script", "style", "noscript", "template", "svg", "iframe", "form", "button", "nav", "header", "footer", "aside",
    "rt", "rp",
)  # fmt: skip
BLOCKS = frozenset(
    {
        "address", "article", "blockquote", "body", "br", "caption", "dd", "details", "div", "dl", "dt", "figcaption",
        "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "main", "ol", "p", "pre", "section", "summary",
        "table", "tbody", "tfoot", "thead", "tr", "ul",
    }
)  # fmt: skip
CELLS = frozenset({"td", "th"})
MAIN = ("main", "[role=main]", "article")


@dataclass(frozen=True)
class PageText:
    """`headings` are (level 1 to 6, title, start, end) in `text`; `links` are (words, target address, target title)."""

    title: str
    text: str
    headings: tuple[tuple[int, str, int, int], ...]
    links: tuple[tuple[str, str, str], ...]
    readings: dict[str, tuple[str, ...]] = field(default_factory=dict)


def read_html(markup: str, dropped: str = "") -> PageText:
    """The page's main part as text: a line a block, white space closed up. `dropped`: a CSS selector of what else goes.

    The main part is the one `main` or `article` of the page where there is exactly one, else its body.
    """
    soup = BeautifulSoup(markup, "html.parser")
    title = _words(soup.title) if soup.title else ""
    readings = _readings(soup)
    for tag in soup.find_all(DROPPED) + (soup.select(dropped) if dropped else []):
        tag.decompose()
    root = _main(soup)
    if not title and (first := root.find("h1")):
        title = _words(first)
    writer = _Writer()
    writer.walk(root)
    links = tuple((_words(a), str(a["href"]), str(a.get("title", ""))) for a in root.find_all("a", href=True))
    return PageText(title, writer.text, tuple(writer.headings), tuple(link for link in links if link[0]), readings)


def _main(soup: BeautifulSoup) -> Tag:
    for selector in MAIN:
        found = soup.select(selector)
        if len(found) == 1:
            return found[0]
    return soup.body or soup


def _words(tag: Tag) -> str:
    return " ".join(tag.get_text().split())


def _readings(soup: BeautifulSoup) -> dict[str, tuple[str, ...]]:
    """Base to its readings, from <ruby>."""
    found: dict[str, dict[str, None]] = {}
    for ruby in soup.find_all("ruby"):
        reading = "".join(_words(rt) for rt in ruby.find_all("rt"))
        base = "".join(s for s in ruby.strings if not s.find_parent(["rt", "rp"])).strip()
        if base and reading:
            found.setdefault(base, {})[reading] = None
    return {base: tuple(readings) for base, readings in found.items()}


class _Writer:
    """Collects text in document order, without recursion: pages nest as deep as they like."""

    def __init__(self) -> None:
        self.lines: list[str] = [""]
        self.length = 0
        self.headings: list[tuple[int, str, int, int]] = []

    @property
    def text(self) -> str:
        return "\n".join(line for line in self.lines if line)

    def walk(self, root: Tag) -> None:
        stack: list[tuple[Tag | NavigableString, bool]] = [(root, False)]
        while stack:
            node, leaving = stack.pop()
            if isinstance(node, NavigableString):
                if not isinstance(node, PreformattedString):
                    self._write(str(node))
                continue
            self._mark(node, leaving)
            if not leaving:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(_children(node)))

    def _mark(self, tag: Tag, leaving: bool) -> None:
        if tag.name in CELLS and leaving and self.lines[-1]:
            self.lines[-1] += "　"
        if tag.name not in BLOCKS:
            return
        if leaving and re.fullmatch("h[1-6]", tag.name) and self.lines[-1].strip():
            title = self.lines[-1].strip()
            self.headings.append((int(tag.name[1]), title, self.length, self.length + len(title)))
        self._end_line()

    def _write(self, text: str) -> None:
        line = self.lines[-1] + re.sub(r"[ \t\r\n\f]+", " ", text)
        self.lines[-1] = line.lstrip(" ") if not self.lines[-1] else line

    def _end_line(self) -> None:
        line = re.sub(" +", " ", self.lines[-1]).strip(" 　")
        self.lines[-1] = line
        if line:
            self.length += len(line) + 1
            self.lines.append("")


def _children(tag: Tag) -> list[Tag | NavigableString]:
    return [child for child in tag.children if isinstance(child, Tag | NavigableString)]
