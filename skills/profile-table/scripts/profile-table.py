#!/usr/bin/env python3
"""Profiles tables: what each column holds, and what is odd about it."""

from __future__ import annotations

import sys

# The skill's folder stays as it is, also where it may be written.
sys.dont_write_bytecode = True

import argparse
import os

from table_profile.profile import profile_table
from table_profile.reader import TableError, open_table
from table_profile.report import plain, render_json, render_text, to_document

USAGE = """Usage: profile-table.py [options] FILE...

Reads every row of each table once and prints, for each column, its kind, gaps, distinct values and figures; then
what somebody should know before working with it. FILE may be - for standard input. Nothing is written.

  --format FORM    csv, tsv, jsonl or json (default: by the name, else by the first characters)
  --delimiter C    what separates the cells of a CSV file (default: found out)
  --no-header      the first line of a CSV or TSV file is a row like the others
  --rows N         look at the first N rows only (default 1000000)
  --top N          how many of the most frequent values to list (default 3, at most 100)
  --json           one JSON document instead of text

Kinds: integer, number, boolean, date, time, code (digits with leading zeros), text, list, object, mixed, empty.
Findings: ragged-rows, repeated-rows, empty-column, gaps, odd-kind, mixed-kinds, leading-zeros, unclear-dates,
padding, constant, nearly-unique, outliers. Lines are those of the file; of a JSON document, the place in its list.

Exit status: 0 every table was profiled, 1 one could not be read, 2 used wrongly.
"""

MAX_FILES = 100


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        fail(f"{message}; see --help", 2)


def main() -> int:
    options = parse(sys.argv[1:])
    documents, status = [], 0
    for place, name in enumerate(options.files):
        try:
            profile = profile_one(name, options)
        except (TableError, OSError) as error:
            reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            print(f"profile-table: {plain(name)}: {plain(reason)}", file=sys.stderr)
            status = 1
            continue
        if options.json:
            documents.append(to_document(name, profile, options.top))
        else:
            print(("\n" if place else "") + render_text(name, profile, options.top), end="")
    if options.json:
        print(render_json(documents), end="")
    return status


def parse(argv):
    parser = Parser(prog="profile-table.py", add_help=False, allow_abbrev=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--format", choices=["csv", "tsv", "jsonl", "json"])
    parser.add_argument("--delimiter")
    parser.add_argument("--no-header", dest="header", action="store_false")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--top", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args(argv)
    if options.help:
        print(USAGE, end="")
        sys.exit(0)
    if not options.files:
        fail("pass a file, or - for standard input; see --help", 2)
    if len(options.files) > MAX_FILES:
        fail(f"at most {MAX_FILES} files at once", 2)
    if not 1 <= options.rows <= 100_000_000:
        fail("--rows takes a number from 1 to 100000000", 2)
    if not 1 <= options.top <= 100:
        fail("--top takes a number from 1 to 100", 2)
    if options.delimiter is not None and (len(options.delimiter) != 1 or options.delimiter in '"\r\n'):
        fail("--delimiter takes one character", 2)
    return options


def profile_one(name, options):
    if name == "-":
        # Unbuffered bytes of standard input, so that its encoding is found out as a file's is.
        return profile_stream(os.fdopen(os.dup(0), "rb"), name, options)
    if os.path.isdir(name):
        raise TableError("is a folder; pass the files in it")
    with open(name, "rb") as binary:
        return profile_stream(binary, name, options)


def profile_stream(binary, name, options):
    table = open_table(binary, name, options.format, options.delimiter, options.header)
    return profile_table(table, options.rows)


def fail(message: str, status: int) -> None:
    print(f"profile-table: {plain(message)}", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    # Whatever the locale says, tables hold any character, and what reads this expects UTF-8.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        sys.exit(main())
    except BrokenPipeError:
        # Whoever reads the output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
