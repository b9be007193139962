import type { Column, Starts, Written } from "./program-row.ts";

const ENVIRONMENT: Written<Starts> = { subcommands: "run", runsFiles: true };
const PACKAGE_RUNNER = "exec x dlx";
const PLAIN: Written<Starts> = {};

export const WRAPPERS: Column<Written<Starts>> = {
  // Wrappers of shells and coreutils.
  "nohup builtin": { isTransparent: true },
  exec: { isTransparent: true, valued: "-a" },
  command: { isTransparent: true, harmless: { plain: /^-p$/ } },
  time: { isTransparent: true, valued: "-f -o --format --output", harmless: { plain: /^-p$/ } },
  nice: {
    isTransparent: true,
    valued: "-n --adjustment",
    harmless: { plain: /^(?:-n?-?\d+|--adjustment=-?\d+)$/, valued: /^(?:-n|--adjustment)$/ },
  },
  timeout: {
    isTransparent: true,
    valued: "-k -s --kill-after --signal",
    operands: 1,
    harmless: {
      plain: /^(?:--preserve-status|--foreground|-v|--verbose|-[ks]\w+|--(?:kill-after|signal)=\w+)$/,
      valued: /^(?:-[ks]|--kill-after|--signal)$/,
    },
  },
  stdbuf: {
    isTransparent: true,
    valued: "-i -o -e --input --output --error",
    harmless: { plain: /^-[ioe][0L]$/ },
  },
  env: {
    isTransparent: true,
    valued: "-u --unset -C --chdir -S --split-string",
    takesAssignments: true,
    directory: "-C --chdir",
    text: "-S --split-string",
  },
  ionice: { valued: "-c -n -p -P -u --class --classdata --pid" },
  chrt: { valued: "-T -P -D", operands: 1 },
  taskset: { operands: 1 },
  numactl: { valued: "-N -m -C -p -P -i" },
  "setsid unbuffer chronic catchsegv eatmydata linux32 linux64 torsocks tsocks dbus-run-session arch": PLAIN,
  "busybox toybox": PLAIN,
  chroot: { operands: 1 },
  flock: {
    valued: "-w -E -c --timeout --wait --conflict-exit-code --command",
    operands: 1,
    text: "-c --command",
  },
  watch: { valued: "-n --interval -q --equexit" },
  prlimit: { valued: "-p -o --pid --output" },
  setarch: { operands: 1 },
  caffeinate: { valued: "-t -w" },
  "proxychains proxychains4": { valued: "-f" },
  start: { valued: "/d" },
  call: PLAIN,
  // Running with other rights differs from running the command alone, so these need a rule that names them.
  sudo: {
    valued:
      "-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -r --role -t --type -U --other-user -R --chroot -T --command-timeout",
    takesAssignments: true,
    directory: "-D --chdir",
    changesUser: true,
    harmless: { plain: /^-[nH]$/ },
  },
  doas: { valued: "-u -C", changesUser: true, harmless: { plain: /^-n$/ } },
  pkexec: { valued: "--user", changesUser: true },
  su: {
    valued: "-c --command -s --shell -g --group -G --supp-group -w --whitelist-environment",
    operands: 1,
    text: "-c --command",
    runsInput: true,
    changesUser: true,
  },
  runuser: { valued: "-u --user -c --command -s --shell -g --group -G --supp-group", text: "-c --command" },
  "sg newgrp": { valued: "-c", operands: 1, text: "-c" },
  setpriv: { valued: "--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits" },
  runcon: { valued: "-t -u -r -l --type --user --role --range" },
  chpst: { valued: "-u -U -b -n -l -L -P -m -d -o -p -f -c -/ -e" },
  softlimit: { valued: "-a -c -d -f -l -m -o -p -r -s -t" },
  "systemd-run": {
    valued: "-p --property -u --unit -E --setenv -M --machine -H --host --slice --uid --gid --on-active",
  },
  cgexec: { valued: "-g" },
  "start-stop-daemon": { valued: "-p -n -u -x -a -c -g -d -r -N --pidfile --chuid --exec --startas" },
  daemonize: { valued: "-a -c -e -E -l -o -p -u" },
  // Sandboxes, other roots, and views of this machine from containers.
  bwrap: {
    valued: "--chdir --setenv --unsetenv --proc --dev --tmpfs --dir --hostname --uid --gid",
    twiceValued: "--ro-bind --bind --dev-bind --ro-bind-try --bind-try --symlink --file",
  },
  "firejail proot fakeroot fakechroot unshare nsenter lxc-attach machinectl": { valued: "-r -b -w -q -t" },
  // Tracers and terminals.
  strace: { valued: "-e -o -s -p -P -a -E -I -O -S -u -U -X" },
  ltrace: { valued: "-e -o -s -p -a -A -D -F -l -n -u -x" },
  "perf gdb lldb valgrind hyperfine faketime rlwrap entr ssh-agent": { valued: "-n -e -o -p -r -w -f" },
  "xvfb-run dbus-launch": { valued: "-n -s -e -f -p -w --server-args --server-num --error-file" },
  screen: { valued: "-S -dmS -mdS -DmS -t -c -p -T -h -s" },
  tmux: {
    subcommands:
      "new new-session neww new-window splitw split-window run run-shell respawn-pane respawn-window respawnp respawnw",
    valued: "-s -n -c -t -x -y -F -e -l -b -L -S -f",
  },
  script: { valued: "-c --command -O -I -B -T -m -o -E", operands: 1, text: "-c --command" },
  parallel: {
    valued: "-j --jobs -N -a -n -I --colsep --joblog -S --sshlogin --delay --timeout --retries --tmpdir",
    runsInput: true,
  },
  sem: { valued: "-j --jobs --id --timeout" },
  xargs: {
    valued:
      "-n -L -P -s -d -I -E -a --max-args --max-procs --delimiter --arg-file --replace --max-lines --max-chars",
    harmless: {
      plain:
        /^(?:-[0rtx]+|--null|--no-run-if-empty|--verbose|-[nLPs]\d+|-d.+|--(?:max-args|max-procs|delimiter)=.+)$/,
      valued: /^(?:-[nLPsd]|--max-args|--max-procs|--delimiter)$/,
    },
  },
  "expect at batch": PLAIN,
  // Wrappers that set up variables, secrets or tools for a command.
  "cross-env cross-env-shell": { takesAssignments: true },
  "dotenv dotenvx": { valued: "-f -e -v -p -c --file --env-file" },
  asdf: { subcommands: "exec" },
  direnv: { subcommands: "exec", operands: 1 },
  mise: { subcommands: "exec x", valued: "-C --cd -E --env -j", directory: "-C --cd" },
  op: { subcommands: "run", valued: "--env-file --account --session" },
  doppler: {
    subcommands: "run",
    valued: "-p -c -t --project --config --token --name-transformer --mount --command",
    text: "--command",
  },
  "aws-vault": { subcommands: "exec", valued: "-d -t -m --duration --region", operands: 1 },
  heroku: { subcommands: "local:run", valued: "-e --env -p --port" },
  bundle: { subcommands: "exec" },
  composer: { subcommands: "exec", valued: "-d --working-dir" },
  "conda mamba micromamba": { subcommands: "run", valued: "-n --name -p --prefix --cwd", directory: "--cwd" },
  pixi: { subcommands: "run", valued: "-e --environment --manifest-path" },
  uv: {
    ...ENVIRONMENT,
    valued:
      "--with --with-editable --with-requirements -p --python --directory --project --extra --group --no-group --only-group " +
      "--env-file --package --index --default-index -i --index-url --extra-index-url -f --find-links --config-file " +
      "--cache-dir --isolated-from -P --upgrade-package -C --config-setting --link-mode --resolution --prerelease -w -m --module --from",
    subcommands: "run x",
    beforeSubcommand: "tool",
    directory: "--directory",
  },
  uvx: { valued: "--from --with -p --python --with-editable --index --index-url -w", runsFiles: true },
  poetry: { ...ENVIRONMENT, valued: "-C --directory -P --project", directory: "-C --directory" },
  "pipenv rye": ENVIRONMENT,
  pdm: { ...ENVIRONMENT, valued: "-p --project", directory: "-p --project" },
  hatch: { ...ENVIRONMENT, valued: "-e --env" },
  pipx: { ...ENVIRONMENT, valued: "--spec --python --pip-args" },
  npx: {
    valued: "-p --package -c --call --prefix -w --workspace --registry",
    text: "-c --call",
    directory: "--prefix",
  },
  npm: {
    subcommands: PACKAGE_RUNNER,
    valued: "-p --package -c --call --prefix -C -w --workspace --registry",
    text: "-c --call",
    directory: "--prefix -C",
  },
  pnpm: { subcommands: PACKAGE_RUNNER, valued: "-C --dir --package --filter", directory: "-C --dir" },
  yarn: { subcommands: PACKAGE_RUNNER, valued: "--cwd -p --package", directory: "--cwd" },
  "bunx pnpx": { valued: "-p --package" },
  nodemon: {
    valued: "-w --watch -e --ext -x --exec --require -r --delay",
    text: "-x --exec",
    runsFiles: true,
  },
  concurrently: { valued: "-n --names -c --prefix-colors -m --max-processes -k" },
  "nix-shell": { valued: "-p --packages --run --command -I -A", text: "--run --command" },
};
