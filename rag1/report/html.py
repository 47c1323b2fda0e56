"""One self-contained HTML file: data, style and script inside, nothing from elsewhere, nothing of the data run."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).parent / "assets"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '{style_hash}'; \
script-src '{script_hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<noscript>This page shows its data with a script of its own; switch JavaScript on.</noscript>
<main id="page"></main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def write_html(path: Path, title: str, script: str, data: Mapping[str, Any]) -> Path:
    """Writes the page of `assets/{script}.js` over `data`. The policy allows that script and style by hash alone."""
    style = (ASSETS / "style.css").read_text(encoding="utf-8")
    code = "\n".join((ASSETS / f"{name}.js").read_text(encoding="utf-8") for name in ("parts", script))
    page = _PAGE.format(
        style_hash=_hash(style),
        script_hash=_hash(code),
        title=html.escape(title),
        style=style,
        data=embedded(data),
        script=code,
    )
    path.write_text(page, encoding="utf-8", errors="replace")
    return path


def embedded(data: Mapping[str, Any]) -> str:
    """JSON that can end neither its script element nor a line of JavaScript, whatever text is in it."""
    text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _finite(value: Any) -> Any:
    """NaN and infinities become null: a browser's JSON has neither, and one of them would blank the page."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
