/**
 * The beginning of every remote program. Expects `nonce` and `directory`, and leaves the connection on
 * descriptor 9, the script's standard error on 8, and nothing on 0 and 2, where a shell could write its own
 * messages.
 *
 * Written for dash, bash and busybox: `dd iflag=fullblock` is the only way to read an exact number of bytes
 * from a pipe in all of them.
 */
export const REMOTE_COMMON: string = String.raw`
set -u
umask 077
LC_ALL=C; export LC_ALL
exec 9<&0 0</dev/null 8>&2 2>/dev/null
say() { printf '%s %s\n' "$nonce" "$*"; }
fail() { say "fail $*"; exit 1; }
take() {
  blocks=$((($1 + 4095) / 4096))
  if [ "$blocks" -eq 0 ]; then : >"$2"; else
    dd bs=4096 count="$blocks" iflag=fullblock <&9 | head -c "$1" >"$2"
  fi
  [ $(($(wc -c <"$2"))) -eq "$1" ] || exit 1
}
own_folder() {
  mkdir -p "$1" && [ -n "$(find "$1" -prune -type d -user "$(id -u)" ! -perm -020 ! -perm -002)" ] &&
    [ -n "$(find "$1/.." -prune \( ! -perm -002 -o -perm -1000 \))" ]
}
[ -n "$directory" ] || directory=$HOME/.cache/skillet/staged
`;

/**
 * Lists what the machine has. Expects `directory`, `workspace`, and lists separated by spaces: `tools`,
 * `interpreters`, `programs`, `applications`, `settings`, `secrets`.
 */
export const REMOTE_SURVEY: string = String.raw`
say "fact system $(uname -s)"
say "fact machine $(uname -m)"
say "fact uid $(id -u)"
say "fact home $(cd "$HOME" && pwd -P || printf %s "$HOME")"
say "fact directory $directory"
say "fact printf $(command -v printf)"
say "fact ids $(sed -n 's/^ID\(_LIKE\)*=//p' /etc/os-release | tr -d '"' | tr '\n' ' ')"
for place in /mnt /media /tmp; do [ -d "$place" ] && [ ! -L "$place" ] && say "fact place $place" && break; done
say "fact network $(readlink /proc/self/ns/net)"
# Not by the shell itself: busybox has programs of its own under names whose options it does not know.
locate() (
  IFS=:
  for folder in $PATH; do [ -f "$folder/$1" ] && [ -x "$folder/$1" ] && printf %s "$folder/$1" && exit 0; done
  exit 1
)
for tool in $tools; do
  found=$(locate "$tool") || continue
  # It is called inside, where a link from elsewhere leads nowhere.
  [ "$tool" != prlimit ] || found=$(readlink -f "$found")
  say "tool $tool $found"
done
for name in $interpreters; do
  found=$(locate "$name") && found=$(readlink -f "$found") && say "interpreter $name $found" || continue
  case $found in
    /usr/*) ;;
    */bin/*) say "prefix $name $(ls -A "$(dirname "$(dirname "$found")")" | head -n 65 | tr '\n' ' ')" ;;
  esac
done
for path in $programs; do
  if [ -L "$path" ]; then say "link $path $(readlink "$path")"; elif [ -e "$path" ]; then say "bind $path"; fi
done
for path in $applications; do [ -d "$path" ] && [ ! -L "$path" ] && say "empty $path"; done
for path in $settings; do [ -e "$path" ] && say "bind $path"; done
for path in $secrets; do [ -f "$path" ] && say "secret $path"; done
if [ -n "$workspace" ] && [ -d "$workspace" ]; then
  workspace=$(cd "$workspace" && pwd -P)
  say "fact workspace $workspace"
  [ -n "$(find "$workspace" -prune -perm "-$needed_mode")" ] && say "fact open yes"
fi
if bash=$(locate bash) && set -- $SSH_CONNECTION && [ $# -eq 4 ]; then
  "$bash" -c 'exec 5<>"/dev/tcp/$1/$2"' bash "$3" "$4" 8>&- 9<&- && say "fact server $3 $4"
fi
say "done"
`;

/**
 * Unpacks a skill and runs one command. Expects `directory`, `run`, `tree_blocks`, `filter_bytes`,
 * `stdin_bytes`, `seconds`, `drop_uid`, `setpriv`, `lent_path`, `lent_source`, and the functions
 * `sandbox_options`, `guard`, `open_files` and `sandbox_command`.
 *
 * The script starts only after the line `go`; after that, any input, or the end of the connection, ends it.
 * However it ends, the end is reported only when no process of its tree is left: the kernel empties a PID
 * namespace before its first process is gone.
 */
