"""A real browser for tests of pages: headless Chromium, with no way to the network.

Use: `from tests.browser import page  # noqa: F401` in the conftest of a folder, then take `page` as a fixture.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request, Route, sync_playwright

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
LOCAL = ("file:", "data:", "blob:", "about:", "http://127.0.0.1", "http://localhost")


def chromium() -> str:
    """Path of a Chromium or Chrome: `$CHROMIUM`, else what is on the PATH; skips the test where there is none."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    for found in filter(None, (shutil.which(name) for name in names if name)):
        return found
    pytest.skip("no Chromium here: install the package chromium, or name the program in $CHROMIUM")


@pytest.fixture
def page() -> Iterator[Page]:
    """A fresh page. A request to anywhere outside this machine, or an uncaught script error, fails the test.

    One browser a test: a longer-lived one keeps an event loop running in the test thread, and every later
    `asyncio.run` of the suite would fail.
    """
    outside: list[str] = []
    errors: list[str] = []

    def gate(route: Route, request: Request) -> None:
        if request.url.startswith(LOCAL):
            route.continue_()
        else:
            outside.append(request.url)
            route.abort()

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        try:
            context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="ja-JP")
            context.route("**/*", gate)
            new = context.new_page()
            new.on("pageerror", lambda error: errors.append(str(error)))
            new.set_default_timeout(10_000)
            yield new
        finally:
            browser.close()
    assert not outside, f"the page asked for something outside this machine: {outside}"
    assert not errors, f"uncaught script errors: {errors}"
