#!/usr/bin/env bash
# Predicts how cherry-picking commits onto release branches would go, without touching the repository.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: check-backport.sh [--repo DIR] [--mainline N] --onto BRANCH [--onto BRANCH]... COMMIT...

Predicts, for each BRANCH, what "git cherry-pick COMMIT..." would do. List the commits oldest first.
Nothing is checked out, and no object or ref is written to the repository. Needs git 2.38 or newer.

  --onto BRANCH   release branch, remote branch or tag to predict for; may be repeated
  --mainline N    for merge commits: the parent to compare with, usually 1
  --repo DIR      repository to read (default: the current folder)

Output: tab-separated lines "branch, commit, outcome, detail". Outcomes:
  contained      the branch already has this very commit
  applied        the branch already has the same content; the pick would be empty
  clean          the pick applies without a conflict (which does not prove that it works)
  conflict       the pick stops; one line for each path, shell-quoted
  prerequisite   a commit before the fix that changed a conflicting path and is not on the branch
  not-tried      an earlier commit of the list conflicts on this branch
  picked-before  the branch has a commit recorded as a pick of this one, yet its content is not there

Exit status: 0 nothing conflicts, 1 something conflicts, 2 used wrongly or git failed.
TEXT
}

fail() {
  printf 'check-backport: %s\n' "$1" >&2
  exit 2
}

repo=.
mainline=
branches=()
commits=()
while (($# > 0)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --repo | --onto | --mainline)
      (($# > 1)) || fail "$1 needs a value"
      case $1 in
        --repo) repo=$2; unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX ;;
        --onto) branches+=("$2") ;;
        --mainline) mainline=$2 ;;
      esac
      shift 2
      ;;
    --) shift; commits+=("$@"); break ;;
    -*) fail "unknown option $1; see --help" ;;
    *) commits+=("$1"); shift ;;
  esac
