import { lstat } from "node:fs/promises";
import { release } from "node:os";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { type ProcessResult, runProcess } from "@skillet/kit/process";
import { findProgram, isProgram } from "@skillet/kit/program";
import { quoteShell } from "@skillet/kit/text";
import { createLimitGroup, type LimitGroup, readSystemFile } from "../limit-group.ts";
import { plainText } from "../probe-sandbox.ts";
import { seccompProgram } from "../seccomp-program.ts";
import { kernelSecrets, type SystemMount, systemMounts } from "./bubblewrap-arguments.ts";
import { dropPrefix, randomUnusedUser, type User, type WayDown } from "./choose-identity.ts";

export interface SandboxHost {
  readonly bwrap: string;
  readonly prlimit: string;
  readonly isRoot: boolean;
  readonly system: readonly SystemMount[];
  readonly kernelSecrets: readonly string[];
  readonly filter: Uint8Array | undefined;
  /** Absent if root cannot become another user with an outer bubblewrap. */
  readonly drop?: WayDown;
  /** Prefix for commands that root runs as itself; absent if the devices cannot be protected. */
  readonly sealing?: readonly string[];
  /** Whether root can start a program as another user; some containers have only one. */
  readonly canBecomeOthers: boolean;
  readonly hasGroups: boolean;
  /** Whether the kernel counts processes per user namespace: Linux 5.14. */
  readonly countsProcessesByRun: boolean;
}

const TRIAL_DEADLINE_MS = 10_000;
const TRIAL_LIMITS = { memoryBytes: 64 * 1024 * 1024, processes: 16 };
const COUNTS_BY_NAMESPACE: readonly [number, number] = [5, 14];

/** Inspects the machine; throws `sandbox-unavailable` with the command that installs a missing program. */
export async function inspectHost(program: string | undefined): Promise<SandboxHost> {
  const isRoot = process.getuid?.() === 0;
  const bwrap = program === undefined ? findSystemProgram("bwrap") : isProgram(program) && program;
  if (!bwrap) throw await missingProgram("bubblewrap", isRoot);
  const prlimit = findSystemProgram("prlimit");
  if (prlimit === undefined) throw await missingProgram("util-linux", isRoot);
  const drop = isRoot ? await findWayDown(bwrap) : undefined;
  const sealing = isRoot ? await findSealing() : undefined;
  return {
    bwrap,
    prlimit,
    isRoot,
    system: await systemMounts(),
    kernelSecrets: await kernelSecrets(),
    filter: seccompProgram(process.arch),
    ...(drop && { drop }),
    ...(sealing && { sealing }),
    canBecomeOthers: drop !== undefined || (isRoot && (await canBecomeOthers())),
    hasGroups: await canEnterGroups(),
    countsProcessesByRun: isAtLeast(release(), COUNTS_BY_NAMESPACE),
  };
}

export function enterGroups(group: LimitGroup): string[] {
  const steps = group.entrances.map((file) => `echo 0 > ${quoteShell(file)}`);
  return ["/bin/sh", "-c", `${steps.join(" && ")} && exec "$@"`, "sh"];
}

// Not the caller's PATH, which may include a project's programs.
const SYSTEM_PATH = "/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin";

function findSystemProgram(name: string): string | undefined {
  return findProgram(name, { PATH: SYSTEM_PATH });
}

async function missingProgram(name: string, isRoot: boolean): Promise<SkilletError> {
  const osRelease = (await readSystemFile("/etc/os-release")) ?? "";
  const fix = installCommand(name, { osRelease, isRoot });
  const reason = `${name} is not installed`;
  return new SkilletError("sandbox-unavailable", `${reason}, so scripts cannot be contained: ${fix}`, {
    data: { reason, fix },
  });
}

// Linux families, by the ids in /etc/os-release, with each one's install command.
const INSTALLERS: ReadonlyMap<string, string> = new Map(
  [
    ["apt-get install", "debian ubuntu"],
    ["dnf install", "fedora rhel centos"],
    ["pacman -S", "arch"],
    ["apk add", "alpine"],
    ["zypper install", "suse opensuse"],
  ].flatMap(([command = "", ids = ""]) => ids.split(" ").map((id): [string, string] => [id, command])),
);

/** The command that installs a package here, from the text of /etc/os-release. */
export function installCommand(name: string, options: { osRelease: string; isRoot: boolean }): string {
  const ids = ["ID", "ID_LIKE"].flatMap((key) => readValue(options.osRelease, key).split(/\s+/));
  const known = ids.map((id) => INSTALLERS.get(id) ?? INSTALLERS.get(id.split("-")[0] ?? ""));
  const installer = known.find((command) => command !== undefined) ?? "apt-get install";
  return `${options.isRoot ? "" : "sudo "}${installer} ${name}`;
}

function readValue(text: string, key: string): string {
  return new RegExp(`^${key}=["']?([^"'\\n]*)["']?$`, "m").exec(text)?.[1]?.toLowerCase() ?? "";
}

