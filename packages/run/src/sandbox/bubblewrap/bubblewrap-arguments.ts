import type { BigIntStats } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { isInside } from "@skillet/kit/files";
import { proxyEnvironment } from "../../network/bridge-arguments.ts";
import { words } from "../folder-refusal.ts";
import { scriptVariables } from "../local-sandbox.ts";
import {
  EMPTY_WORKSPACE_PLACE,
  HOME_PLACE,
  PRIVATE_PLACE,
  type SandboxJob,
  SKILL_PLACE,
} from "../sandbox.ts";

export interface BubblewrapPlan {
  readonly system: readonly SystemMount[];
  readonly kernelSecrets: readonly string[];
  readonly mounts: readonly MountToMake[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly temporaryBytes: number;
  readonly descriptors: {
    readonly filter?: number;
    readonly files: readonly number[];
  };
}

/** A file or folder of the host that a script sees, or one that is hidden from it. */
export interface Mount {
  readonly path: string;
  readonly source: string;
  readonly access: "read-only" | "writable" | "hidden";
  /** `given`: the job names it. `guard`: it only restricts what is given. */
  readonly purpose: "given" | "guard";
  /** From when the path was checked; reveals a link put in its place later. */
  readonly stats: BigIntStats;
}

/** The part of a mount that bubblewrap is told; for another machine, no more is known. */
export type MountToMake = Pick<Mount, "path" | "source" | "access"> & {
  readonly stats: Pick<Mount["stats"], "isDirectory">;
};

const MAX_HOME_BYTES = 64 * 1024 * 1024;
const MAX_SHARED_MEMORY_BYTES = 64 * 1024 * 1024;
// The script's user in the sandbox, regardless of who started it.
const USER_ID = "1000";
const HOSTNAME = "skillet";

/** Files that programs expect in /etc; the host's own would reveal its users and networks. */
export const ACCOUNT_FILES: readonly (readonly [path: string, text: string])[] = [
  [
    "/etc/passwd",
    `root:x:0:0:root:/:/usr/sbin/nologin
skillet:x:${USER_ID}:${USER_ID}:skillet:${HOME_PLACE}:/bin/sh
nobody:x:65534:65534:nobody:/:/usr/sbin/nologin
`,
  ],
  ["/etc/group", `root:x:0:\nskillet:x:${USER_ID}:\nnogroup:x:65534:\n`],
  ["/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n"],
  ["/etc/hosts", `127.0.0.1 localhost ${HOSTNAME}\n::1 localhost\n`],
];

export function bubblewrapArguments(plan: BubblewrapPlan): string[] {
  const { temporaryBytes, descriptors } = plan;
  const hidden = plan.mounts.filter(isHiddenFolder).map(({ path }) => path);
  return [
    ...["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"],
    ...["--cap-drop", "ALL", "--uid", USER_ID, "--gid", USER_ID, "--hostname", HOSTNAME, "--clearenv"],
    ...Object.entries(plan.environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--perms", "0755", "--dir", "/etc", "--perms", "0755", "--dir", "/var"],
    ...plan.system.flatMap(systemArguments),
    ...ACCOUNT_FILES.flatMap(([path], index) => [
      ...["--perms", "0644", "--ro-bind-data", String(descriptors.files[index]), path],
    ]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...plan.kernelSecrets.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...boundedFolder("/dev/shm", "1777", Math.min(temporaryBytes, MAX_SHARED_MEMORY_BYTES)),
    // Before the mounts, because a workspace may be below it.
    ...boundedFolder("/tmp", "1777", temporaryBytes),
    ...boundedFolder("/var/tmp", "1777", temporaryBytes),
    ...boundedFolder(PRIVATE_PLACE, "0755", Math.min(temporaryBytes, MAX_HOME_BYTES)),
    ...["--perms", "0700", "--dir", HOME_PLACE, "--perms", "0700", "--dir", EMPTY_WORKSPACE_PLACE],
    ...plan.mounts.flatMap(mountArguments),
    ...hidden.flatMap((path) => ["--remount-ro", path]),
    ...plan.system.flatMap(({ kind, path }) => (kind === "empty" ? ["--remount-ro", path] : [])),
    // Host root without capabilities may still write to /proc/sys, and /proc also exposes a parent's memory.
    ...["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", plan.cwd],
    ...(descriptors.filter === undefined ? [] : ["--seccomp", String(descriptors.filter)]),
  ];
}

function systemArguments(mount: SystemMount): string[] {
  const { kind, path } = mount;
  if (kind === "link") return ["--symlink", mount.target, path];
  return kind === "bind" ? ["--ro-bind", path, path] : ["--perms", "0755", "--tmpfs", path];
}

// Both options must directly precede the mount that they apply to.
function boundedFolder(path: string, permissions: string, bytes: number): string[] {
  return ["--perms", permissions, "--size", String(bytes), "--tmpfs", path];
}

function mountArguments(mount: MountToMake): string[] {
  const { path, source, access } = mount;
  if (isHiddenFolder(mount)) return ["--perms", "0555", "--tmpfs", path];
  // The mount has no device permission, so the file cannot even be opened.
  if (access === "hidden") return ["--ro-bind", "/dev/null", path];
  return [access === "writable" ? "--bind" : "--ro-bind", source, path];
}

function isHiddenFolder({ access, stats }: MountToMake): boolean {
  return access === "hidden" && stats.isDirectory();
}

/** Arguments for `bwrap --args`: on the command line, every user of the machine could read the secrets. */
export function encodeArguments(args: readonly string[]): Uint8Array {
  refuseZeroBytes(args);
  return Buffer.from(args.map((argument) => `${argument}\0`).join(""));
}

/** A zero byte would end one argument of bubblewrap and begin another, such as an unplanned mount. */
export function refuseZeroBytes(words: readonly string[]): void {
  if (words.some((word) => word.includes("\0"))) {
    const message =
      "A path, an argument or a variable for the script has a zero byte in it; nothing was run. Pass it without.";
    throw new SkilletError("sandbox-argument-invalid", message);
  }
}

export function sandboxEnvironment(job: SandboxJob): Record<string, string> {
  return {
    ...scriptVariables(job, { home: HOME_PLACE, temporary: "/tmp", skill: SKILL_PLACE }),
    ...(job.network.length > 0 && proxyEnvironment()),
    // In the sandbox a root-owned project belongs to another user, and git would refuse to read it. Anything
    // a repository makes git do stays in the sandbox.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
  };
}

/** A part of the system that every script sees, read-only. */
export type SystemMount =
  | { readonly kind: "bind"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** Only what is given below it is visible. */
  | { readonly kind: "empty"; readonly path: string };

export const PROGRAMS: readonly string[] = words("/bin /sbin /lib /lib32 /lib64 /libx32");

/** Container images keep whole applications there, with their settings. */
export const APPLICATIONS: readonly string[] = ["/usr/src", "/usr/local/src"];

// Public and the same on every installation; never keys (/etc/ssl/private), accounts or host names.
export const SETTINGS: readonly string[] = words(`
  /etc/alternatives /etc/ld.so.cache /etc/os-release /etc/localtime /etc/mime.types /etc/services /etc/protocols
  /etc/fonts /etc/ssl/certs /etc/ssl/cert.pem /etc/ssl/openssl.cnf /etc/ca-certificates /etc/ca-certificates.conf
  /etc/pki/tls/certs /etc/pki/tls/cert.pem /etc/pki/ca-trust/extracted /etc/crypto-policies`);

// Kernel files that their owner, root, may read without any capability; a script may have root's user number.
export const KERNEL_SECRETS: readonly string[] = words(`
  kcore keys key-users kallsyms kpagecount kpageflags kpagecgroup slabinfo timer_list sched_debug vmallocinfo
  latency_stats sysrq-trigger config.gz`).map((name) => `/proc/${name}`);

export async function kernelSecrets(): Promise<string[]> {
  const kinds = await Promise.all(KERNEL_SECRETS.map(kindOf));
  return KERNEL_SECRETS.filter((_, index) => kinds[index] === "bind");
}

export async function systemMounts(): Promise<SystemMount[]> {
  const mounts: SystemMount[] = [{ kind: "bind", path: "/usr" }];
  for (const path of APPLICATIONS) if ((await kindOf(path)) === "bind") mounts.push({ kind: "empty", path });
  for (const path of PROGRAMS) {
    const kind = await kindOf(path);
    if (kind === "link") mounts.push({ kind, path, target: await readlink(path) });
    else if (kind === "bind") mounts.push({ kind, path });
  }
  for (const path of SETTINGS) if ((await kindOf(path)) !== undefined) mounts.push({ kind: "bind", path });
  return mounts;
}

async function kindOf(path: string): Promise<"bind" | "link" | undefined> {
  const stats = await lstat(path).catch(undefinedOn("ENOENT", "ENOTDIR"));
  return stats && (stats.isSymbolicLink() ? "link" : "bind");
}

/** Sorts mounts in mount order: deeper paths come later. */
export function inMountOrder(left: Mount, right: Mount): number {
  return left.path.split("/").length - right.path.split("/").length || (left.path < right.path ? -1 : 1);
}

/** The mount that decides what a script may do at a path: the nearest one at or above it. */
export function nearestMount(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts
    .filter((mount) => isInside(path, mount.path))
    .reduce<Mount | undefined>(
      (best, mount) => (best === undefined || mount.path.length > best.path.length ? mount : best),
      undefined,
    );
}
