import { SkilletError } from "../errors.ts";
import { type JsonObject, parseJsonObject } from "../json.ts";
import { readInto, withRegularFile } from "./open-regular-file.ts";
import type { ProcessIdentity } from "./process-identity.ts";

const MAX_OWNER_BYTES = 4096;

/** Who holds a lock file; the nonce tells two acquisitions by one process apart. */
export interface LockOwner extends ProcessIdentity {
  readonly nonce: string;
  readonly since: string;
}

export type LockReading =
  | { readonly state: "free" }
  | { readonly state: "held"; readonly owner: LockOwner }
  | { readonly state: "damaged" };

/** Reads a lock file without waiting; whatever is not a complete owner counts as damaged, never as free. */
export function readLock(path: string): LockReading {
  const bytes = readOrDamaged(path);
  if (bytes === undefined) return { state: "free" };
  if (bytes === "damaged") return { state: "damaged" };
  const owner = parseOwner(new TextDecoder().decode(bytes));
  return owner === undefined ? { state: "damaged" } : { state: "held", owner };
}

export function describeLock(reading: LockReading): string {
  if (reading.state === "held") {
    const { pid, host, since } = reading.owner;
    return `process ${pid} on ${JSON.stringify(host)}, since ${since}`;
  }
  return reading.state === "damaged"
    ? "an unknown process: the lock file is damaged"
    : "a process that has just let it go";
}

function readOrDamaged(path: string): Uint8Array | "damaged" | undefined {
  try {
    const buffer = new Uint8Array(MAX_OWNER_BYTES);
    const length = withRegularFile(path, ({ descriptor }) => readInto(descriptor, buffer));
    return buffer.subarray(0, length);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    if (error.code === "file-not-found") return undefined;
    if (error.code === "not-a-file" || error.code === "link-refused") return "damaged";
    throw error;
  }
}

function parseOwner(text: string): LockOwner | undefined {
  const value = parseJsonObject(text);
  if (value === undefined) return undefined;
  const { pid, host, nonce, since } = value;
  // Process ids 0 and below address whole groups.
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (typeof host !== "string" || typeof nonce !== "string" || typeof since !== "string") return undefined;
  // The nonce becomes part of a file name, and the time part of a message.
  if (!/^[0-9a-f]{32}$/.test(nonce) || !/^[0-9TZ:.+-]{1,40}$/.test(since)) return undefined;
  return { pid, host, nonce, since, ...optionalText(value) };
}

function optionalText(
  value: JsonObject,
): Pick<ProcessIdentity, "machine" | "boot" | "pidNamespace" | "started"> {
  const { machine, boot, pidNamespace, started } = value;
  return {
    ...(typeof machine === "string" && { machine }),
    ...(typeof boot === "string" && { boot }),
    ...(typeof pidNamespace === "string" && { pidNamespace }),
    ...(typeof started === "string" && { started }),
  };
}
