"""A budget holds over all starts of a run: what the first one spent counts for the second."""

from __future__ import annotations

from pathlib import Path

from tests.app.command import run
from tests.fake_llm import FakeLlm

CALL = 110
"""Tokens of a reply of the fake endpoint."""


def test_a_resumed_run_goes_on_counting(tmp_path: Path) -> None:
    folder, outputs = tmp_path / "run", tmp_path / "outputs"
    with FakeLlm() as fake:
        endpoint = ["llm=custom", f"llm.endpoint.base_url={fake.base_url}", "pipeline=bm25", "limit=5"]
        first = run(
            *endpoint,
            f"budget.tokens={2 * CALL + 1}",
            "executor.workers=1",
            "cache=off",
            f"hydra.run.dir={folder}",
            outputs=outputs,
        )
        assert (first.returncode, fake.asked()) == (1, 3), first.stderr
        assert f"budget.tokens={2 * CALL + 1} is used up ({3 * CALL})" in first.stderr
        same = run(f"resume={folder}", outputs=outputs)
        assert (same.returncode, fake.asked()) == (1, 3), same.stderr
        raised = run(f"resume={folder}", f"budget.tokens={3 * CALL + 1}", outputs=outputs)
        assert (raised.returncode, fake.asked()) == (1, 4), raised.stderr
        assert f"is used up ({4 * CALL})" in raised.stderr
        done = run(f"resume={folder}", f"budget.tokens={5 * CALL}", outputs=outputs)
        assert (done.returncode, fake.asked()) == (0, 5), done.stderr
