#!/usr/bin/env bash
# Says what takes space in a folder, and what of it can be made again, is old, or is there twice.
set -euo pipefail

here=$(dirname -- "${BASH_SOURCE[0]}")
source "$here/lib/list-files.sh"
source "$here/lib/show.sh"

usage() {
  cat <<'TEXT'
Usage: what-takes-space.sh [--top N] [--stale-days N] [--min-size BYTES] [--no-duplicates] [--json] [FOLDER]

Adds up the space that the files below FOLDER take (default: the current folder), and lists by size: its folders, its
largest files, what tools make again, large files that nobody changed for long, and large files that are there twice.
Reads only; nothing is deleted. Links are not followed, other file systems not entered, files with several names
counted once. Sizes are what is allocated on disk.

  --top N            how many of each to list (default 10, at most 1000)
  --stale-days N     what "for long" means (default 180)
  --min-size BYTES   what "large" means for old and double files (default 1048576)
  --no-duplicates    do not read files to compare them
  --json             one JSON document instead of text

Exit status: 0 listed, 1 listed, but some folders could not be read, 2 used wrongly.
TEXT
}

fail() {
  printf 'what-takes-space: %s\n' "$(show_path "$1")" >&2
  exit 2
}

whole_number() {
  if [[ ! $2 =~ ^[0-9]{1,12}$ ]] || ((10#$2 < 1 || 10#$2 > $3)); then fail "$1 takes a number from 1 to $3"; fi
}

top=10
stale_days=180
min_size=1048576
duplicates=yes
form=text
folders=()
while (($# > 0)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --no-duplicates) duplicates=no; shift ;;
    --json) form=json; shift ;;
    --top | --stale-days | --min-size)
      (($# > 1)) || fail "$1 needs a value"
      case $1 in
        --top) whole_number "$1" "$2" 1000; top=$2 ;;
        --stale-days) whole_number "$1" "$2" 36500; stale_days=$2 ;;
        --min-size) whole_number "$1" "$2" 999999999999; min_size=$2 ;;
      esac
      shift 2
      ;;
    --) shift; break ;;
    -*) fail "unknown option $1; see --help" ;;
    *) folders+=("$1"); shift ;;
  esac
done
folders+=("$@")
((${#folders[@]} <= 1)) || fail "pass one folder; see --help"
folder=${folders[0]:-.}
[[ -d $folder ]] || fail "$folder is not a folder"
cd -- "$folder" || fail "$folder cannot be entered"

scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

status=0
list_files . >"$scratch/files" 2>"$scratch/errors" || status=1
[[ ! -s $scratch/errors ]] || status=1
unreadable=$(wc -l <"$scratch/errors" | tr -d ' ')

# Sorted by size, then by path: the same folder gives the same list.
largest_first() {
  LC_ALL=C sort -t "$(printf '\t')" -k 1,1nr -k 2 | awk -v top="$top" 'NR <= top'
}

read -r total count < <(LC_ALL=C awk -F '\t' '{ total += $1 } END { printf "%.0f %d\n", total, NR }' "$scratch/files")

LC_ALL=C awk -F '\t' -v OFS='\t' '{ path = $5; sub(/^\.\//, "", path); at = index(path, "/"); if (at) sum[substr(path, 1, at - 1)] += $1 }
  END { for (name in sum) printf "%.0f\t%s\n", sum[name], name }' "$scratch/files" | largest_first >"$scratch/folders"

LC_ALL=C awk -F '\t' -v OFS='\t' '{ print $1, $5 }' "$scratch/files" | largest_first >"$scratch/largest"

# Folders that one tool makes and can make again; what only looks like one needs a witness beside or in it.
readonly REMADE='node_modules .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .next .nuxt .svelte-kit .turbo .parcel-cache .gradle .terraform target DerivedData'
made_by() {
  local parent name=${1##*/}
  parent=$(dirname -- "$1")
  case $name in
    node_modules) [[ -e $parent/package.json ]] && echo 'package.json' ;;
    .venv | venv) [[ -e $1/pyvenv.cfg ]] && echo 'python3 -m venv' ;;
    target)
      if [[ -e $parent/Cargo.toml ]]; then echo 'Cargo.toml'; elif [[ -e $parent/pom.xml ]]; then echo 'pom.xml'; fi
      ;;
    __pycache__ | .pytest_cache | .mypy_cache | .ruff_cache) echo 'Python tools' ;;
    .tox | .nox) echo 'tox or nox' ;;
    .next | .nuxt | .svelte-kit | .turbo | .parcel-cache) echo 'the web build' ;;
    .gradle) echo 'Gradle' ;;
    .terraform) [[ -e $parent/.terraform.lock.hcl ]] && echo 'terraform init' ;;
    DerivedData) echo 'Xcode' ;;
  esac || true
}
LC_ALL=C awk -F '\t' -v names="$REMADE" 'BEGIN { split(names, list, " "); for (place in list) remade[list[place]] = 1 }
  { depth = split($5, part, "/"); path = part[1]
    for (place = 2; place < depth; place++) { path = path "/" part[place]; if (part[place] in remade) { sum[path] += $1; break } } }
  END { for (path in sum) printf "%.0f\t%s\n", sum[path], path }' "$scratch/files" | LC_ALL=C sort -t "$(printf '\t')" -k 1,1nr -k 2 >"$scratch/candidates"
