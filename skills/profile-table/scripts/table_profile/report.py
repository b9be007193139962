"""Writes a profile for people, or as one JSON document."""

from __future__ import annotations

import json
import unicodedata
from typing import Any, Dict, List

from .column import Column
from .profile import Finding, Profile, counted

MAX_SHOWN = 40
MAX_LISTED_FINDINGS = 60


def render_text(name: str, profile: Profile, top: int) -> str:
    """A table of columns, then what is odd."""
    cut = " (the first; there are more)" if profile.is_cut else ""
    size = f"{counted(profile.rows, 'row')}{cut}, {counted(len(profile.columns), 'column')}"
    lines = [f"{plain(name)}: {size}, {profile.form}"]
    lines += [f"  note: {plain(note)}" for note in profile.notes]
    if profile.columns:
        rows = [["column", "kind", "missing", "distinct", "values"]]
        rows += [_column_row(column, top) for column in profile.columns]
        lines += ["", *_aligned(rows)]
    lines.append("")
    if not profile.findings:
        return "\n".join([*lines, "Nothing odd was found.", ""])
    lines.append("Findings:")
    lines += [_finding_line(finding) for finding in profile.findings[:MAX_LISTED_FINDINGS]]
    rest = len(profile.findings) - MAX_LISTED_FINDINGS
    if rest > 0:
        lines.append(f"  and {rest} more; --json has them all")
    return "\n".join([*lines, ""])


def to_document(name: str, profile: Profile, top: int) -> Dict[str, Any]:
    """The same as data."""
    return {
        "file": name,
        "format": profile.form,
        "encoding": profile.encoding,
        "rows": profile.rows,
        "truncated": profile.is_cut,
        "columns": [_column_document(column, top) for column in profile.columns],
        "findings": [finding._asdict() for finding in profile.findings],
        "notes": profile.notes,
    }


def render_json(documents: List[Dict[str, Any]]) -> str:
    # ASCII: no character of a table can act on a terminal.
    return json.dumps({"tables": documents}, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def plain(text: str, limit: int = 0) -> str:
    """Text of a table on one line: control and invisible characters become a mark, and it is cut to `limit`."""
    shown = "".join("\ufffd" if unicodedata.category(unit)[0] == "C" else unit for unit in text)
    shown = " ".join(shown.split())
    return shown[: limit - 1] + "…" if limit and len(shown) > limit else shown


def _column_row(column: Column, top: int) -> List[str]:
    distinct = column.distinct
    return [
        plain(column.name, 30),
        column.kind,
        str(column.missing) if column.missing else "",
        "many" if distinct is None else str(distinct),
        _values(column, top),
    ]


def _values(column: Column, top: int) -> str:
    figures = column.figures()
    if figures is not None:
        return "{min:g} to {max:g}, median {median:g}, mean {mean:.4g}".format(**figures)
    if column.distinct is None or (column.distinct == column.present and column.present > top):
        return f"all different, up to {column.longest} characters" if column.distinct else f"up to {column.longest} characters"
    return ", ".join(f"{plain(value, MAX_SHOWN)} ({count})" for value, count in column.most_frequent(top))


def _aligned(rows: List[List[str]]) -> List[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    right = {2, 3}
    return [
        "  ".join(
            cell.rjust(widths[place]) if place in right else cell.ljust(widths[place]) for place, cell in enumerate(row)
        ).rstrip()
        for row in rows
    ]


def _finding_line(finding: Finding) -> str:
    about = f"{plain(finding.column, MAX_SHOWN)}: " if finding.column else ""
    lines = f" (line {', '.join(map(str, finding.lines))})" if finding.lines else ""
    return f"  {finding.code:<14} {about}{plain(finding.message, 160)}{lines}"


def _column_document(column: Column, top: int) -> Dict[str, Any]:
    figures = column.figures()
    return {
        "name": column.name,
        "kind": column.kind,
        "present": column.present,
        "missing": column.missing,
        "distinct": column.distinct,
        "mostFrequent": [{"value": value, "count": count} for value, count in column.most_frequent(top)],
        **({"figures": figures} if figures is not None else {}),
    }
