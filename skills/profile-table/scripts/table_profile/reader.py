"""Reads a table row by row: delimited text, JSON lines or one JSON document."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from .values import Value, value_of_json, value_of_text

MAX_CELL_CHARACTERS = 1_000_000
MAX_COLUMNS = 2_000
# A whole JSON document is held in memory; JSON lines are not.
MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
SAMPLE_CHARACTERS = 64 * 1024
DELIMITERS = {"csv": ",", "tsv": "\t"}


class TableError(Exception):
    """A table that cannot be read, and where."""


class Row(NamedTuple):
    """One row: its line in the file, its values by column, and how many cells it had."""

    line: int
    values: Dict[str, Value]
    width: int


class Table:
    """A table that is read as it is looked at."""

    def __init__(self, form: str, encoding: str, rows: Iterator[Row], columns: List[str], notes: List[str]) -> None:
        self.form = form
        self.encoding = encoding
        self.rows = rows
        # Known before the first row for delimited text, and found on the way for JSON.
        self.columns = columns
        self.notes = notes


def open_table(binary: Any, name: str, form: Optional[str], delimiter: Optional[str], header: bool) -> Table:
    """Opens a table from bytes; what is not said is found out from its name and its first lines."""
    buffered = io.BufferedReader(binary) if not isinstance(binary, io.BufferedReader) else binary
    encoding = _encoding(buffered)
    stream = io.TextIOWrapper(buffered, encoding=encoding, errors="replace", newline="")
    sample, stream = _sample(stream)
    form = form or _form(name, sample)
    notes = [] if encoding.startswith("utf") else ["not UTF-8; read as Windows-1252"]
    if form == "jsonl":
        return Table(form, encoding, _json_lines(stream), [], notes)
    if form == "json":
        return Table(form, encoding, _json_document(stream), [], notes)
    chosen = delimiter or (_delimiter(sample) if form == "csv" else DELIMITERS[form])
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    reader = csv.reader(stream, delimiter=chosen, strict=False)
    columns = _columns(reader, header, notes)
    if form == "csv" and chosen != ",":
        notes.append("columns are separated by " + {"\t": "tabs", ";": "semicolons", "|": "bars"}.get(chosen, chosen))
    return Table(form, encoding, _delimited(reader, columns, header), columns.names, notes)


class _Columns(NamedTuple):
    names: List[str]
    first: Optional[List[str]]


def _encoding(buffered: Any) -> str:
    start = buffered.peek(SAMPLE_CHARACTERS)[:SAMPLE_CHARACTERS]
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    if b"\0" in start:
        raise TableError("holds NUL bytes, so it is no text; export the table as CSV first")
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character may be cut off where the sample ends.
        if error.start < len(start) - 4:
            return "cp1252"
    return "utf-8-sig"


class _Rewound(io.TextIOBase):
    """A text stream whose first characters were read already."""

    def __init__(self, start: str, rest: Any) -> None:
        self._lines = io.StringIO(start, newline="")
        self._rest = rest

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        line = self._lines.readline(size)
        if line.endswith("\n") or (size >= 0 and len(line) >= size):
            return line
        return line + self._rest.readline(-1 if size < 0 else size - len(line))

    def read(self, size: int = -1) -> str:  # type: ignore[override]
        start = self._lines.read(size)
        return start + self._rest.read(-1 if size < 0 else size - len(start))

    def __next__(self) -> str:
        line = self.readline(MAX_CELL_CHARACTERS + 2)
        if line == "":
            raise StopIteration
        return line


def _sample(stream: Any) -> tuple:
    start = stream.read(SAMPLE_CHARACTERS)
    return start, _Rewound(start, stream)


def _form(name: str, sample: str) -> str:
    ending = name.lower().rsplit(".", 1)[-1]
    if ending in ("jsonl", "ndjson", "json", "tsv", "csv"):
        return {"ndjson": "jsonl"}.get(ending, ending)
    first = sample.lstrip()[:1]
    if first == "[":
        return "json"
    return "jsonl" if first == "{" else "csv"


# The one that splits most lines of the sample into the same number of cells; a comma when none does.
def _delimiter(sample: str) -> str:
    lines = sample.splitlines()[:50]
    lines = lines[:-1] if len(sample) == SAMPLE_CHARACTERS else lines
    best, best_score = ",", 0.0
    for candidate in (",", ";", "\t", "|"):
        widths = [len(row) for row in csv.reader(lines, delimiter=candidate) if row]
        if not widths or max(widths) < 2:
            continue
        usual = max(set(widths), key=lambda width: (widths.count(width), width))
        score = widths.count(usual) / len(widths) * (1 if usual > 1 else 0)
        if score > best_score:
            best, best_score = candidate, score
    return best


def _columns(reader: Any, header: bool, notes: List[str]) -> _Columns:
    try:
        first = next(reader, None)
    except csv.Error as error:
        raise TableError(f"line {reader.line_num}: {error}") from error
    if first is None:
        return _Columns([], None)
    if len(first) > MAX_COLUMNS:
        raise TableError(f"has {len(first)} columns; at most {MAX_COLUMNS} are profiled")
    if not header:
        return _Columns([f"column {index + 1}" for index in range(len(first))], first)
    names: List[str] = []
    for index, cell in enumerate(first):
        name = cell.strip() or f"column {index + 1}"
        if cell.strip() == "":
            notes.append(f"column {index + 1} has no name")
        if name in names:
            notes.append(f"the name {name!r} is there more than once")
            name = f"{name} ({index + 1})"
        names.append(name)
    return _Columns(names, None)


def _delimited(reader: Any, columns: _Columns, header: bool) -> Iterator[Row]:
    names = columns.names
    if columns.first is not None and not header:
        yield _row(reader.line_num, columns.first, names)
    line = reader.line_num + 1
    try:
        for cells in reader:
            # An empty line is no row; a line of empty cells is one.
            if cells:
                yield _row(line, cells, names)
            line = reader.line_num + 1
    except csv.Error as error:
        raise TableError(f"line {line}: {error}") from error


def _row(line: int, cells: List[str], names: List[str]) -> Row:
    return Row(line, {name: value_of_text(cell) for name, cell in zip(names, cells)}, len(cells))


def _json_lines(stream: Any) -> Iterator[Row]:
    line = 0
    while True:
        text = stream.readline(MAX_CELL_CHARACTERS)
        if text == "":
            return
        line += 1
        if len(text) >= MAX_CELL_CHARACTERS:
            raise TableError(f"line {line}: longer than {MAX_CELL_CHARACTERS} characters")
        if text.strip() == "":
            continue
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TableError(f"line {line}: no JSON: {error}") from error
        yield _json_row(line, found)


def _json_document(stream: Any) -> Iterator[Row]:
    text = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(text) > MAX_DOCUMENT_BYTES:
        raise TableError("is a JSON document of more than 64 MB; write it as JSON lines, which are read one by one")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TableError(f"no JSON: {error}") from error
    if not isinstance(found, list):
        raise TableError("is a JSON document, but no list of objects; pass the list alone")
    for index, item in enumerate(found):
        yield _json_row(index + 1, item)


def _json_row(line: int, found: Any) -> Row:
    if not isinstance(found, dict):
        raise TableError(f"row {line}: is no object, so it has no columns")
    if len(found) > MAX_COLUMNS:
        raise TableError(f"row {line}: has {len(found)} columns; at most {MAX_COLUMNS} are profiled")
    return Row(line, {key: value_of_json(value, _shown(value)) for key, value in found.items()}, len(found))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
