#!/usr/bin/env bash
# Runs a test command many times and counts how it ends, to tell a flaky test from a broken one.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: repeat-test.sh [--runs N] [--until-failure] [--timeout SECONDS] [--log FILE] -- COMMAND [ARGUMENT]...

Runs COMMAND again and again in the current folder and counts the outcomes. The command is started
directly, without a shell; for a pipeline pass: -- sh -c 'first | second'

  --runs N            how often (default 20, at most 10000)
  --until-failure     stop at the first run that fails
  --timeout SECONDS   end a run that takes longer and count it as timed out (needs the timeout command)
  --log FILE          keep the output of the first run that fails; FILE must not exist yet

Output: one line "exit STATUS<tab>COUNT" for each exit status seen, then
"runs=N passed=N failed=N timed-out=N".

Exit status: 0 every run passed, 1 some run failed, 2 used wrongly or the command cannot be started.
TEXT
}

fail() {
  printf 'repeat-test: %s\n' "$1" >&2
  exit 2
}

runs=20
until_failure=no
limit=
log=
while (($# > 0)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --until-failure) until_failure=yes; shift ;;
    --runs | --timeout | --log)
      (($# > 1)) || fail "$1 needs a value"
      case $1 in
        --runs) runs=$2 ;;
        --timeout) limit=$2 ;;
        --log) log=$2 ;;
      esac
      shift 2
      ;;
    --) shift; break ;;
    *) fail "unexpected $1; put the command after --" ;;
  esac
done
(($# > 0)) || fail "pass the command after --; see --help"
if [[ ! $runs =~ ^[1-9][0-9]{0,4}$ ]] || ((runs > 10000)); then fail "--runs takes a number from 1 to 10000"; fi
[[ -z $limit || $limit =~ ^[1-9][0-9]{0,5}$ ]] || fail "--timeout takes whole seconds"
[[ -z $log || ! -e $log ]] || fail "--log $log exists already; name a new file"
run=("$@")
if [[ -n $limit ]]; then
  command -v timeout >/dev/null || fail "--timeout needs the timeout command (GNU coreutils)"
  run=(timeout --kill-after=10 "$limit" "$@")
fi

scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

counts=()
done_runs=0
passed=0
failed=0
timed_out=0
while ((done_runs < runs)); do
  status=0
  "${run[@]}" </dev/null >"$scratch/output" 2>&1 || status=$?
  if ((status == 126 || status == 127)); then
    cat -- "$scratch/output" >&2
    fail "the command cannot be started (exit $status); that says nothing about the test"
  fi
  done_runs=$((done_runs + 1))
  counts[status]=$((${counts[status]:-0} + 1))
  if ((status == 0)); then
    passed=$((passed + 1))
    continue
  fi
  if [[ -n $limit ]] && ((status == 124 || status == 137)); then
    timed_out=$((timed_out + 1))
  else
    failed=$((failed + 1))
  fi
  if [[ -n $log && $((failed + timed_out)) -eq 1 ]]; then
    # noclobber creates the file anew or not at all, also when somebody planted a link under that name.
    (set -o noclobber && cat -- "$scratch/output" >"$log") || fail "--log $log cannot be written"
    printf 'repeat-test: run %s failed; its output is in %s\n' "$done_runs" "$log" >&2
  fi
  [[ $until_failure == no ]] || break
done

for status in "${!counts[@]}"; do
  printf 'exit %s\t%s\n' "$status" "${counts[status]}"
done
printf 'runs=%s passed=%s failed=%s timed-out=%s\n' "$done_runs" "$passed" "$failed" "$timed_out"
((passed == done_runs)) || exit 1
