"""Profiles a whole table, and finds what somebody should know before working with it."""

from __future__ import annotations

import hashlib
from typing import Any, Dict, List, NamedTuple

from .column import Column
from .reader import MAX_COLUMNS, Row, Table, TableError

# 16 bytes each: what is remembered of rows to find repeated ones.
MAX_REMEMBERED_ROWS = 1_000_000
KEPT_LINES = 5


class Finding(NamedTuple):
    """One thing to know: its code, the column it is about, and what was seen where."""

    code: str
    column: str
    message: str
    lines: List[int]


class Profile(NamedTuple):
    """What is known about a table."""

    form: str
    encoding: str
    rows: int
    is_cut: bool
    columns: List[Column]
    findings: List[Finding]
    notes: List[str]


def profile_table(table: Table, max_rows: int) -> Profile:
    """Looks at every row once."""
    columns: Dict[str, Column] = {name: Column(name) for name in table.columns}
    is_fixed = bool(columns)
    seen: set = set()
    repeated: List[int] = []
    ragged: List[int] = []
    rows = repeats = raggeds = 0
    is_cut = False
    for row in table.rows:
        if rows == max_rows:
            is_cut = True
            break
        rows += 1
        if is_fixed and row.width != len(columns):
            raggeds += 1
            _keep(ragged, row.line)
        _add(columns, row, rows)
        if len(seen) < MAX_REMEMBERED_ROWS:
            digest = _digest(row)
            if digest in seen:
                repeats += 1
                _keep(repeated, row.line)
            seen.add(digest)
    notes = list(table.notes)
    if len(seen) == MAX_REMEMBERED_ROWS:
        notes.append(f"repeated rows were looked for in the first {MAX_REMEMBERED_ROWS} only")
    findings: List[Finding] = []
    if raggeds:
        message = f"{counted(raggeds, 'row')} with another number of cells than {len(columns)}"
        findings.append(Finding("ragged-rows", "", message, ragged))
    if repeats:
        findings.append(Finding("repeated-rows", "", f"{counted(repeats, 'row')} exactly like an earlier one", repeated))
    for column in columns.values():
        findings += _column_findings(column, rows)
    return Profile(table.form, table.encoding, rows, is_cut, list(columns.values()), findings, notes)


def _add(columns: Dict[str, Column], row: Row, rows: int) -> None:
    for name, value in row.values.items():
        column = columns.get(name)
        if column is None:
            if len(columns) == MAX_COLUMNS:
                raise TableError(f"line {row.line}: more than {MAX_COLUMNS} columns")
            column = columns[name] = Column(name)
            # Rows before the first that has the column lack it.
            column.kinds["missing"] += rows - 1
            if rows > 1:
                column.missing_forms["absent"] += rows - 1
        column.add(value, row.line)
    if len(row.values) < len(columns):
        for name, column in columns.items():
            if name not in row.values:
                column.kinds["missing"] += 1
                column.missing_forms["absent"] += 1


def _digest(row: Row) -> bytes:
    hasher = hashlib.blake2b(digest_size=16)
    for name, value in row.values.items():
        # Framed by length: no cell can pretend to be two.
        for part in (name, value.kind, value.text):
            data = part.encode("utf-8", "surrogatepass")
            hasher.update(len(data).to_bytes(8, "big") + data)
    return hasher.digest()


def _keep(lines: List[int], line: int) -> None:
    if len(lines) < KEPT_LINES:
        lines.append(line)


def _column_findings(column: Column, rows: int) -> List[Finding]:
    name = column.name
    found: List[Finding] = []
    if column.present == 0:
        return [Finding("empty-column", name, "has no value at all", [])] if rows else []
    if column.missing:
        forms = ", ".join(f"{count} {form}" for form, count in sorted(column.missing_forms.items(), key=_by_count))
        share = f"{column.missing / rows:.1%}" if column.missing / rows >= 0.001 else "under 0.1%"
        lines = column.first_lines.get("missing", [])
        found.append(Finding("gaps", name, f"{column.missing} of {rows} missing ({share}: {forms})", lines))
    odd = column.odd_ones()
    if odd:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(odd.items(), key=_by_count))
        lines = sorted(line for kind in odd for line in column.first_lines[kind])[:KEPT_LINES]
        found.append(Finding("odd-kind", name, f"is {column.kind}, except for {kinds}", lines))
    if column.kind == "mixed":
        kinds = ", ".join(
            f"{count} {kind}" for kind, count in sorted(column.kinds.items(), key=_by_count) if kind != "missing"
        )
        found.append(Finding("mixed-kinds", name, f"holds {kinds}", []))
    if column.kind == "code":
        found.append(Finding("leading-zeros", name, "has values such as 007; read it as text, or zeros are lost", []))
    if column.kind == "date" and (len(column.date_forms) > 1 or "DD/MM or MM/DD" in column.date_forms):
        forms = ", ".join(f"{count} {form}" for form, count in sorted(column.date_forms.items(), key=_by_count))
        found.append(Finding("unclear-dates", name, f"dates are written as {forms}", []))
    if column.padded:
        found.append(Finding("padding", name, f"{counted(column.padded, 'value')} with surrounding spaces", []))
    found += _distinct_findings(column, rows)
    outliers = column.outliers()
    if outliers:
        shown = ", ".join(f"{item['value']:g}" for item in outliers)
        lines = [item["line"] for item in outliers]
        found.append(Finding("outliers", name, f"far from the other numbers: {shown}", lines))
    return found


def _distinct_findings(column: Column, rows: int) -> List[Finding]:
    distinct = column.distinct
    if distinct is None or rows < 2:
        return []
    if distinct == 1:
        return [Finding("constant", column.name, "has one value only", [])]
    again = column.present - distinct
    # Nearly every value is there once: probably meant to be a key.
    if 0 < again <= max(1, column.present // 50) and column.present >= 20 and column.kind != "number":
        values = ", ".join(value for value, count in column.most_frequent(3) if count > 1)
        message = f"{counted(again, 'value')} more than once, in what looks like a key: {values}"
        return [Finding("nearly-unique", column.name, message, [])]
    return []


def _by_count(item: Any) -> Any:
    return (-item[1], str(item[0]))


def counted(number: int, noun: str) -> str:
    """1 row, 2 rows."""
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
