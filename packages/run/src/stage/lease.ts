import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { identifyProcess, isProcessGone, readLock, withFileLock } from "@skillet/kit/files";
import { attempt, cleaningLock, digestOfName, ensurePrivateFolder, leasesFolder } from "./staging-places.ts";

// A run lasts ten minutes at most. Beyond a day a lease is left over, even one of a machine that cannot be asked.
const MAX_LEASE_AGE_MS = 24 * 60 * 60 * 1000;

/** Says on disk that a staged skill is in use, for as long as the action takes. */
export async function withLease<Result>(
  request: { readonly directory: string; readonly digest: Digest; readonly clock: () => Date },
  action: (nonce: string) => Promise<Result>,
): Promise<Result> {
  const { directory, digest, clock } = request;
  const nonce = randomBytes(16).toString("hex");
  ensurePrivateFolder(leasesFolder(directory));
  const path = join(leasesFolder(directory), `${digest.slice("sha256:".length)}.${nonce}`);
  const owner = { ...identifyProcess(), nonce, since: clock().toISOString() };
  attempt(path, () => writeFileSync(path, `${JSON.stringify(owner)}\n`, { flag: "wx", mode: 0o600 }));
  try {
    // Whoever cleans takes the lock and then looks at the leases; whoever stages leaves a lease and then looks at the
    // lock. So at least one of the two sees the other, and no lock has to be taken to run a script.
    const lock = cleaningLock(directory);
    if (readLock(lock).state !== "free") await withFileLock(lock, async () => undefined);
    return await action(nonce);
  } finally {
    await rm(path, { force: true });
  }
}

export interface Leases {
  readonly digests: ReadonlySet<Digest>;
  readonly nonces: ReadonlySet<string>;
}

/** Reads the leases, and removes those of processes that have ended. */
export async function readLeases(directory: string, now: Date): Promise<Leases> {
  const digests = new Set<Digest>();
  const nonces = new Set<string>();
  const folder = leasesFolder(directory);
  ensurePrivateFolder(folder);
  for (const name of readdirSync(folder)) {
    const [hex = "", nonce = ""] = name.split(".");
    const digest = digestOfName(hex);
    if (digest === undefined || isOver(join(folder, name), now)) {
      await rm(join(folder, name), { force: true, recursive: true });
      continue;
    }
    digests.add(digest);
    nonces.add(nonce);
  }
  return { digests, nonces };
}

function isOver(path: string, now: Date): boolean {
  const reading = readLock(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (reading.state === "free" || stats === undefined) return true;
  if (now.getTime() - stats.mtimeMs > MAX_LEASE_AGE_MS) return true;
  // A damaged lease may be one that is being written.
  return reading.state === "held" && isProcessGone(reading.owner, identifyProcess());
}