async function findWayDown(bwrap: string): Promise<WayDown | undefined> {
  const setpriv = findSystemProgram("setpriv");
  const place = await findPlace(bwrap);
  if (setpriv === undefined || place === undefined) return undefined;
  const way = { bwrap, setpriv, place };
  const prefix = dropPrefix(way, randomUnusedUser(), []);
  return (await succeeds([...prefix, "/bin/sh", "-c", ":"])) ? way : undefined;
}

async function findSealing(): Promise<readonly string[] | undefined> {
  const [unshare, mount] = [findSystemProgram("unshare"), findSystemProgram("mount")];
  if (unshare === undefined || mount === undefined) return undefined;
  for (const way of ["root", "own-root"] as const) {
    const prefix = sealDevices({ unshare, mount }, way);
    if (await succeeds([...prefix, "/bin/sh", "-c", ":"])) return prefix;
  }
  return undefined;
}

async function canBecomeOthers(): Promise<boolean> {
  try {
    return await succeeds(["/bin/sh", "-c", ":"], randomUnusedUser());
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code.startsWith("process-")) return false;
    throw error;
  }
}

async function findPlace(bwrap: string): Promise<string | undefined> {
  for (const place of ["/mnt", "/media", "/tmp"]) {
    const stats = await lstat(place).catch(undefinedOn("ENOENT"));
    if (stats?.isDirectory() && !bwrap.startsWith(`${place}/`)) return place;
  }
  return undefined;
}

async function canEnterGroups(): Promise<boolean> {
  const group = await createLimitGroup(TRIAL_LIMITS);
  if (group === undefined) return false;
  try {
    return await succeeds([...enterGroups(group), "/bin/sh", "-c", ":"]);
  } finally {
    await group.remove();
  }
}

async function succeeds(argv: readonly string[], user?: User): Promise<boolean> {
  const [program = "", ...args] = argv;
  const { exitCode } = await runProcess({
    argv: [program, ...args],
    environment: {},
    cwd: "/",
    deadlineMs: TRIAL_DEADLINE_MS,
    ...(user && { user }),
  });
  return exitCode === 0;
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, minors = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return ours > major || (ours === major && minors >= minor);
}

const NAMESPACE_TROUBLE = /namespace|uid map|gid map|setgroups|Operation not permitted|No permissions/i;

// The settings with which distributions turn off user namespaces.
const SWITCHES = [
  { name: "kernel.unprivileged_userns_clone", off: "0", on: "1" },
  { name: "user.max_user_namespaces", off: "0", on: "15000" },
  { name: "kernel.apparmor_restrict_unprivileged_userns", off: "1", on: "0" },
] as const;

export async function setUpError(result: ProcessResult): Promise<SkilletError> {
  const said = plainText(Buffer.from(result.stderr.head).toString());
  const ending = said === "" ? `it ended with ${result.exitCode ?? result.signal}` : said;
  const turnedOff = NAMESPACE_TROUBLE.test(said) ? await findSwitch() : undefined;
  const reason =
    turnedOff === undefined
      ? `bubblewrap could not set up the sandbox: ${ending}`
      : `user namespaces are turned off on this machine (${turnedOff.file}): ${ending}`;
  const message = `${reason}. Nothing was run.${turnedOff === undefined ? "" : ` ${turnedOff.fix}`}`;
  return new SkilletError("sandbox-unavailable", message, {
    data: { reason, ...(turnedOff && { fix: turnedOff.fix }) },
  });
}

async function findSwitch(): Promise<{ readonly file: string; readonly fix: string } | undefined> {
  for (const { name, off, on } of SWITCHES) {
    const file = `/proc/sys/${name.replaceAll(".", "/")}`;
    if ((await readSystemFile(file))?.trim() === off) return { file, fix: `sudo sysctl -w ${name}=${on}` };
  }
  return undefined;
}

// The devices that bubblewrap takes from the machine's /dev.
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

/** How the namespace is made: as the machine's root, or in a user namespace with its own root. */
export type SealingWay = "root" | "own-root";

/**
 * Precedes a bubblewrap that root starts while staying root: the script's user then owns the devices, and
 * could change their rights and times for the whole machine. So each device is first mounted read-only over
 * itself, in a namespace that ends with the run; writing to the device still works. Bubblewrap cannot do
 * this: what it makes read-only is no longer a device.
 */
export function sealDevices(
  { unshare, mount }: { readonly unshare: string; readonly mount: string },
  way: SealingWay,
): string[] {
  const namespaces = way === "root" ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
  return [unshare, ...namespaces, "--", "/bin/sh", "-c", SEAL, mount];
}

// The last condition: standard input, opened earlier, would bypass the mount.
const SEAL = `for device in ${DEVICES.join(" ")}; do
  [ -e "/dev/$device" ] || continue
  "$0" --bind "/dev/$device" "/dev/$device" || exit 125
  "$0" -o remount,bind,ro,nosuid,noexec "/dev/$device" || exit 125
done
if [ /dev/stdin -ef /dev/null ]; then exec </dev/null; fi
exec "$@"`;
