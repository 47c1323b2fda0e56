"""A real model: ten questions through `llm=local`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rag1.llm.cache import Cache
from rag1.llm.client import Client, Sampling
from rag1.llm.exchange import Patience
from rag1.llm.ledger import Ledger, question_scope
from rag1.llm.local import LocalEndpoint, missing
from rag1.llm.prompts import PromptSet
from rag1.llm.tasks import AnswerFrom, AnswerReply, Passage

pytestmark = [pytest.mark.skipif(bool(missing()), reason=missing() or "here"), pytest.mark.timeout(900)]

PATIENCE = Patience(max_retries=2, attempt_seconds=300, deadline=600)
QUESTIONS = {
    "猫の名前は何ですか。": ("港の時計屋には、こはくという名の三毛猫がいた。", "こはく"),
    "時計屋はどこにありますか。": ("時計屋は、坂の下の港にある。", "港"),
    "店主は何歳ですか。": ("店主の源蔵は七十二歳で、足が悪い。", "七十二|72"),
    "祭りは何月にありますか。": ("町の祭りは毎年八月に行われる。", "八月|8月"),
    "橋を直したのは誰ですか。": ("嵐のあと、大工の辰吉が橋を直した。", "辰吉"),
    "手紙は何色の封筒に入っていましたか。": ("手紙は青い封筒に入っていた。", "青"),
    "少女は何を拾いましたか。": ("少女は浜で銀の鍵を拾った。", "鍵"),
    "船はどこへ向かいましたか。": ("船は夜明けに函館へ向かった。", "函館"),
    "先生の専門は何ですか。": ("先生は星の動きを調べる天文学者だ。", "天文"),
    "パンはいくつ焼けましたか。": ("かまどでパンが五つ焼けた。", "五|5"),
}


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[LocalEndpoint]:
    """One server for all tests; the weights are joined where a run would join them."""
    local = LocalEndpoint(str(root / "outputs/artifacts"), context=2048)
    yield local
    local.close()


@pytest.fixture
def client(endpoint: LocalEndpoint, tmp_path: Path, root: Path) -> Client:
    return Client(
        endpoint,
        "qwen2.5-coder-1.5b-instruct",
        PromptSet(str(root / "conf/prompt/ja")),
        Cache(str(tmp_path)),
        Ledger(str(root / "conf/prices.yaml")),
        sampling=Sampling(seed=0, max_tokens=96),
        max_in_flight=1,
        patience=PATIENCE,
    )


def test_ten_questions_are_answered_from_their_context(client: Client) -> None:
    replies: dict[str, AnswerReply] = {}
    for number, (question, (text, _)) in enumerate(QUESTIONS.items()):
        with question_scope(str(number)):
            replies[question] = client(AnswerFrom(question=question, context=(Passage(id="p", text=text),)))
    right = [q for q, (_, gold) in QUESTIONS.items() if re.search(gold, replies[q].answer)]
    verbatim = [q for q, (text, _) in QUESTIONS.items() if replies[q].evidence and replies[q].evidence in text]
    print(f"\n{len(right)} of 10 hold the expected word, {len(verbatim)} of 10 quote verbatim: {replies}")
    assert len(replies) == 10
    assert all(reply.answer for reply in replies.values())
    assert len(right) >= 7, replies
    assert len(verbatim) >= 7, replies
    total = client.ledger.total()
    assert total.requests == 10
    assert total.attempts >= 10
    assert total.usd == 0.0
    assert total.prompt_tokens > total.completion_tokens > 0
    assert all(client.ledger.of(str(number)).requests == 1 for number in range(10))


def test_a_second_client_takes_the_replies_from_the_cache(client: Client, tmp_path: Path, root: Path) -> None:
    task = AnswerFrom(question="猫の名前は何ですか。", context=(Passage(id="p", text="こはくという猫がいた。"),))
    first = client(task)
    elsewhere = replace(client, endpoint=LocalEndpoint(str(tmp_path / "never started"), context=2048))
    assert elsewhere(task) == first


PARENT = """
import sys, time
from rag1.llm.local import LocalEndpoint
local = LocalEndpoint(sys.argv[1], context=512)
print(local.address(), local._server[-1].process.pid, flush=True)
time.sleep(600)
"""


def test_the_server_dies_with_its_parent_even_by_kill_9(root: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(root / "outputs/artifacts")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as parent:
        assert parent.stdout is not None
        address, pid = parent.stdout.readline().split()
        assert urllib.request.urlopen(f"{address}/health", timeout=30).status == 200
        parent.send_signal(signal.SIGKILL)
    for _ in range(100):
        if not alive(int(pid)):
            break
        time.sleep(0.1)
    assert not alive(int(pid))
    with pytest.raises(OSError, match=r"refused|reset"):  # reset: the dying process had the connection already
        urllib.request.urlopen(f"{address}/health", timeout=5)


def test_a_server_that_died_is_started_again(endpoint: LocalEndpoint) -> None:
    endpoint.address()
    os.kill(endpoint._server[-1].process.pid, signal.SIGKILL)
    endpoint._server[-1].process.wait()
    assert urllib.request.urlopen(f"{endpoint.address()}/health", timeout=30).status == 200


def test_weights_that_are_not_ours_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rag1.errors import ConfigError
    from rag1.llm import local

    part = tmp_path / "part01.bin"
    part.write_bytes(b"other weights")
    monkeypatch.setattr(local, "_parts", lambda: iter([part]))
    with pytest.raises(ConfigError, match="sha256"):
        local.weights(tmp_path / "artifacts")


def alive(pid: int) -> bool:
    """False for a process that is gone, or dead and not yet buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
