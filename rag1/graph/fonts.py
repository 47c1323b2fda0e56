"""The Japanese font of the extra `plot`: where it is, what it can draw, and as much of it as a page needs."""

from __future__ import annotations

import base64
import importlib.util
import io
import logging
from pathlib import Path

JAPANESE = "IPAexGothic"


def japanese_font() -> Path | None:
    """The font's file, or None without the extra. The package is not imported: that would change matplotlib."""
    spec = importlib.util.find_spec("matplotlib_fontja")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "fonts" / "ipaexg.ttf"


def font_face(text: str, family: str) -> str:
    """A CSS `@font-face` with the glyphs of `text` in it, or "" without the extra: then the browser's fonts serve."""
    path = japanese_font()
    if path is None or importlib.util.find_spec("fontTools") is None:
        return ""
    from fontTools import subset  # type: ignore[import-untyped]

    # It tells every table that it drops.
    logging.getLogger("fontTools.subset").setLevel(logging.WARNING)
    options = subset.Options(flavor="woff", notdef_outline=True, ignore_missing_glyphs=True)
    font = subset.load_font(str(path), options)
    try:
        worker = subset.Subsetter(options)
        worker.populate(text="".join(set(text)))
        worker.subset(font)
        packed = io.BytesIO()
        subset.save_font(font, packed, options)
    finally:
        font.close()
    data = base64.b64encode(packed.getvalue()).decode("ascii")
    return f'@font-face {{ font-family: "{family}"; src: url(data:font/woff;base64,{data}) format("woff"); }}'