export const REMOTE_JOB: string = String.raw`
own_folder "$directory" && mkdir "$run" "$run/tree" || fail "directory $directory"
remove() { chmod -R u+w "$1"; rm -rf "$1"; }
trap 'remove "$run"' EXIT
trap 'exit 1' HUP INT TERM PIPE
# Left over from a machine that went down.
for old in $(cd "$directory" && find . ! -name . -prune -name 'run.*' -mtime +0); do remove "$directory/$old"; done
take "$filter_bytes" "$run/filter"
take "$stdin_bytes" "$run/stdin"
dd bs=4096 count="$tree_blocks" iflag=fullblock <&9 | { tar -x -o -f - -C "$run/tree"; code=$?; cat >/dev/null; exit $code; } ||
  fail "unpack"
find "$run/tree" -type f -perm -100 -exec chmod 555 {} +
find "$run/tree" -type f ! -perm -100 -exec chmod 444 {} +
find "$run/tree" -depth -type d -exec chmod 555 {} +
say "ready"
read -r word <&9 && [ "$word" = go ] || exit 1

option() { printf '%s\0' "$@"; }
# Names in the workspace that is lent. A link is passed over: a mount would land where it leads. So is what the
# script's user does not reach, since bubblewrap, which runs as that user, could not mount it.
real() {
  [ -e "$lent_path/$1" ] || return 1
  found=$(readlink -f "$lent_path/$1") || unguarded=yes
  [ "$found" = "$lent_path/$1" ] || return 1
  [ -z "$drop_uid" ] && return
  (cd "$lent_path" && "$setpriv" "--reuid=$drop_uid" "--regid=$drop_uid" --clear-groups /bin/sh -c '[ -e "$1" ] || exit 9' sh "./$1")
  case $? in 0) return 0 ;; 9) return 1 ;; *) unguarded=yes; return 1 ;; esac
}
note() { stat -c '%d:%i %n' -- "$1" >>"$run/checks" || unguarded=yes; }
mount_again() { ! real "$2" || { note "$lent_path/$2"; option "$1" "$lent_source/$2" "$lent_path/$2"; }; }
pin() { for name; do mount_again --bind "$name"; done; }
protect() { for name; do mount_again --ro-bind "$name"; done; }
hide() {
  for name; do
    if ! real "$name"; then :
    elif [ -d "$lent_path/$name" ]; then option --perms 0555 --tmpfs "$lent_path/$name" --remount-ro "$lent_path/$name"
    else option --ro-bind /dev/null "$lent_path/$name"; fi
  done
}
hide_home() {
  for home; do
    for entry in "$lent_path/$home".[!.]* "$lent_path/$home"..?* "$lent_path/$home"snap; do hide "${"$"}{entry#"$lent_path/"}"; done
  done
}
unguarded=
: >"$run/checks"
[ -z "$lent_path" ] || note "$lent_path"
guard >"$run/guards" || unguarded=yes
[ -z "$unguarded" ] || fail "guard"
checks=$(cat "$run/checks")
# Inside, before the script: another one that runs at this moment could have put a link where a folder was.
check_mounts='
printf "%s\n" "$1" | while read -r identity path; do
  [ -z "$path" ] || [ "$(stat -c %d:%i -- "$path")" = "$identity" ] || exit 1
done || { echo "a folder that the script is given was replaced while the sandbox was set up; run it again" >&2; exit 125; }
shift
unset OLDPWD SHLVL
exec "$@"'

exec 3<"$run/filter" 6<"$run/stdin"
rm -f "$run/filter" "$run/stdin"
: >"$run/status"
rounds() { count=0; while [ "$count" -lt "$1" ] && "$2"; do sleep 0.02; count=$((count + 1)); done; }
starting() { [ ! -s "$run/pid" ]; }
setting_up() { [ ! -s "$run/status" ] && kill -0 "$job"; }
end_job() {
  (set -C; printf '%s' "$1" >"$run/reason")
  rounds 100 starting
  job=$(cat "$run/pid") || return
  # Before its first process is known, the end of bubblewrap would leave that one waiting.
  rounds 100 setting_up
  kill -KILL "$job"
}
(
  trap - EXIT HUP INT TERM PIPE
  exec 3<&- 6<&- 8>&- >/dev/null
  read -r word <&9 || word=lost
  end_job "$word"
) &
listener=$!
(
  trap - EXIT HUP INT PIPE; trap 'kill "$sleeper"; exit 0' TERM
  exec 3<&- 6<&- 8>&- 9<&- >/dev/null
  sleep "$seconds" & sleeper=$!
  wait "$sleeper"
  end_job deadline
) &
watchdog=$!
launch() { exec /bin/sh -c 'printf %s "$$" >"$0" && exec "$@"' "$run/pid" "$@"; }
say "start"
say "start" >&8
# In the foreground: a shell lets its background jobs ignore interrupts, and the script would inherit that.
{ sandbox_options; cat "$run/guards"; } | {
  exec 5<&0 0<&6 6<&- 4>"$run/status" 2>&8 8>&- 9<&-
  open_files
  sandbox_command
}
code=$?
trap '' HUP PIPE
kill -KILL "$listener"
kill -TERM "$watchdog"
left=0
first=$(sed -n 's/.*"child-pid": *\([0-9][0-9]*\).*/\1/p' "$run/status" | head -n 1)
first_lives() {
  if [ -z "$drop_uid" ]; then found=/proc/$first/status
  else found=$(grep -ls "^Uid:[[:space:]]*$drop_uid[[:space:]]" /proc/[0-9]*/status); fi
  # A process that is only waiting to be collected is no longer alive.
  for status in $found; do [ ! -e "$status" ] || grep -qs '^State:[[:space:]]*[ZX]' "$status" || return 0; done
  return 1
}
rounds 250 first_lives
first_lives && left=1
ran=0
grep -q '"exit-code"' "$run/status" && ran=1
reason=exit
[ ! -e "$run/reason" ] || reason=$(cat "$run/reason")
say "end $code $reason $ran $left"
say "end" >&8
`;
