# Lists files with what space depends on, the same on GNU and BSD systems. Sourced, not run.

# One line a file, fields separated by tabs: allocated bytes, size, last change in seconds, device:inode, path.
# Line breaks and tabs of a path are written as the bytes 1 and 2, so that a line is always one file; real_path turns
# them back.
list_files() {
  if find /dev/null -printf '' 2>/dev/null; then
    find "$1" -xdev -type f -printf '%b %s %T@ %D:%i %p\0' | tr '\n\t\0' '\1\2\n' | as_fields
  else
    # Without -printf, a path with a line break cannot be told from two; such files are left out.
    find "$1" -xdev -type f ! -path $'*\n*' -exec stat -f '%b %z %m %d:%i %N' {} + | tr '\t' '\2' | as_fields
  fi
}

# Blocks have 512 bytes on both. A file with several names is listed under the first.
as_fields() {
  LC_ALL=C sort -t ' ' -k 5 | LC_ALL=C awk '!seen[$4]++ {
    path = substr($0, length($1) + length($2) + length($3) + length($4) + 5)
    printf "%.0f\t%s\t%d\t%s\t%s\n", $1 * 512, $2, $3, $4, path
  }'
}

real_path() {
  local path=${1//$'\1'/$'\n'}
  printf '%s' "${path//$'\2'/$'\t'}"
}

# The digest of a file, or nothing when it cannot be read.
digest_of() {
  [[ -r $1 ]] || return 0
  # From standard input: before an odd name, both would mark the digest with a backslash.
  if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}
