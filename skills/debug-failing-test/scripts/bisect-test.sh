#!/usr/bin/env bash
# Finds the commit that broke a test, in a throw-away worktree, so that the user's files and branch stay as they are.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: bisect-test.sh [--repo DIR] --good REV [--bad REV] [--match TEXT] [--runs N] [--first-parent]
                      [--link PATH]... -- COMMAND [ARGUMENT]...

Bisects between a good and a bad revision. COMMAND is started directly at the top of a temporary worktree;
for several steps pass: -- sh -c 'npm ci >&2 || exit 125; npx vitest run src/a.test.ts'

  --good REV       a revision where COMMAND passes
  --bad REV        a revision where COMMAND fails (default: HEAD)
  --match TEXT     only a failure whose output holds TEXT counts as bad; any other failure is skipped
  --runs N         for a flaky test: a commit is good only after N passes in a row (default 1, at most 1000)
  --first-parent   judge only commits made on the branch itself, not those inside merged branches
  --link PATH      link an untracked folder (node_modules, .venv) of the repository into the worktree;
                   never together with an install step, which would write through the link
  --repo DIR       repository to search (default: the current folder)

COMMAND ends with 0: good; 125, 126, 127: skip this commit; 130, 143: stop; anything else: bad.
Both ends are tried first: a good end that fails, or a bad end that passes, is refused.

Output: "first-bad<tab>HASH<tab>SUBJECT", or one "suspect<tab>HASH<tab>SUBJECT" line for each commit that
the skipped ones leave open. Progress goes to standard error.

Exit status: 0 found, 1 narrowed down only, 2 used wrongly, the ends do not hold, or git failed.
TEXT
}

fail() {
  printf 'bisect-test: %s\n' "$1" >&2
  exit 2
}

repo=.
good=
bad=HEAD
match=
runs=1
start_options=()
links=()
while (($# > 0)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --first-parent) start_options+=(--first-parent); shift ;;
    --repo | --good | --bad | --match | --runs | --link)
      (($# > 1)) || fail "$1 needs a value"
      case $1 in
        --repo) repo=$2 ;;
        --good) good=$2 ;;
        --bad) bad=$2 ;;
        --match) match=$2 ;;
        --runs) runs=$2 ;;
        --link) links+=("$2") ;;
      esac
      shift 2
      ;;
    --) shift; break ;;
    *) fail "unexpected $1; put the command after --" ;;
  esac
