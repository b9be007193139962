import { type Column, type Starts, words } from "./program-row.ts";

const ENVIRONMENT: Starts = { subcommands: words("run"), runsFiles: true };
const PACKAGE_RUNNER = words("exec x dlx");
const PLAIN: Starts = {};

/** Programs that start the command in their arguments. */
export const WRAPPERS: Column<Starts> = {
  // What a shell or coreutils wraps a command in.
  "nohup builtin": { isTransparent: true },
  exec: { isTransparent: true, valued: words("-a") },
  command: { isTransparent: true, harmless: { plain: /^-p$/ } },
  time: { isTransparent: true, valued: words("-f -o --format --output"), harmless: { plain: /^-p$/ } },
  nice: {
    isTransparent: true,
    valued: words("-n --adjustment"),
    harmless: { plain: /^(?:-n?-?\d+|--adjustment=-?\d+)$/, valued: /^(?:-n|--adjustment)$/ },
  },
  timeout: {
    isTransparent: true,
    valued: words("-k -s --kill-after --signal"),
    operands: 1,
    harmless: {
      plain: /^(?:--preserve-status|--foreground|-v|--verbose|-[ks]\w+|--(?:kill-after|signal)=\w+)$/,
      valued: /^(?:-[ks]|--kill-after|--signal)$/,
    },
  },
  stdbuf: {
    isTransparent: true,
    valued: words("-i -o -e --input --output --error"),
    harmless: { plain: /^-[ioe][0L]$/ },
  },
  env: {
    isTransparent: true,
    valued: words("-u --unset -C --chdir -S --split-string"),
    takesAssignments: true,
    directory: words("-C --chdir"),
    text: words("-S --split-string"),
  },
  ionice: { valued: words("-c -n -p -P -u --class --classdata --pid") },
  chrt: { valued: words("-T -P -D"), operands: 1 },
  taskset: { operands: 1 },
  numactl: { valued: words("-N -m -C -p -P -i") },
  "setsid unbuffer chronic catchsegv eatmydata linux32 linux64 torsocks tsocks dbus-run-session arch": PLAIN,
  "busybox toybox": PLAIN,
  chroot: { operands: 1 },
  flock: {
    valued: words("-w -E -c --timeout --wait --conflict-exit-code --command"),
    operands: 1,
    text: words("-c --command"),
  },
  watch: { valued: words("-n --interval -q --equexit") },
  prlimit: { valued: words("-p -o --pid --output") },
  setarch: { operands: 1 },
  caffeinate: { valued: words("-t -w") },
  "proxychains proxychains4": { valued: words("-f") },
  start: { valued: words("/d") },
  call: PLAIN,
  // Other rights are another thing than the command alone, so these need a rule that names them.
  sudo: {
    valued: words(
      "-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -r --role -t --type -U --other-user -R --chroot -T --command-timeout",
    ),
    takesAssignments: true,
    directory: words("-D --chdir"),
    changesUser: true,
    harmless: { plain: /^-[nH]$/ },
  },
  doas: { valued: words("-u -C"), changesUser: true, harmless: { plain: /^-n$/ } },
  pkexec: { valued: words("--user"), changesUser: true },
  su: {
    valued: words("-c --command -s --shell -g --group -G --supp-group -w --whitelist-environment"),
    operands: 1,
    text: words("-c --command"),
    runsInput: true,
    changesUser: true,
  },
  runuser: {
    valued: words("-u --user -c --command -s --shell -g --group -G --supp-group"),
    text: words("-c --command"),
  },
  "sg newgrp": { valued: words("-c"), operands: 1, text: words("-c") },
  setpriv: {
    valued: words("--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits"),
  },
  runcon: { valued: words("-t -u -r -l --type --user --role --range") },
  chpst: { valued: words("-u -U -b -n -l -L -P -m -d -o -p -f -c -/ -e") },
  softlimit: { valued: words("-a -c -d -f -l -m -o -p -r -s -t") },
  "systemd-run": {
    valued: words(
      "-p --property -u --unit -E --setenv -M --machine -H --host --slice --uid --gid --on-active",
    ),
  },
  cgexec: { valued: words("-g") },
  "start-stop-daemon": { valued: words("-p -n -u -x -a -c -g -d -r -N --pidfile --chuid --exec --startas") },
  daemonize: { valued: words("-a -c -e -E -l -o -p -u") },
  // Sandboxes, other roots, other machines' views of this one.
  bwrap: {
    valued: words("--chdir --setenv --unsetenv --proc --dev --tmpfs --dir --hostname --uid --gid"),
    twiceValued: words("--ro-bind --bind --dev-bind --ro-bind-try --bind-try --symlink --file"),
  },
  "firejail proot fakeroot fakechroot unshare nsenter lxc-attach machinectl": {
    valued: words("-r -b -w -q -t"),
  },
  // Tracers and terminals.
  strace: { valued: words("-e -o -s -p -P -a -E -I -O -S -u -U -X") },
  ltrace: { valued: words("-e -o -s -p -a -A -D -F -l -n -u -x") },
  "perf gdb lldb valgrind hyperfine faketime rlwrap entr ssh-agent": {
    valued: words("-n -e -o -p -r -w -f"),
  },
  "xvfb-run dbus-launch": { valued: words("-n -s -e -f -p -w --server-args --server-num --error-file") },
  screen: { valued: words("-S -dmS -mdS -DmS -t -c -p -T -h -s") },
  tmux: {
    subcommands: words(
      "new new-session neww new-window splitw split-window run run-shell respawn-pane respawn-window respawnp respawnw",
    ),
    valued: words("-s -n -c -t -x -y -F -e -l -b -L -S -f"),
  },
  script: { valued: words("-c --command -O -I -B -T -m -o -E"), operands: 1, text: words("-c --command") },
  parallel: {
    valued: words(
      "-j --jobs -N -a -n -I --colsep --joblog -S --sshlogin --delay --timeout --retries --tmpdir",
    ),
    runsInput: true,
  },
  sem: { valued: words("-j --jobs --id --timeout") },
  xargs: {
    valued: words(
      "-n -L -P -s -d -I -E -a --max-args --max-procs --delimiter --arg-file --replace --max-lines --max-chars",
    ),
    harmless: {
      plain:
        /^(?:-[0rtx]+|--null|--no-run-if-empty|--verbose|-[nLPs]\d+|-d.+|--(?:max-args|max-procs|delimiter)=.+)$/,
      valued: /^(?:-[nLPsd]|--max-args|--max-procs|--delimiter)$/,
    },
  },
  "expect at batch": PLAIN,
  // What sets variables, secrets or tools up for a command.
  "cross-env cross-env-shell": { takesAssignments: true },
  "dotenv dotenvx": { valued: words("-f -e -v -p -c --file --env-file") },
  asdf: { subcommands: words("exec") },
  direnv: { subcommands: words("exec"), operands: 1 },
  mise: { subcommands: words("exec x"), valued: words("-C --cd -E --env -j"), directory: words("-C --cd") },
  op: { subcommands: words("run"), valued: words("--env-file --account --session") },
  doppler: {
    subcommands: words("run"),
    valued: words("-p -c -t --project --config --token --name-transformer --mount --command"),
    text: words("--command"),
  },
  "aws-vault": { subcommands: words("exec"), valued: words("-d -t -m --duration --region"), operands: 1 },
  heroku: { subcommands: words("local:run"), valued: words("-e --env -p --port") },
  bundle: { subcommands: words("exec") },
  composer: { subcommands: words("exec"), valued: words("-d --working-dir") },
  "conda mamba micromamba": {
    subcommands: words("run"),
    valued: words("-n --name -p --prefix --cwd"),
    directory: words("--cwd"),
  },
  pixi: { subcommands: words("run"), valued: words("-e --environment --manifest-path") },
  uv: {
    ...ENVIRONMENT,
    valued: words(
      "--with --with-editable --with-requirements -p --python --directory --project --extra --group --no-group --only-group " +
        "--env-file --package --index --default-index -i --index-url --extra-index-url -f --find-links --config-file " +
        "--cache-dir --isolated-from -P --upgrade-package -C --config-setting --link-mode --resolution --prerelease -w -m --module --from",
    ),
    subcommands: words("run x"),
    beforeSubcommand: words("tool"),
    directory: words("--directory"),
  },
  uvx: { valued: words("--from --with -p --python --with-editable --index --index-url -w"), runsFiles: true },
  poetry: {
    ...ENVIRONMENT,
    valued: words("-C --directory -P --project"),
    directory: words("-C --directory"),
  },
  "pipenv rye": ENVIRONMENT,
  pdm: { ...ENVIRONMENT, valued: words("-p --project"), directory: words("-p --project") },
  hatch: { ...ENVIRONMENT, valued: words("-e --env") },
  pipx: { ...ENVIRONMENT, valued: words("--spec --python --pip-args") },
  npx: {
    valued: words("-p --package -c --call --prefix -w --workspace --registry"),
    text: words("-c --call"),
    directory: words("--prefix"),
  },
  npm: {
    subcommands: PACKAGE_RUNNER,
    valued: words("-p --package -c --call --prefix -C -w --workspace --registry"),
    text: words("-c --call"),
    directory: words("--prefix -C"),
  },
  pnpm: {
    subcommands: PACKAGE_RUNNER,
    valued: words("-C --dir --package --filter"),
    directory: words("-C --dir"),
  },
  yarn: { subcommands: PACKAGE_RUNNER, valued: words("--cwd -p --package"), directory: words("--cwd") },
  "bunx pnpx": { valued: words("-p --package") },
  nodemon: {
    valued: words("-w --watch -e --ext -x --exec --require -r --delay"),
    text: words("-x --exec"),
    runsFiles: true,
  },
  concurrently: { valued: words("-n --names -c --prefix-colors -m --max-processes -k") },
  "nix-shell": { valued: words("-p --packages --run --command -I -A"), text: words("--run --command") },
};
