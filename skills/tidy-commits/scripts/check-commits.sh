#!/usr/bin/env bash
# Lists the commits of a branch that a reviewer would trip over, before they are pushed.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: check-commits.sh [--repo DIR] --base REV [--head REV] [--max-blob-kib N]

Looks at each commit of REV..HEAD, oldest first, and flags what should be tidied before review. Reads only.
At most 500 commits; more means that the base is wrong.

  --base REV          where the branch will be merged, such as origin/main
  --head REV          the tip to look at (default: HEAD)
  --max-blob-kib N    flag added files larger than this (default 1024)
  --repo DIR          repository to read (default: the current folder)

Output: tab-separated lines "commit, flags or -, subject". Flags:
  published      on a remote-tracking branch already: rewriting it affects others
  other-author   written by somebody else than user.email: keep the authorship
  merge          a merge commit inside the branch
  empty          changes nothing
  fixup          a fixup!, squash! or amend! commit that waits to be folded in
  unfinished     the subject says work in progress
  vague          the subject does not say what changed
  long-subject   the subject has more than 72 characters
  no-blank-line  the second line of the message is not blank
  same-subject   another commit of the range has the same subject
  whitespace     adds trailing blanks or leaves conflict markers (git diff --check)
  large-file     adds a file over the limit

Exit status: 0 no flags, 1 some flags, 2 used wrongly or git failed.
TEXT
}

fail() {
  printf 'check-commits: %s\n' "$1" >&2
  exit 2
}

repo=.
base=
head=HEAD
max_kib=1024
max_commits=500
while (($# > 0)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --repo | --base | --head | --max-blob-kib)
      (($# > 1)) || fail "$1 needs a value"
      case $1 in
        --repo) repo=$2; unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX ;;
        --base) base=$2 ;;
        --head) head=$2 ;;
        --max-blob-kib) max_kib=$2 ;;
      esac
      shift 2
      ;;
    *) fail "unexpected $1; see --help" ;;
  esac
done
[[ -n $base ]] || fail "pass --base REV, the branch this will be merged into; see --help"
[[ $max_kib =~ ^[1-9][0-9]{0,8}$ ]] || fail "--max-blob-kib takes a whole number"

# The C locale makes bash, sort and tr agree on bytes, whatever the caller's settings are.
export LC_ALL=C GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0
git_in() {
  git -C "$repo" --no-pager "$@"
}
log_one() {
  git_in log --max-count=1 --no-show-signature --no-color --encoding=UTF-8 "--format=$1" "$2" --
}
resolve() {
  git_in rev-parse --verify --quiet --end-of-options "$1^{commit}" || fail "$1: no such commit; fetch first, or check the name"
}
git_in rev-parse --git-dir >/dev/null || fail "$repo is not a git repository"
base_commit=$(resolve "$base")
head_commit=$(resolve "$head")
range=$base_commit..$head_commit
count=$(git_in rev-list --count "$range" --)
((count <= max_commits)) || fail "$base..$head holds $count commits, more than $max_commits; is that the right base?"

scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
git_in rev-list --reverse "$range" -- >"$scratch/commits"
git_in rev-list "$range" --not --remotes -- >"$scratch/unpublished"
git_in log --no-show-signature --no-color --encoding=UTF-8 --format=%s "$range" -- | sort | uniq -d >"$scratch/repeated"
my_email=$(git_in config --get user.email || true)

unfinished='^\[?(wip|work in progress|tmp|temp|temporary|checkpoint|savepoint|xxx|do not merge|dnm)($|[^a-z])'
vague='^(fix|fixes|fixed|update|updates|updated|change|changes|misc|stuff|cleanup|minor|tweak|tweaks|refactor|tests?|more)\.?$'
review='^((address|apply) )?((review|pr) )?(comments|feedback|suggestions)\.?$'

check_message() {
  local commit=$1 lower second characters
  lower=$(printf '%s' "$subject" | tr '[:upper:]' '[:lower:]')
  case $lower in 'fixup! '* | 'squash! '* | 'amend! '*) flags+=(fixup) ;; esac
  if [[ $lower =~ $unfinished ]]; then flags+=(unfinished); fi
  if [[ $lower =~ $vague || $lower =~ $review ]]; then flags+=(vague); fi
  # Without the continuation bytes of UTF-8, bytes are characters.
  characters=${subject//[$'\x80'-$'\xbf']/}
  if ((${#characters} > 72)); then flags+=(long-subject); fi
  second=$(log_one %B "$commit" | sed -n 2p)
  if [[ -n $second ]]; then flags+=(no-blank-line); fi
  if grep -qxF -e "$subject" -- "$scratch/repeated"; then flags+=(same-subject); fi
}

check_content() {
  local commit=$1 mode blob status path size index=0
  local added=()
  git_in diff-tree --root --no-commit-id -r -z --no-renames "$commit" -- >"$scratch/changes"
  if [[ ! -s $scratch/changes ]]; then flags+=(empty); fi
  if ! git_in diff-tree --root --no-commit-id --check --no-ext-diff --no-color "$commit" -- >/dev/null; then
    flags+=(whitespace)
  fi
  while IFS=' ' read -r -d '' _ mode _ blob status && IFS= read -r -d '' path; do
    if [[ $status == A && $mode == 100* ]]; then
      added+=("$path")
      printf '%s\n' "$blob" >&3
    fi
  done <"$scratch/changes" 3>"$scratch/blobs"
  git_in cat-file --batch-check='%(objectsize)' <"$scratch/blobs" >"$scratch/sizes"
  while read -r size; do
    if ((size > max_kib * 1024)); then
      flags+=(large-file)
      printf 'check-commits: %s adds %q, %s KiB\n' "${commit:0:12}" "${added[index]}" "$((size / 1024))" >&2
      break
    fi
    index=$((index + 1))
  done <"$scratch/sizes"
}

found=no
while read -r commit; do
  flags=()
  subject=$(log_one %s "$commit")
  if ! grep -qxF -e "$commit" -- "$scratch/unpublished"; then flags+=(published); fi
  author=$(log_one %ae "$commit")
  if [[ -n $my_email && $author != "$my_email" ]]; then flags+=(other-author); fi
  if git_in rev-parse --verify --quiet "$commit^2" >/dev/null; then
    flags+=(merge)
  else
    check_message "$commit"
    check_content "$commit"
  fi
  joined=-
  if ((${#flags[@]} > 0)); then
    found=yes
    joined=$(IFS=,; printf '%s' "${flags[*]}")
  fi
  # Subjects come from anyone: no control character reaches the output.
  printf '%s\t%s\t%s\n' "${commit:0:12}" "$joined" "${subject//[[:cntrl:]]/?}"
done <"$scratch/commits"
[[ $found == no ]]