done
[[ -n $good ]] || fail "pass --good REV, a revision where the test passes; see --help"
(($# > 0)) || fail "pass the command after --; see --help"
if [[ ! $runs =~ ^[1-9][0-9]{0,3}$ ]] || ((runs > 1000)); then fail "--runs takes a number from 1 to 1000"; fi
for link in ${links[@]+"${links[@]}"}; do
  case /$link/ in
    */../* | //* | */.git/*) fail "--link takes a path inside the repository, not $link" ;;
  esac
done
command_line=("$@")

# Inside a hook these would bend every git below to the hook's own repository.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
# The command under test keeps its own locale; only git is asked to speak plainly.
plain_git() {
  LC_ALL=C GIT_TERMINAL_PROMPT=0 git --no-pager -c core.hooksPath=/dev/null -c core.fsmonitor=false -c advice.detachedHead=false "$@"
}
top=$(plain_git -C "$repo" rev-parse --show-toplevel) || fail "$repo is not a working tree of a git repository"
resolve() {
  plain_git -C "$top" rev-parse --verify --quiet --end-of-options "$1^{commit}" || fail "$1: no such commit; fetch first, or check the name"
}
good_commit=$(resolve "$good")
bad_commit=$(resolve "$bad")
plain_git -C "$top" merge-base --is-ancestor "$good_commit" "$bad_commit" ||
  fail "$good is not an ancestor of $bad; take their merge base as --good after checking that the test passes there"

scratch=$(mktemp -d)
tree=$scratch/tree
clean_up() {
  # Forced: what the test left behind must go too. Other worktrees are none of our business, so no prune.
  if [[ -e $tree ]] && ! plain_git -C "$top" worktree remove --force "$tree" >/dev/null; then
    printf 'bisect-test: git still lists the worktree %s; git worktree prune removes the entry\n' "$tree" >&2
  fi
  rm -rf -- "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

in_tree() {
  plain_git -C "$tree" "$@"
}

link_folders() {
  local link parent
  for link in ${links[@]+"${links[@]}"}; do
    [[ -e $top/$link ]] || fail "--link $link: there is no such path in $top"
    [[ ! -e $tree/$link && ! -L $tree/$link ]] || continue
    parent=$(dirname -- "$tree/$link")
    # An old commit may have a tracked link there, which would lead the new one out of the worktree.
    while [[ $parent != "$tree" ]]; do
      [[ ! -L $parent ]] || fail "--link $link: ${parent#"$tree/"} is itself a link in a commit of the range"
      parent=$(dirname -- "$parent")
    done
    mkdir -p -- "$(dirname -- "$tree/$link")"
    ln -s -- "$top/$link" "$tree/$link"
  done
}

# Leaves good, bad or skip in $verdict for what is checked out.
judge() {
  local run status
  verdict=good
  for ((run = 1; run <= runs; run++)); do
    status=0
    (cd -- "$tree" && exec "${command_line[@]}") </dev/null >"$scratch/output" 2>&1 || status=$?
    case $status in
      0) continue ;;
      125 | 126 | 127) verdict=skip ;;
      130 | 143) fail "the command was interrupted" ;;
      *)
        verdict=bad
        if [[ -n $match ]] && ! grep -qF -e "$match" -- "$scratch/output"; then verdict=skip; fi
        ;;
    esac
    return
  done
}

show_output() {
  printf 'bisect-test: last lines of its output:\n' >&2
  tail -n 20 -- "$scratch/output" >&2
}

plain_git -C "$top" worktree add --quiet --detach "$tree" "$bad_commit" >&2
link_folders
judge
[[ $verdict == bad ]] || { show_output; fail "the bad end $bad does not fail as asked (verdict: $verdict); nothing to search for here"; }
in_tree checkout --quiet --force --detach "$good_commit"
link_folders
judge
[[ $verdict == good ]] || { show_output; fail "the good end $good does not pass (verdict: $verdict); look further back, or the environment broke, not the code"; }

in_tree reset --quiet --hard
in_tree bisect start ${start_options[@]+"${start_options[@]}"} "$bad_commit" "$good_commit" >/dev/null
is_over() {
  in_tree bisect log >"$scratch/log"
  grep -qE '^# (first bad commit|only skipped commits)' "$scratch/log"
}
last=
until is_over; do
  here=$(in_tree rev-parse HEAD)
  if [[ $here == "$last" ]]; then
    show_output
    fail "git bisect could not go on from ${here:0:12}"
  fi
  last=$here
  link_folders
  judge
  printf 'bisect-test: %s %s\n' "$verdict" "${here:0:12}" >&2
  # A test that rewrites tracked files would keep git from moving on.
  in_tree reset --quiet --hard
  # "git bisect" ends with 2 when only skipped commits are left; its log says so too.
  in_tree bisect "$verdict" >"$scratch/output" 2>&1 || true
done

kind=first-bad
status=0
if grep -q '^# only skipped commits' "$scratch/log"; then
  kind=suspect
  status=1
fi
sed -nE 's/^# (possible )?first bad commit: \[([0-9a-f]+)\].*/\2/p' "$scratch/log" >"$scratch/found"
while read -r hash; do
  subject=$(in_tree log --max-count=1 --no-show-signature --no-color --format=%s "$hash" --)
  # Subjects come from anyone: no control character reaches the output.
  printf '%s\t%s\t%s\n' "$kind" "$hash" "${subject//[[:cntrl:]]/?}"
done <"$scratch/found"
exit "$status"
