import { randomBytes } from "node:crypto";
import { ACCOUNT_FILES } from "../bubblewrap/account-files.ts";
import { quoteShell } from "../quote-shell.ts";
import type { RemoteJob } from "./remote-job.ts";
import { REMOTE_COMMON, REMOTE_JOB } from "./remote-program.ts";
import { FIRST_FILE_DESCRIPTOR } from "./remote-sandbox-options.ts";

/** The name under which a tree is staged on the remote machine. */
export function stageName(digest: string): string {
  return digest.replace(":", "-");
}

/** The values that the remote program expects. */
export function jobValues(job: RemoteJob): Readonly<Record<string, string>> {
  return {
    directory: job.directory,
    digest: stageName(job.tree.digest),
    tree_blocks: String(job.tree.blocks),
    manifest_bytes: String(job.tree.manifest.length),
    filter_bytes: String(job.filter.length),
    stdin_bytes: String(job.stdin.length),
    seconds: (job.timeoutMs / 1000).toFixed(3),
    isolation: job.bare === undefined ? "bubblewrap" : "none",
    drop_uid: job.drop === undefined ? "" : String(job.drop.uid),
    setpriv: job.drop?.setpriv ?? "",
    lent_path: job.workspace?.path ?? "",
    lent_source: job.workspace?.source ?? "",
    mark: `${MARK_NAME}=${randomBytes(16).toString("hex")}`,
  };
}

/** The remote program with the command of one job; every word of it is quoted. */
export function jobProgram({ sandboxOptions, guarded, launcher, argv, bare }: RemoteJob): string {
  const check = bare === undefined ? '/bin/sh -c "$check_mounts" sh "$checks" ' : "";
  return [
    REMOTE_COMMON,
    shellFunction("sandbox_options", call("option", sandboxOptions)),
    shellFunction("guard", [
      ...call("pin", guarded.pinned),
      ...call("protect", guarded.readOnly),
      ...call("hide_home", guarded.homes),
      ...call("hide", guarded.hidden),
    ]),
    shellFunction("open_files", bare === undefined ? accountFiles() : []),
    shellFunction("sandbox_command", [
      ...(bare === undefined ? [] : bareSetting(bare)),
      `launch ${words(launcher)} ${check}${words(argv)}`,
    ]),
    REMOTE_JOB,
  ].join("");
}

// In the environment of everything that a job without a sandbox starts, to find it by.
const MARK_NAME = "SKILLET_PROCESS_MARK";

function words(values: readonly string[]): string {
  return values.map(quoteShell).join(" ");
}

function shellFunction(name: string, lines: readonly string[]): string {
  return `${name}() {\n${[":", ...lines].join("\n")}\n}\n`;
}

function call(name: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : [`${name} ${words(values)}`];
}

// On descriptors, because the user that scripts run as need not be able to read the run's own folder.
function accountFiles(): string[] {
  return ACCOUNT_FILES.flatMap(([, text], index) => {
    const file = `"$run/account-${index}"`;
    return [`printf %s ${quoteShell(text)} >${file}`, `exec ${FIRST_FILE_DESCRIPTOR + index}<${file}`];
  });
}

// The shell's own variables are taken away, private folders come from the run's own one.
function bareSetting({ variables, cwd }: NonNullable<RemoteJob["bare"]>): string[] {
  return [
    'mkdir "$run/home" "$run/tmp" "$run/workspace" || exit 126',
    `cd ${cwd === undefined ? '"$run/workspace"' : quoteShell(cwd)} || exit 126`,
    "unset LC_ALL SSH_CONNECTION PATH PWD OLDPWD SHLVL",
    'export HOME="$run/home" TMPDIR="$run/tmp" "$mark"',
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quoteShell(value)}`),
  ];
}