while IFS=$'\t' read -r bytes path; do
  maker=$(made_by "$path")
  [[ -z $maker ]] || printf '%s\t%s\t%s\n' "$bytes" "$path" "$maker"
done <"$scratch/candidates" >"$scratch/all-remade"
remade_total=$(LC_ALL=C awk -F '\t' '{ total += $1 } END { printf "%.0f", total }' "$scratch/all-remade")
awk -v top="$top" 'NR <= top' "$scratch/all-remade" >"$scratch/remade"

# What lies in a folder that is made again is listed there, and the history of a repository is nobody's to tidy by hand.
LC_ALL=C awk -F '\t' -v OFS='\t' -v least="$min_size" 'NR == FNR { remade[$2] = 1; next }
  { if ($2 + 0 < least + 0 || $5 ~ /^\.\/(.*\/)?\.git\//) next
    depth = split($5, part, "/"); path = part[1]
    for (place = 2; place < depth; place++) { path = path "/" part[place]; if (path in remade) next }
    print }' "$scratch/all-remade" "$scratch/files" >"$scratch/large"

oldest=$(($(date +%s) - stale_days * 86400))
LC_ALL=C awk -F '\t' -v OFS='\t' -v oldest="$oldest" '$3 < oldest { print $1, $5, $3 }' "$scratch/large" | largest_first >"$scratch/stale"

# Only files of the same size are read, largest first, and no more than this many of them.
readonly MAX_READ_FILES=2000
: >"$scratch/double"
compared=all
if [[ $duplicates == yes ]]; then
  LC_ALL=C awk -F '\t' 'NR == FNR { times[$2]++; next } times[$2] > 1' "$scratch/large" "$scratch/large" |
    LC_ALL=C sort -t "$(printf '\t')" -k 2,2nr -k 5 >"$scratch/same-size"
  (($(wc -l <"$scratch/same-size") <= MAX_READ_FILES)) || compared=$MAX_READ_FILES
  awk -v top="$MAX_READ_FILES" 'NR <= top' "$scratch/same-size" | while IFS=$'\t' read -r bytes size _ _ path; do
    digest=$(digest_of "$(real_path "$path")")
    [[ -z $digest ]] || printf '%s\t%s\t%s\n' "$digest:$size" "$bytes" "$path"
  done | LC_ALL=C awk -F '\t' -v OFS='\t' '{ if ($1 in first) print $2, $3, first[$1]; else first[$1] = $3 }' | largest_first >"$scratch/double"
fi

if [[ $form == json ]]; then
  rows() { # FILE NAME-OF-THIRD-FIELD
    local separator='' bytes path third
    printf '['
    while IFS=$'\t' read -r bytes path third; do
      printf '%s{"bytes": %s, "path": %s' "$separator" "$bytes" "$(json_string "$(real_path "$path")")"
      [[ -z $2 ]] || printf ', "%s": %s' "$2" "$(json_string "$(real_path "$third")")"
      printf '}'
      separator=', '
    done <"$1"
    printf ']'
  }
  while IFS=$'\t' read -r bytes path seconds; do
    printf '%s\t%s\t%s\n' "$bytes" "$path" "$(show_day "$seconds")"
  done <"$scratch/stale" >"$scratch/stale-days"
  {
    printf '{\n  "folder": %s,\n  "bytes": %s,\n  "files": %s,\n  "unreadable": %s,\n' "$(json_string "$folder")" "$total" "$count" "$unreadable"
    printf '  "folders": %s,\n' "$(rows "$scratch/folders" '')"
    printf '  "largest": %s,\n' "$(rows "$scratch/largest" '')"
    printf '  "madeAgain": %s,\n  "madeAgainBytes": %s,\n' "$(rows "$scratch/remade" by)" "$remade_total"
    printf '  "stale": %s,\n' "$(rows "$scratch/stale-days" changed)"
    printf '  "duplicates": %s\n}\n' "$(rows "$scratch/double" sameAs)"
  } | clean_json
  exit "$status"
fi

section() { # TITLE FILE WORD-BEFORE-THIRD-FIELD
  local bytes path third note
  [[ -s $2 ]] || return 0
  printf '\n%s\n' "$1"
  while IFS=$'\t' read -r bytes path third; do
    note=
    case $3 in
      changed) note="  (last changed $(show_day "$third"))" ;;
      ?*) note="  ($3 $(show_path "$third"))" ;;
    esac
    printf '%10s  %s%s\n' "$(show_bytes "$bytes")" "$(show_path "$path")" "$note"
  done <"$2"
}

files=files
((count != 1)) || files=file
printf '%s: %s in %s %s\n' "$(show_path "$folder")" "$(show_bytes "$total")" "$count" "$files"
section 'Folders' "$scratch/folders" ''
section 'Largest files' "$scratch/largest" ''
section "Can be made again: $(show_bytes "$remade_total")" "$scratch/remade" 'by'
section "Not changed for $stale_days days" "$scratch/stale" changed
section 'There twice' "$scratch/double" 'same as'
[[ $compared == all ]] || printf '\nOnly the %s largest files of equal size were compared.\n' "$compared"
if ((status != 0)); then
  printf 'what-takes-space: %s places could not be read, such as: %s\n' "$unreadable" "$(show_path "$(head -n 1 "$scratch/errors")")" >&2
fi
exit "$status"
