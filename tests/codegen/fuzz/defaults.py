"""Draw defaults that fit a field's type and constraints, as TOML writes them."""

from __future__ import annotations

import base64
import datetime as dt
from typing import Any

from hypothesis import strategies as st

from tests.codegen.fuzz.texts import TEXTS

__all__ = ["SCALAR_DEFAULTS", "WIDTHS", "duration", "whole"]

WIDTHS: dict[str, tuple[int, int]] = {
    "int": (-(2**63), 2**63 - 1),
    **{f"i{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
}


def whole(kind: str, low: int | None = None, high: int | None = None) -> st.SearchStrategy[int]:
    """Draw an integer of a width, within narrower bounds if there are any."""
    least, most = WIDTHS[kind]
    return st.integers(least if low is None else max(least, low), most if high is None else min(most, high))


def duration(span: dt.timedelta) -> str:
    """Write a span of time as ISO 8601 does."""
    sign, span = ("-", -span) if span < dt.timedelta(0) else ("", span)
    return f"{sign}P{span.days}DT{span.seconds}.{span.microseconds:06}S"


def _decimal_text(value: Any) -> str:
    return str(value)


SCALAR_DEFAULTS: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "str": TEXTS,
    "bytes": st.binary(max_size=20).map(lambda data: base64.b64encode(data).decode()),
    "UUID": st.uuids().map(str),
    "Decimal": st.decimals(-(10**9), 10**9, places=3).map(_decimal_text),
    "datetime": st.datetimes(timezones=st.just(dt.UTC)),
    "naive_datetime": st.datetimes(),
    "date": st.dates(),
    "time": st.times(),
    "timedelta": st.timedeltas(dt.timedelta(days=-(10**6)), dt.timedelta(days=10**6)).map(duration),
    **{kind: whole(kind) for kind in WIDTHS},
}
