import { SkilletError } from "@skillet/kit/errors";
import type { ProcessResult } from "@skillet/kit/process";
import { readSystemFile } from "../limits/read-system-file.ts";

const MAX_QUOTED_CHARACTERS = 500;
const NAMESPACE_TROUBLE = /namespace|uid map|gid map|setgroups|Operation not permitted|No permissions/i;

interface Switch {
  readonly file: string;
  readonly off: string;
  readonly fix: string;
}

// What distributions have for turning user namespaces off.
const SWITCHES: readonly Switch[] = [
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    off: "0",
    fix: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
  },
  {
    file: "/proc/sys/user/max_user_namespaces",
    off: "0",
    fix: "sudo sysctl -w user.max_user_namespaces=15000",
  },
  {
    file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    off: "1",
    fix: "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  },
];

/** Why bubblewrap ended before the script was started, and the one command that helps where there is one. */
export async function setUpError(result: ProcessResult): Promise<SkilletError> {
  const said = Buffer.from(result.stderr.head).toString().trim().slice(0, MAX_QUOTED_CHARACTERS);
  const ending = said === "" ? `it ended with ${result.exitCode ?? result.signal}` : said;
  const turnedOff = NAMESPACE_TROUBLE.test(said) ? await findSwitch() : undefined;
  const reason =
    turnedOff === undefined
      ? `bubblewrap could not set up the sandbox: ${ending}`
      : `user namespaces are turned off on this machine (${turnedOff.file}): ${ending}`;
  return new SkilletError(
    "sandbox-unavailable",
    `${reason}. Nothing was run.${turnedOff === undefined ? "" : ` ${turnedOff.fix}`}`,
    { data: { reason, ...(turnedOff && { fix: turnedOff.fix }) } },
  );
}

async function findSwitch(): Promise<Switch | undefined> {
  for (const candidate of SWITCHES)
    if ((await readSystemFile(candidate.file))?.trim() === candidate.off) return candidate;
  return undefined;
}
