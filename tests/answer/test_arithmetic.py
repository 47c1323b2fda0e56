"""Arithmetic without running anything: agrees with Python on numbers, refuses the rest, and cannot be stalled."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag1.answer.arithmetic import evaluate
from rag1.errors import InputError

NUMBERS = st.integers(0, 999).map(str) | st.decimals("0.01", "99", places=2).map(str)
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
    max_leaves=6,
)


@given(EXPRESSIONS)
def test_it_agrees_with_python(text: str) -> None:
    if len(text) <= 200:
        assert evaluate(text) == eval(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(1903 - 1868) * 2", 70),
        ("７÷２", 3.5),
        ("2^10", 1024),
        ("max(3, 8) - abs(-2)", 6),
        ("-5 // 2", -3),
        ("12 × 3 =", 36),
    ],
)
def test_japanese_signs_and_a_few_functions(text: str, value: float) -> None:
    assert evaluate(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "", "1 +", "__import__('os').system('ls')", "open('x')", "(1).__class__", "[1, 2]", "'a' * 9", "True + 1",
        "lambda: 1", "x", "1 if 1 else 2", "min(x=1)", "1 / 0", "1 << 9", "(-8) ** 0.5", "max('a')", "pow(2, 3)",
    ],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        evaluate(text)


@pytest.mark.parametrize(
    "text", ["9**9**9", "10**1000", "(2**400)**400", "9" * 199, "(" * 150 + "1", "1e308*10**99*1e308"]
)
def test_large_numbers_stall_nothing(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(InputError):
        evaluate(text)
    assert time.process_time() - start < 0.5
