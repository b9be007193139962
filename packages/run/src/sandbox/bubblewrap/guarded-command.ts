import type { RunLimits } from "../../run-limits.ts";
import { prlimitArguments } from "../limits/prlimit-arguments.ts";
import { quoteShell } from "../quote-shell.ts";
import type { Mount } from "./plan-mounts.ts";

/** The first descriptor after the standard ones: what sets up a run says there that it is done. */
export const READY_DESCRIPTOR = 3;
/** What it says. */
export const READY = "ready";

/**
 * The command that bubblewrap starts inside: it sets the limits, looks whether every mount is what was planned, says
 * that it is ready, and becomes the script. Nothing of the skill has run until then.
 */
export function guardedCommand(options: {
  readonly prlimit: string;
  readonly limits: RunLimits;
  readonly mounts: readonly Mount[];
  readonly command: readonly string[];
}): string[] {
  const { prlimit, limits, mounts, command } = options;
  // Limits inside the user namespace: there the kernel counts only this run's processes, not all of the user's.
  return [prlimit, ...prlimitArguments(limits), "/bin/sh", "-c", guardScript(mounts), "sh", ...command];
}

function guardScript(mounts: readonly Mount[]): string {
  const visible = mounts.filter(({ access }) => access !== "hidden");
  const paths = visible.map(({ path }) => quoteShell(path)).join(" ");
  const identities = visible.map(({ stats }) => `${stats.dev}:${stats.ino}`).join("\n");
  return [
    // Another script that runs at this moment could have put a link where a folder was when it was looked at.
    `[ "$(stat -c %d:%i -- ${paths})" = ${quoteShell(identities)} ] ||`,
    "{ echo 'a folder that the script is given was replaced while the sandbox was set up; run it again' >&2; exit 125; }",
    `[ -x "$1" ] || { echo "there is no program $1 in the sandbox" >&2; exit 125; }`,
    `echo ${READY} >&${READY_DESCRIPTOR}; exec ${READY_DESCRIPTOR}>&-`,
    "unset OLDPWD SHLVL",
    'exec "$@"',
  ].join("\n");
}
