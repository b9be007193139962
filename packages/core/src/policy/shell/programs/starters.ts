import { list, type ProgramTraits } from "./program-traits.ts";

const START_ARGUMENTS =
  "at aws-vault batch bunx busybox bwrap caffeinate catchsegv cgexec chpst chroot chrt concurrently cross-env " +
  "daemonize dbus-launch dbus-run-session direnv doas dotenv dotenvx eatmydata entr env exec expect faketime fakeroot " +
  "firejail flock gdb hyperfine ionice linux32 linux64 lldb ltrace lxc-attach machinectl newgrp nix-shell nodemon npx " +
  "nsenter numactl parallel perf pkexec prlimit proot proxychains proxychains4 rlwrap runcon runuser script sem setarch " +
  "setpriv setsid sg softlimit ssh-agent start-stop-daemon stdbuf strace su sudo systemd-run taskset torsocks toybox " +
  "tsocks unbuffer unshare uvx valgrind watch xargs xvfb-run";
const SHELL_STATE =
  ". alias bind compgen complete coproc declare enable eval export fc getopts hash history jobs let local " +
  "mapfile popd pushd read readarray readonly set shopt source trap typeset unalias unset wait";
const INTERACTIVE =
  "crontab dc ed emacs ex ftp gnuplot less m4 mail mailx mariadb more most mysql nano nvim pico psql rvim screen sftp " +
  "sqlite3 telnet tmux vi view vim visudo";

/** Programs and builtins whose whole purpose is to run, load or redefine something. */
export const STARTERS: Readonly<Record<string, ProgramTraits>> = {
  ...same(START_ARGUMENTS, { startsArguments: true }),
  ...same(SHELL_STATE, { never: "changes what later commands mean" }),
  ...same(INTERACTIVE, { never: "runs commands that are typed into it" }),
  printf: { short: "v" },
  test: { words: ["-v", "-R"] },
  "[": { words: ["-v", "-R"] },
};

function same(names: string, traits: ProgramTraits): Record<string, ProgramTraits> {
  return Object.fromEntries(list(names).map((name) => [name, traits]));
}
