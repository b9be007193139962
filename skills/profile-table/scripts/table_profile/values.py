"""What a single value is: nothing, a number, a date, a truth value or text."""

from __future__ import annotations

import datetime
import re
from typing import Any, NamedTuple, Optional

# Written by people and programs where there is no value; compared in lower case.
MISSING_WORDS = frozenset(["na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "--", "?", "."])
TRUTH_WORDS = frozenset(["true", "false", "yes", "no"])

INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})\Z", re.ASCII)
NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})?\.?\d{1,18}(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)
# Leading zeros are lost when such a value is read as a number: postcodes, account and article numbers.
CODE = re.compile(r"0\d{1,30}\Z", re.ASCII)
DATE_FORMS = (
    ("YYYY-MM-DD", re.compile(r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})\Z", re.ASCII)),
    ("DD.MM.YYYY", re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})\Z", re.ASCII)),
    ("YYYY/MM/DD", re.compile(r"(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})\Z", re.ASCII)),
)
SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})\Z", re.ASCII)
TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?\Z", re.ASCII
)


class Value(NamedTuple):
    """A value and its kind: missing, integer, number, boolean, date, time, code, text, list or object."""

    kind: str
    text: str
    number: Optional[float] = None
    # How a date is written, or which word stands for a missing value.
    form: Optional[str] = None


def value_of_text(text: str) -> Value:
    """A cell of a CSV file, which is always text."""
    trimmed = text.strip()
    lowered = trimmed.lower() if len(trimmed) <= 5 else ""
    if trimmed == "":
        return Value("missing", text, form="empty")
    if lowered in MISSING_WORDS:
        return Value("missing", text, form=trimmed)
    if INTEGER.match(trimmed):
        return Value("integer", text, float(trimmed))
    if CODE.match(trimmed):
        return Value("code", text)
    if NUMBER.match(trimmed):
        return Value("number", text, float(trimmed))
    if lowered in TRUTH_WORDS:
        return Value("boolean", text)
    return _date_or_text(text, trimmed)


def value_of_json(value: Any, text: str) -> Value:
    """A value of a JSON document, which has a kind already; `text` is how it is shown."""
    if value is None:
        return Value("missing", text, form="null")
    if isinstance(value, bool):
        return Value("boolean", text)
    if isinstance(value, int):
        # Beyond what a float holds there is nothing to compare with.
        return Value("integer", text, float(value)) if abs(value) < 1e300 else Value("integer", text)
    if isinstance(value, float):
        return Value("number", text, value)
    if isinstance(value, list):
        return Value("list", text)
    if isinstance(value, dict):
        return Value("object", text)
    if value.strip() == "":
        return Value("missing", text, form="empty")
    return _date_or_text(value, value.strip())


def _date_or_text(text: str, trimmed: str) -> Value:
    if len(trimmed) > 40 or not trimmed[0].isdigit():
        return Value("text", text)
    timed = TIME.match(trimmed)
    if timed:
        return Value("time", text, form="ISO 8601") if _is_date(*_numbers(timed[1])) else Value("text", text)
    for form, pattern in DATE_FORMS:
        found = pattern.match(trimmed)
        if found:
            year, month, day = int(found["y"]), int(found["m"]), int(found["d"])
            return Value("date", text, form=form) if _is_date(year, month, day) else Value("text", text)
    slashed = SLASHED.match(trimmed)
    if slashed:
        return _slashed_date(text, int(slashed[1]), int(slashed[2]), int(slashed[3]))
    return Value("text", text)


def _numbers(date: str) -> tuple:
    return tuple(int(part) for part in date.split("-"))


# 3/4/2025 is in March or in April; only a part above 12 tells which way round a column is written.
def _slashed_date(text: str, first: int, second: int, year: int) -> Value:
    day_first, month_first = _is_date(year, second, first), _is_date(year, first, second)
    if day_first and month_first:
        return Value("date", text, form="DD/MM or MM/DD")
    if day_first or month_first:
        return Value("date", text, form="DD/MM/YYYY" if day_first else "MM/DD/YYYY")
    return Value("text", text)


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        datetime.date(year, month, day)
    except ValueError:
        return False
    return True
