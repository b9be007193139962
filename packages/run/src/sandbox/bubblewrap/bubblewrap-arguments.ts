import { EMPTY_WORKSPACE_PLACE, HOME_PLACE, PRIVATE_PLACE } from "../sandbox-places.ts";
import { ACCOUNT_FILES, SANDBOX_HOSTNAME, SANDBOX_UID } from "./account-files.ts";
import type { Mount } from "./mount.ts";
import type { SystemMount } from "./system-mounts.ts";

/** What bubblewrap is told about one run. */
export interface BubblewrapPlan {
  readonly system: readonly SystemMount[];
  readonly kernelSecrets: readonly string[];
  /** In the order of `planMounts`. */
  readonly mounts: readonly MountToMake[];
  readonly environment: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly temporaryBytes: number;
  readonly descriptors: {
    /** Where the filter of system calls can be read; absent where there is none. */
    readonly filter?: number;
    /** Where the account files can be read, in their order. */
    readonly files: readonly number[];
  };
}

/** As much of a mount as bubblewrap is told; on another machine no more of it is known. */
export type MountToMake = Pick<Mount, "path" | "source" | "access"> & {
  readonly stats: Pick<Mount["stats"], "isDirectory">;
};

const MAX_HOME_BYTES = 64 * 1024 * 1024;
const MAX_SHARED_MEMORY_BYTES = 64 * 1024 * 1024;

/** Everything before the `--` of bubblewrap. */
export function bubblewrapArguments(plan: BubblewrapPlan): string[] {
  const { temporaryBytes, descriptors } = plan;
  const hidden = plan.mounts.filter(isHiddenFolder).map(({ path }) => path);
  return [
    ...["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"],
    ...["--cap-drop", "ALL", "--uid", String(SANDBOX_UID), "--gid", String(SANDBOX_UID)],
    ...["--hostname", SANDBOX_HOSTNAME, "--clearenv"],
    ...[...plan.environment].flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--perms", "0755", "--dir", "/etc", "--perms", "0755", "--dir", "/var"],
    ...plan.system.flatMap(systemArguments),
    ...ACCOUNT_FILES.flatMap(([path], index) => [
      ...["--perms", "0644", "--ro-bind-data", String(descriptors.files[index]), path],
    ]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...plan.kernelSecrets.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...boundedFolder("/dev/shm", "1777", Math.min(temporaryBytes, MAX_SHARED_MEMORY_BYTES)),
    // Before the mounts: a workspace may lie below it.
    ...boundedFolder("/tmp", "1777", temporaryBytes),
    ...boundedFolder("/var/tmp", "1777", temporaryBytes),
    ...boundedFolder(PRIVATE_PLACE, "0755", Math.min(temporaryBytes, MAX_HOME_BYTES)),
    ...["--perms", "0700", "--dir", HOME_PLACE, "--perms", "0700", "--dir", EMPTY_WORKSPACE_PLACE],
    ...plan.mounts.flatMap(mountArguments),
    ...hidden.flatMap((path) => ["--remount-ro", path]),
    ...plan.system.flatMap(({ kind, path }) => (kind === "empty" ? ["--remount-ro", path] : [])),
    // Host root without capabilities may still write to /proc/sys, and a parent's memory lies in /proc too.
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

function boundedFolder(path: string, permissions: string, bytes: number): string[] {
  // Both must stand directly before what they are for.
  return ["--perms", permissions, "--size", String(bytes), "--tmpfs", path];
}

function mountArguments(mount: MountToMake): string[] {
  const { path, source, access } = mount;
  if (isHiddenFolder(mount)) return ["--perms", "0555", "--tmpfs", path];
  // Without permission for devices it cannot even be opened.
  if (access === "hidden") return ["--ro-bind", "/dev/null", path];
  return [access === "writable" ? "--bind" : "--ro-bind", source, path];
}

function isHiddenFolder({ access, stats }: MountToMake): boolean {
  return access === "hidden" && stats.isDirectory();
}
