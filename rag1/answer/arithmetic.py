"""Arithmetic on a text, without running it: numbers, + - * / // % **, brackets, and a few functions."""

from __future__ import annotations

import ast
import operator
import unicodedata
from collections.abc import Callable, Mapping

from rag1.errors import InputError

Number = int | float
MOST_LETTERS = 200
MOST_DIGITS = 200
"""Decimal digits of the largest number that is worked with: 9 ** 9 ** 9 would take the machine."""

_BINARY: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_SIGNS: Mapping[type[ast.unaryop], Callable[[Number], Number]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
_FUNCTIONS: Mapping[str, Callable[..., Number]] = {"abs": abs, "min": min, "max": max, "round": round}
_JAPANESE = str.maketrans({"×": "*", "÷": "/", "−": "-", "ー": "-", "、": ",", "^": "*"})


def evaluate(text: str) -> Number:
    """The value of an expression. Raises InputError for anything but arithmetic, and for numbers that grow too big."""
    plain = unicodedata.normalize("NFKC", text).replace("^", "**").translate(_JAPANESE).strip().rstrip("=")
    if not plain or len(plain) > MOST_LETTERS:
        raise InputError(f"an expression of {len(plain)} characters: give 1 to {MOST_LETTERS}")
    try:
        return _value(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError) as fault:
        raise InputError(f"{text!r} is no arithmetic: write it like (3 + 4) * 2") from fault
    except (ZeroDivisionError, OverflowError) as fault:
        raise InputError(f"{text!r}: {fault}") from fault


def _value(node: ast.expr) -> Number:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return _bounded(node.value)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_value(node.operand))
    if isinstance(node, ast.BinOp):
        return _bounded(_binary(node.op, _value(node.left), _value(node.right)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords and node.args:
        function = _FUNCTIONS.get(node.func.id)
        if function:
            return _called(node.func.id, function, [_value(argument) for argument in node.args])
    raise InputError(f"{ast.unparse(node)[:60]!r} is no arithmetic: numbers, + - * / // % **, abs, min, max, round")


def _binary(kind: ast.operator, left: Number, right: Number) -> Number:
    if isinstance(kind, ast.Pow):
        if abs(right) > MOST_DIGITS or abs(left) > 10**MOST_DIGITS or len(str(abs(left))) * abs(right) > MOST_DIGITS:
            raise InputError(f"{left} ** {right} is too large: at most {MOST_DIGITS} digits")
        power = left**right
        if isinstance(power, complex):
            raise InputError(f"{left} ** {right} is no real number")
        return float(power) if isinstance(power, float) else int(power)
    return _BINARY[type(kind)](left, right) if type(kind) in _BINARY else _no(kind)


def _no(kind: ast.operator) -> Number:
    raise InputError(f"the operator {type(kind).__name__} is no arithmetic")


def _called(name: str, function: Callable[..., Number], arguments: list[Number]) -> Number:
    try:
        return function(*arguments) if len(arguments) > 1 or name in ("abs", "round") else arguments[0]
    except TypeError as fault:
        raise InputError(f"{name}: {fault}") from fault


def _bounded(number: Number) -> Number:
    if isinstance(number, int) and abs(number) >= 10**MOST_DIGITS:
        raise InputError(f"a number of over {MOST_DIGITS} digits")
    return number
