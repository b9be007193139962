import { hash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { errorCode, undefinedOn } from "../errors.ts";

/** Which process, on which boot of which machine; a bare process id is reused and means nothing elsewhere. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** A digest, because a machine id should not be published. */
  readonly machine?: string;
  readonly boot?: string;
  /** Containers can share a host name and a boot, but have separate process ids. */
  readonly pidNamespace?: string;
  readonly started?: string;
}

/** The identity of this process; fields without a source on this platform are left out. */
export function identifyProcess(): ProcessIdentity {
  self ??= readIdentity();
  return self;
}

let self: ProcessIdentity | undefined;

function readIdentity(): ProcessIdentity {
  const machine = readOrAbsent(() => readFileSync("/etc/machine-id", "utf8").trim());
  const boot = readOrAbsent(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const pidNamespace = readOrAbsent(() => readlinkSync("/proc/self/ns/pid"));
  const started = readProcessStatus(process.pid)?.started;
  return {
    pid: process.pid,
    host: hostname(),
    ...(machine && { machine: hash("sha256", `skillet\0${machine}`).slice(0, 16) }),
    ...(boot && { boot }),
    ...(pidNamespace && { pidNamespace }),
    ...(started && { started }),
  };
}

/** Whether a process has certainly ended, as seen by `observer`; false if that cannot be known from here. */
export function isProcessGone(subject: ProcessIdentity, observer: ProcessIdentity): boolean {
  if (subject.host !== observer.host || subject.machine !== observer.machine) return false;
  // Without machine ids, another boot may be another machine of the same name that shares the disk.
  if (subject.boot !== observer.boot)
    return subject.machine !== undefined && subject.boot !== undefined && observer.boot !== undefined;
  if (subject.pidNamespace !== observer.pidNamespace) return false;
  if (!signalReaches(subject.pid)) return true;
  const status = readProcessStatus(subject.pid);
  if (status === undefined) return false;
  // A zombie no longer runs, even if it is never reaped, as in containers without an init.
  if (status.state === "Z" || status.state === "X") return true;
  return subject.started !== undefined && status.started !== subject.started;
}

export function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

function readProcessStatus(pid: number): { state: string; started: string } | undefined {
  const text = readOrAbsent(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (text === undefined) return undefined;
  // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
  const { 0: state, 19: started } = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return state === undefined || started === undefined ? undefined : { state, started };
}

// No /proc, one mounted with hidepid, or a process that ends meanwhile: each only means "not known".
function readOrAbsent(read: () => string): string | undefined {
  try {
    return read() || undefined;
  } catch (error) {
    return undefinedOn("ENOENT", "EACCES", "EPERM", "ESRCH", "ENOTDIR")(error);
  }
}
