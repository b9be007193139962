import { quoteShell } from "@skillet/kit/text";
import type { RunLimits } from "../../run-limits.ts";
import { prlimitArguments } from "../limit-group.ts";
import type { Mount } from "./bubblewrap-arguments.ts";

/** The descriptor on which the set-up of a run reports that it is done. */
export const READY_DESCRIPTOR = 3;
export const READY = "ready";

/** The descriptor from which the guard reads its paths, which may be too many for an argument. */
export const GUARD_DESCRIPTOR = 4;

/**
 * The command that bubblewrap starts inside: it sets limits, checks that every mount is as planned, reports
 * ready and becomes the script. Nothing of the skill has run before. `script` is read from GUARD_DESCRIPTOR.
 */
export function guardedCommand(options: {
  readonly prlimit: string;
  readonly limits: RunLimits;
  readonly limitMark?: string | undefined;
  readonly mounts: readonly Mount[];
  readonly command: readonly string[];
}): { readonly argv: readonly string[]; readonly script: string } {
  const { prlimit, mounts, command } = options;
  const limits = prlimitArguments(options.limits, options.limitMark);
  // Set inside the user namespace, where the kernel counts only this run's processes.
  const argv = [prlimit, ...limits, "/bin/sh", "-c", READ_SCRIPT, "sh", ...command];
  return { argv, script: guardScript(mounts) };
}

// Not opened by name, which the kernel refuses for sockets.
const READ_SCRIPT = `eval "$(PATH=/usr/bin:/bin cat <&${GUARD_DESCRIPTOR})"`;

function guardScript(mounts: readonly Mount[]): string {
  const visible = mounts.filter(({ access }) => access !== "hidden");
  const hiddenFiles = mounts.filter(({ access, stats }) => access === "hidden" && !stats.isDirectory());
  return [
    MOUNT_POINTS,
    // Since the check, another running script could have put a link where a folder was. Then something else
    // is mounted, or the mount that was to hide or protect it landed at the link's target.
    `has ${quoted(mounts.map(mountPoint))} &&`,
    ...sameAnswers(
      "%d:%i",
      visible.map(({ path, stats }) => [path, `${stats.dev}:${stats.ino}`]),
    ),
    ...sameAnswers(
      "%t:%T",
      hiddenFiles.map(({ path }) => [path, NULL_DEVICE]),
    ),
    "{ : ; } ||",
    "{ echo 'a folder that the script is given was replaced while the sandbox was set up; run it again' >&2; exit 125; }",
    `[ -x "$1" ] || { echo "there is no program $1 in the sandbox" >&2; exit 125; }`,
    `echo ${READY} >&${READY_DESCRIPTOR}; exec ${READY_DESCRIPTOR}>&- ${GUARD_DESCRIPTOR}<&-`,
    "unset OLDPWD SHLVL",
    'exec "$@"',
  ].join("\n");
}

const NULL_DEVICE = "1:3";
// The kernel's mounts, a line each: mount point, access and type; `has` looks for beginnings of such lines.
const MOUNT_POINTS = `nl='
'
points="$nl$(while read -r _ _ _ _ point options rest; do
  rest=\${rest#*- }
  printf '%s\\n' "$point \${options%%,*} \${rest%% *}"
done </proc/self/mountinfo)$nl"
has() { for point; do case $points in *"$nl$point"*) ;; *) return 1 ;; esac; done; }`;

/** How the kernel's line for a mount must begin: its mount point, access and type. */
function mountPoint({ path, access, stats }: Mount): string {
  const place = path.replace(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);
  if (access === "writable") return `${place} `;
  return access === "hidden" && stats.isDirectory() ? `${place} ro tmpfs\n` : `${place} ro `;
}

function sameAnswers(
  format: string,
  expected: readonly (readonly [path: string, answer: string])[],
): string[] {
  if (expected.length === 0) return [];
  const answers = expected.map(([, answer]) => answer).join("\n");
  return [
    `[ "$(PATH=/usr/bin:/bin stat -c ${format} -- ${quoted(expected.map(([path]) => path))})" = ${quoteShell(answers)} ] &&`,
  ];
}

export function quoted(words: readonly string[]): string {
  return words.map(quoteShell).join(" ");
}
