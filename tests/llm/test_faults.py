"""Every way an endpoint fails, over real HTTP: what the caller gets, and how many requests it cost."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag1.errors import AuthError, CallFailed, Deadline, ProviderError, RateLimited, UnreadableReply
from rag1.llm.client import Client
from rag1.llm.http import HttpEndpoint
from rag1.llm.ledger import question_scope
from rag1.llm.wire import clean, retry_after
from tests.fake_llm import EVERY, FakeLlm, Plan, cut, drip, hang, raw, says, status

from .conftest import QUICK, ask

Make = Callable[..., Client]
GOOD = "「Q」の答え"
ATTEMPTS = 1 + QUICK.max_retries


# --- 429 -------------------------------------------------------------------------------------------------


def test_a_429_waits_as_long_as_retry_after_says(client_for: Make) -> None:
    with FakeLlm({"Q": [status(429, "2")]}) as fake:
        assert client_for(fake)(ask("Q")).answer == GOOD
        assert 2.0 <= fake.log[1].at - fake.log[0].at < 2.6


def test_a_429_with_an_http_date_waits_until_then(client_for: Make) -> None:
    with FakeLlm({"Q": [status(429, formatdate(time.time() + 2, usegmt=True))]}) as fake:
        assert client_for(fake)(ask("Q")).answer == GOOD
        assert 0.9 <= fake.log[1].at - fake.log[0].at < 2.6  # a date has whole seconds


@pytest.mark.parametrize("nonsense", ["soon", "-1", "nan", "inf", ""])
def test_a_429_with_a_senseless_wait_backs_off_by_our_own_measure(client_for: Make, nonsense: str) -> None:
    with FakeLlm({"Q": [status(429, nonsense)]}) as fake:
        assert client_for(fake)(ask("Q")).answer == GOOD
        assert fake.log[1].at - fake.log[0].at < 0.5


@pytest.mark.parametrize("none", ["0", "Wed, 21 Oct 2015 07:28:00 GMT", "-7"])
def test_a_retry_after_of_nothing_does_not_burn_all_attempts_at_once(client_for: Make, none: str) -> None:
    with FakeLlm({"Q": [status(429, none).forever()]}) as fake:
        with pytest.raises(CallFailed):
            client_for(fake, patience=replace(QUICK, first_backoff=0.5))(ask("Q"))
        assert fake.asked() == ATTEMPTS
        # Full jitter from a tenth of 0.5, 1 and 2 s up: 0.35 s at least.
        assert fake.log[-1].at - fake.log[0].at >= 0.35


@pytest.mark.parametrize("long", ["1e9", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_wait_of_years_stops_the_run_too(client_for: Make, long: str) -> None:
    with FakeLlm({"Q": [status(429, long)]}) as fake:
        with pytest.raises(RateLimited, match="resume the run later"):
            client_for(fake)(ask("Q"))
        assert fake.asked() == 1


def test_a_wait_over_the_cap_stops_the_run_after_one_request(client_for: Make) -> None:
    with FakeLlm({EVERY: [status(429, "130").forever()]}) as fake:
        client = client_for(fake)
        with pytest.raises(RateLimited, match=r"130 s.*resume") as stopped:
            client(ask("Q"))
        with pytest.raises(RateLimited):
            client(ask("another"))
        assert fake.asked() == 1
        assert stopped.value.exit_code == 3


def test_retry_after_reads_seconds_dates_and_nothing_else() -> None:
    assert retry_after({"Retry-After": "7"}) == 7.0
    assert retry_after({"Retry-After": "Wed, 01 Jan 2025 00:00:10 GMT"}, now=1735689600.0) == 10.0
    assert retry_after({"Retry-After": "Wed, 01 Jan 2025 00:00:00 GMT"}, now=1735689605.0) == 0.0
    assert retry_after({"retry-after-ms": "250"}) == 0.25
    assert retry_after({"retry-after-ms": "soon", "Retry-After": "7"}) == 7.0
    assert retry_after({"Retry-After": "9" * 400}) is None
    assert retry_after({"Retry-After": "Sunday, 06-Nov-94 08:49:37 GMT"}) == 0.0
    assert retry_after({}) is None


# --- what no attempt can mend ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "refusal",
    [
        status(401, message="Incorrect API key provided: sk-secret-12345"),
        status(403),
        status(404, message="no such model"),
        status(405),
        status(501, message="This server does not support completions"),
        Plan(301, {"Location": "https://elsewhere/v1"}),
        Plan(429, body=b'{"message": "You exceeded your quota", "type": "insufficient_quota"}'),
        status(429, "1", kind="insufficient_quota"),
    ],
)
def test_a_wrong_key_model_or_quota_costs_one_request_though_many_wait(
    client_for: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, refusal: object
) -> None:
    monkeypatch.setenv("FAKE_KEY", "sk-secret-12345")
    caplog.set_level(logging.DEBUG)
    with FakeLlm({EVERY: [refusal.forever()]}, latency=0.1) as fake:  # type: ignore[attr-defined]
        client = client_for(fake, key_env="FAKE_KEY")
        with ThreadPoolExecutor(8) as workers:
            errors = [each.exception() for each in [workers.submit(client, ask(f"Q{n}")) for n in range(8)]]
        assert fake.asked() == 1
        assert fake.log[0].headers["authorization"] == "Bearer sk-secret-12345"
    assert {type(error) for error in errors} == {AuthError}
    assert errors[0].exit_code == 3  # type: ignore[union-attr]
    assert "sk-secret" not in "".join(map(str, errors)) + caplog.text + repr(client)


# --- 5xx and the network ---------------------------------------------------------------------------------


def test_500_twice_is_answered_at_the_third_attempt(client_for: Make) -> None:
    with FakeLlm({"Q": [status(500), status(500)]}) as fake:
        assert client_for(fake)(ask("Q")).answer == GOOD
        assert fake.asked("Q") == 3


def test_500_always_for_one_question_fails_it_and_no_other(client_for: Make) -> None:
    with FakeLlm({"Q": [status(500).forever()]}) as fake:
        client = client_for(fake)
        with pytest.raises(CallFailed, match=f"{ATTEMPTS} attempts: 500"):
            client(ask("Q"))
        assert client(ask("R")).answer == "「R」の答え"
        assert fake.asked("Q") == ATTEMPTS


def test_500_always_fails_every_call_after_its_attempts(client_for: Make) -> None:
    with FakeLlm({EVERY: [status(500).forever()]}) as fake:
        client = client_for(fake)
        for question in "ABC":
            with pytest.raises(CallFailed):
                client(ask(question))
        assert fake.asked() == 3 * ATTEMPTS


def test_a_hanging_endpoint_ends_by_the_deadline(client_for: Make) -> None:
    with FakeLlm({"Q": [hang()]}) as fake:
        client = client_for(fake, patience=replace(QUICK, deadline=2.0, attempt_seconds=1.2))
        began = time.monotonic()
        with pytest.raises(ProviderError), question_scope("1"):
            client(ask("Q"))
        assert 1.9 < time.monotonic() - began < 3.0
        assert client.ledger.total().maybe_paid == client.ledger.total().attempts == 2


def test_a_reply_that_drips_longer_than_the_deadline_is_cut_off(client_for: Make) -> None:
    with FakeLlm({"Q": [drip(60)]}) as fake:
        began = time.monotonic()
        with pytest.raises(ProviderError):
            client_for(fake, patience=replace(QUICK, deadline=1.5))(ask("Q"))
        assert time.monotonic() - began < 2.5


def test_a_refused_connection_fails_after_its_attempts_and_cost_nothing(client_for: Make) -> None:
    with FakeLlm() as fake:
        pass
    client = client_for(fake)
    with pytest.raises(CallFailed, match=rf"{ATTEMPTS} attempts: no connection"):
        client(ask("Q"))
    assert client.ledger.total().maybe_paid == 0


def test_a_black_hole_ends_by_the_deadline(client_for: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as hole:
        hole.bind(("127.0.0.1", 0))
        hole.listen(0)
        url = f"http://127.0.0.1:{hole.getsockname()[1]}/v1"
        with FakeLlm() as fake:
            client = client_for(fake, endpoint=HttpEndpoint(url), patience=replace(QUICK, deadline=1.5))
        began = time.monotonic()
        with pytest.raises(ProviderError):
            client(ask("Q"))
        assert time.monotonic() - began < 2.5


def test_a_body_that_is_cut_is_asked_again_and_counted_as_maybe_paid(client_for: Make) -> None:
    with FakeLlm({"Q": [cut()]}) as fake:
        client = client_for(fake)
        assert client(ask("Q")).answer == GOOD
        assert (client.ledger.total().attempts, client.ledger.total().maybe_paid) == (2, 1)


# --- a 200 that is none ----------------------------------------------------------------------------------

NO_REPLY = {
    "half a JSON text": raw('{"choices": [{"message": {"con'),
    "HTML": raw("<html><body>502 Bad Gateway</body></html>"),
    "nothing": raw(b""),
    "an error body": raw({"error": {"message": "overloaded", "code": 503}}),
    "an error without a code": raw({"error": "overloaded"}),
    "choices null": raw({"choices": None}),
    "choices empty": raw({"choices": []}),
    "a list": raw([]),
    "no message": raw({"choices": [{"finish_reason": "stop"}]}),
    "an event stream": raw('data: {"choices": [{"delta": {"content": "A"}}]}\n\ndata: [DONE]\n\n'),
    "embeddings": raw({"object": "list", "data": [{"index": 0, "embedding": [1.0, 2.0]}]}),
    "a reply that broke off": says('{"answer": "東"}', finish="error"),
    "a choice with an error": raw({"choices": [{"message": {"content": '{"answer": "東"}'}, "error": {"code": 502}}]}),
    "a number too long to read": says('{"answer": ' + "1" * 5000 + "}"),
    "content null": says(None),
    "content blank": says("  \n"),
}


@pytest.mark.parametrize("fault", NO_REPLY.values(), ids=NO_REPLY)
def test_a_200_without_a_reply_is_asked_again_and_never_cached(client_for: Make, fault: object) -> None:
    with FakeLlm({"Q": [fault], "never": [fault.forever()]}) as fake:  # type: ignore[attr-defined,list-item]
        client = client_for(fake)
        with pytest.raises(ProviderError):
            client(ask("never"))
        assert fake.asked("never") == ATTEMPTS
        with pytest.raises(ProviderError):
            client(ask("never"))
        assert fake.asked("never") == 2 * ATTEMPTS, "a failure was taken from the cache"
        assert client(ask("Q")).answer == GOOD


@pytest.mark.parametrize(
    "refusal",
    [
        says(None, refusal="お答えできません"),
        says("", finish="content_filter"),
        status(400, kind="content_filter", message="The response was filtered"),
    ],
)
def test_a_refusal_is_a_failure_of_one_request_never_cached(client_for: Make, refusal: object) -> None:
    with FakeLlm({"Q": [refusal]}) as fake:  # type: ignore[list-item]
        client = client_for(fake)
        with pytest.raises(CallFailed, match=r"お答えできません|content filter|filtered"):
            client(ask("Q"))
        assert fake.asked() == 1
        assert client(ask("Q")).answer == GOOD


@pytest.mark.parametrize("finish", ["length", "max_tokens", "MAX_TOKENS"])
def test_a_reply_cut_at_max_tokens_is_never_passed_as_whole(client_for: Make, finish: str) -> None:
    whole_by_chance = '{"answer": "東京", "evidence": ""}'
    with FakeLlm({"Q": [says(whole_by_chance, finish=finish)]}) as fake:
        client = client_for(fake)
        with pytest.raises(UnreadableReply, match="cut at max_tokens") as failure:
            client(ask("Q"))
        assert failure.value.raw == whole_by_chance
        assert fake.asked() == 1
        assert client(ask("Q")).answer == GOOD, "the cut reply was taken from the cache"


def test_an_unreadable_reply_is_shown_to_the_model_with_its_error(client_for: Make) -> None:
    with FakeLlm({"Q": [says('{"answer": "とちゅ')]}) as fake:
        assert client_for(fake)(ask("Q")).answer == GOOD
        shown = fake.log[1].body["messages"][-2:]
    assert shown[0] == {"role": "assistant", "content": '{"answer": "とちゅ'}
    assert "AnswerReply" in shown[1]["content"]


def test_a_reply_that_stays_unreadable_is_a_failure_with_its_text_not_an_abstention(client_for: Make) -> None:
    with FakeLlm({"Q": [says("それは東京です").forever()]}) as fake:
        with pytest.raises(UnreadableReply) as failure:
            client_for(fake)(ask("Q"))
        assert failure.value.raw == "それは東京です"
        assert fake.asked() == ATTEMPTS


# --- text that breaks files ------------------------------------------------------------------------------


def test_surrogates_nul_and_ansi_do_not_reach_the_answer(client_for: Make) -> None:
    dirty = '{"answer": "\\ud83d東\\u0000京\\u001b[31m赤\\u001b[0m", "evidence": ""}'
    with FakeLlm({"Q": [says(dirty)]}) as fake:
        reply = client_for(fake)(ask("Q"))
    assert reply.answer == "\ufffd東京赤"
    assert reply.answer.encode("utf-8")


@pytest.mark.parametrize(
    "odd", [{"finish": "\ud800"}, {"tool_calls": [{"id": "\ud800", "function": {"name": "f", "arguments": "\ud83d"}}]}]
)
def test_surrogates_outside_the_text_do_not_stop_the_cache(client_for: Make, odd: dict[str, Any]) -> None:
    with FakeLlm({"Q": [says('{"answer": "東京"}', **odd)]}) as fake:
        for _ in range(2):
            assert client_for(fake)(ask("Q")).answer == "東京"
        assert fake.asked() == 1


def test_five_megabytes_of_text_are_read_or_refused_in_bounded_time(client_for: Make) -> None:
    long = "長" * (5 * 2**20 // 3)
    with FakeLlm({"whole": [says(json.dumps({"answer": long}))], "prose": [says(long).forever()]}) as fake:
        client = client_for(fake, patience=replace(QUICK, max_retries=1, deadline=30, attempt_seconds=10))
        began = time.process_time()
        assert client(ask("whole")).answer == long
        with pytest.raises(UnreadableReply):
            client(ask("prose"))
        assert time.process_time() - began < 10


@given(st.text())
def test_cleaned_text_can_always_be_written(text: str) -> None:
    cleaned = clean(text + "\x1b[0m\x00\ud800")
    assert cleaned.encode("utf-8")
    assert "\x00" not in cleaned
    assert "\x1b" not in cleaned


# --- all at once -----------------------------------------------------------------------------------------


def test_a_thousand_questions_with_thirty_per_cent_faults_give_a_thousand_answers(client_for: Make) -> None:
    faults = [status(500), status(429, "0"), raw("<html>"), cut(), says(None), says('{"answer": "と')]
    plans = {f"Q{n}": [faults[n % len(faults)]] for n in range(1000) if n % 10 < 3}
    threads = threading.active_count()
    with FakeLlm(plans, latency=0.002) as fake:
        client = client_for(fake, max_in_flight=16, patience=replace(QUICK, deadline=60, attempt_seconds=20))
        with ThreadPoolExecutor(24) as workers:
            answers = list(workers.map(lambda n: client(ask(f"Q{n}")).answer, range(1000)))
        assert answers == [f"「Q{n}」の答え" for n in range(1000)]
        assert fake.asked() == 1000 + len(plans)
        assert fake.peak <= 16
    assert threading.active_count() <= threads + 2, "threads were left behind"  # the cache's writer, the HTTP loop
    assert len(client.cache) == 1001  # and the format that was probed


def test_attempts_over_all_layers_never_exceed_one_plus_max_retries(client_for: Make) -> None:
    mixed = [status(400, message="response_format is unknown"), status(500), cut(), says("読めない").forever()]
    with FakeLlm({"Q": mixed}) as fake:
        with pytest.raises(ProviderError):
            client_for(fake)(ask("Q"))
        assert fake.asked() == ATTEMPTS


def test_a_question_s_deadline_bounds_all_its_calls(client_for: Make) -> None:
    from rag1.llm.deadline import deadline_scope

    with FakeLlm({EVERY: [hang()]}) as fake:
        client, began = client_for(fake), time.monotonic()
        with deadline_scope(0.5), pytest.raises(Deadline):
            client(ask("Q"))
        assert time.monotonic() - began < 1.5