done
((${#branches[@]} > 0)) || fail "pass at least one --onto BRANCH; see --help"
((${#commits[@]} > 0)) || fail "pass at least one COMMIT; see --help"
case $mainline in *[!0-9]* | 0*) fail "--mainline takes a parent number, usually 1" ;; esac

export LC_ALL=C GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0
# The simulated commits below need an author; it is never seen.
export GIT_AUTHOR_NAME=simulation GIT_AUTHOR_EMAIL=simulation@localhost GIT_AUTHOR_DATE='@0 +0000'
export GIT_COMMITTER_NAME=simulation GIT_COMMITTER_EMAIL=simulation@localhost GIT_COMMITTER_DATE='@0 +0000'

git_in() {
  git -C "$repo" --no-pager --literal-pathspecs "$@"
}

resolve() {
  git_in rev-parse --verify --quiet --end-of-options "$1^{commit}" || fail "$1: no such commit or branch; fetch first, or check the name"
}

objects=$(git_in rev-parse --path-format=absolute --git-path objects) || fail "$repo is not a git repository"
case $(git_in merge-tree -h 2>&1 || true) in
  *--write-tree*) ;;
  *) fail "this needs git 2.38 or newer; here is $(git --version)" ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
mkdir -- "$scratch/objects"
# New objects land in the scratch folder; the repository's own are only read. The quotes and escapes are
# git's form for a path that may hold the list separator.
objects=${objects//\\/\\\\}
export GIT_ALTERNATE_OBJECT_DIRECTORIES="\"${objects//\"/\\\"}\"${GIT_ALTERNATE_OBJECT_DIRECTORIES:+:$GIT_ALTERNATE_OBJECT_DIRECTORIES}"
export GIT_OBJECT_DIRECTORY=$scratch/objects

report() {
  # Branch names and subjects come from anyone: no control character reaches the output.
  local detail=${4//[[:cntrl:]]/?}
  printf '%s\t%s\t%s\t%s\n' "${1//[[:cntrl:]]/?}" "${2:0:12}" "$3" "$detail"
}

# Prints the commit that a pick of $1 is compared with.
base_of() {
  local parents
  read -r -a parents <<<"$(git_in rev-list --parents --max-count=1 "$1" --)"
  local count=$((${#parents[@]} - 1))
  if ((count == 0)); then
    git_in commit-tree "$(git_in hash-object -t tree -w --stdin </dev/null)" -m empty
  elif [[ -n $mainline ]]; then
    ((mainline <= count)) || fail "${1:0:12} has $count parent(s), so --mainline $mainline does not fit"
    printf '%s\n' "${parents[mainline]}"
  else
    ((count == 1)) || fail "${1:0:12} is a merge; pass --mainline 1 to take what it brought to its first parent"
    printf '%s\n' "${parents[1]}"
  fi
}

# Merges the change of commit $1 (since $2) into tree $3; leaves the outcome in $merged and $paths.
merge_into() {
  local ours theirs status=0 field first=yes
  # Both sides get the same only parent, so that the merge base is exactly what a cherry-pick uses.
  ours=$(git_in commit-tree "$3" -p "$2" -m ours)
  theirs=$(git_in commit-tree "$1^{tree}" -p "$2" -m theirs)
  git_in merge-tree --write-tree -z --name-only --no-messages "$ours" "$theirs" >"$scratch/merge" || status=$?
  ((status <= 1)) || fail "git merge-tree failed for ${1:0:12}"
  merged=
  paths=()
  while IFS= read -r -d '' field; do
    if [[ $first == yes ]]; then
      merged=$field
      first=no
    elif [[ -n $field ]]; then
      paths+=("$field")
    fi
  done <"$scratch/merge"
  return "$status"
}

report_conflict() {
  local branch=$1 tip=$2 commit=$3 base=$4 path hash subject
  if ((${#paths[@]} == 0)); then
    report "$branch" "$commit" conflict ''
    return
  fi
  for path in "${paths[@]}"; do
    report "$branch" "$commit" conflict "$(printf '%q' "$path")"
  done
  while IFS=$'\t' read -r hash subject; do
    report "$branch" "$commit" prerequisite "$hash $subject"
  done < <(
    git_in log --cherry-pick --right-only --no-merges --max-count=10 --no-show-signature --no-color \
      --format='%h%x09%s' "$tip...$base" -- "${paths[@]:0:50}"
  )
}

check_branch() {
  local branch=$1 tip tree commit base earlier stopped=no
  tip=$(resolve "$branch")
  tree=$(git_in rev-parse --verify "$tip^{tree}")
  for commit in "${resolved[@]}"; do
    if [[ $stopped == yes ]]; then
      report "$branch" "$commit" not-tried ''
      continue
    fi
    if git_in merge-base --is-ancestor "$commit" "$tip"; then
      report "$branch" "$commit" contained ''
      continue
    fi
    base=$(base_of "$commit")
    if ! merge_into "$commit" "$base" "$tree"; then
      report_conflict "$branch" "$tip" "$commit" "$base"
      stopped=yes
      conflicts=yes
      continue
    fi
    if [[ $merged == "$tree" ]]; then
      report "$branch" "$commit" applied ''
      continue
    fi
    earlier=$(git_in log --max-count=1 --no-show-signature --fixed-strings --format=%h \
      --grep="cherry picked from commit $commit" "$tip" --)
    [[ -z $earlier ]] || report "$branch" "$commit" picked-before "as $earlier; reverted or overwritten since?"
    report "$branch" "$commit" clean "$(git_in diff-tree -r --name-only -z "$tree" "$merged" | tr -dc '\000' | wc -c | tr -d ' ') file(s)"
    tree=$merged
  done
}

resolved=()
for commit in "${commits[@]}"; do
  resolved+=("$(resolve "$commit")")
done
conflicts=no
for branch in "${branches[@]}"; do
  check_branch "$branch"
done
[[ $conflicts == no ]]
