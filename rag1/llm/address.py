"""What a person writes of an endpoint, checked before anything is sent: its address, its headers, its key, and the
proxy on the way to it."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.request import getproxies, proxy_bypass

from dotenv import dotenv_values, find_dotenv
from yarl import URL

from rag1.errors import ConfigError

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A header's name (RFC 9110, 5.6.2)."""

CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def checked_url(text: str) -> str:
    """The address without a slash at its end. Raises ConfigError for one that no request can go to."""
    url = _url(text)
    if url is None or url.scheme not in ("http", "https") or not url.host or re.search(r"\s", text.strip()):
        raise ConfigError(f"llm.endpoint.base_url {_shown(text)!r} is not an http(s) address; set the endpoint's")
    if url.user is not None or url.password is not None:
        raise ConfigError(f"llm.endpoint.base_url {_shown(text)!r} holds a password; name its variable in key_env")
    if url.query_string or url.fragment:
        raise ConfigError(f"llm.endpoint.base_url {_shown(text)!r} must end before any ? or #; paths are added to it")
    return text.strip().rstrip("/").removesuffix("/chat/completions")


def _url(text: str) -> URL | None:
    try:
        url = URL(text.strip())
        if (url.host or "").isascii():
            (url.host or "").encode("idna")  # a label that is empty or over 63 characters
    except ValueError:
        return None
    return url


def _shown(text: str) -> str:
    return re.sub(r"//[^/@]*@", "//…@", text).partition("?")[0]


def checked_headers(headers: Mapping[str, object]) -> dict[str, str]:
    """Headers as they can be sent; numbers stand for their text. Raises ConfigError, values unsaid."""
    for name, value in headers.items():
        if not TOKEN.fullmatch(str(name)):
            raise ConfigError(f"llm.endpoint.headers: {str(name)!r} is no header's name; ASCII letters, digits and -")
        if isinstance(value, bool) or not isinstance(value, str | int | float) or CONTROL.search(str(value)):
            raise ConfigError(f"llm.endpoint.headers.{name}: its value must be one line of text")
    return {str(name): str(value) for name, value in headers.items()}


def checked_key(name: str, value: str) -> str:
    """A key without blanks around it. Raises ConfigError for one that no header can hold; never shows it."""
    key = value.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(f"{name} holds what no key does (a blank, a line end, a wide letter); copy the key anew")
    return key


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address; none for this machine itself, which no proxy can reach."""
    target = URL(url)
    host = target.host or ""
    if host == "localhost" or host.endswith(".localhost") or _is_loopback(host):
        return None
    proxy = getproxies().get(target.scheme)
    if not proxy or proxy_bypass(f"{host}:{target.port}"):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    found = _url(proxy)
    if found is None or found.scheme not in ("http", "https") or not found.host:
        raise ConfigError(f"{target.scheme}_proxy={_shown(proxy)} is not an http proxy; correct it, or unset it")
    return proxy


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def variable(name: str) -> str:
    """An environment variable's value, else that of its line in `.env` (here or in a folder above); empty for none."""
    return os.environ.get(name) or dotenv().get(name, "")


def export_dotenv() -> None:
    """Puts the lines of `.env` into the environment where that lacks them: configs (`${oc.env:…}`) and foreign
    classes look nowhere else. A file that cannot be read is told by whoever needs a key of it."""
    with suppress(ConfigError):
        for name, value in dotenv().items():
            if not os.environ.get(name):
                os.environ[name] = value


def dotenv() -> dict[str, str]:
    """The lines of `.env`. Raises ConfigError where it is not UTF-8."""
    path = find_dotenv(usecwd=True)
    if not path or not Path(path).is_file():
        return {}
    try:
        return {name: value for name, value in dotenv_values(path, encoding="utf-8-sig").items() if value}
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8; save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; make it readable, or set the variables yourself") from error
