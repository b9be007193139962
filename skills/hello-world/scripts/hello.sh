#!/usr/bin/env bash
# Greets somebody and says where the script ran: proof that a skill's scripts can be started here.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: hello.sh [NAME]

Prints a greeting for NAME (default: world) and a few facts about where it ran. Reads and writes nothing.

Exit status: 0 greeted, 2 used wrongly.
TEXT
}

case ${1-} in
  -h | --help) usage; exit 0 ;;
  -*) printf 'hello: unknown option %q; see --help\n' "$1" >&2; exit 2 ;;
esac
if (($# > 1)); then
  printf 'hello: one name at most; quote a name that holds spaces\n' >&2
  exit 2
fi

name=${1:-world}
# A name may come from anywhere: no control character reaches the terminal, and it stays short.
name=${name//[[:cntrl:]]/}
printf 'Hello, %s!\n' "${name:0:80}"
printf 'script: ran\nshell: bash %s\nsystem: %s\n' "${BASH_VERSION%%(*}" "$(uname -s)"
