import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import {
  ensureHome,
  identifyProcess,
  isProcessGone,
  type ProcessIdentity,
  readBoundedFile,
} from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";

export interface Quarantine {
  readonly directory: string;
  remove(): Promise<void>;
}

const MAX_OWNER_BYTES = 4_096;
// Names of our own, so that nothing else that lies here is ever removed.
const OWNER_FILE = /^(fetch-[0-9a-f]{24})\.json$/;
// Search and backup tools skip the folder: no one is to stumble over text that no one has looked at.
const MARKERS: Readonly<Record<string, string>> = {
  ".ignore": "*\n",
  ".gitignore": "*\n",
  "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
};

/** Makes a folder that only its owner can enter, and removes what dead processes left beside it. */
export async function createQuarantine(home: string): Promise<Quarantine> {
  await ensureHome(home);
  const root = join(home, "quarantine");
  const self = identifyProcess();
  try {
    await makeRoot(root);
    await removeLeftovers(root, self);
    const directory = join(root, `fetch-${randomBytes(12).toString("hex")}`);
    // Before the folder: one without an owner could never be told from one that is being made.
    await writeFile(`${directory}.json`, `${JSON.stringify(self)}\n`, { flag: "wx", mode: 0o600 });
    await mkdir(directory, { mode: 0o700 });
    return { directory, remove: () => removeFolder(directory) };
  } catch (error) {
    throw unusable(root, error);
  }
}

async function makeRoot(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const stats = await lstat(root);
  // Through a link, everything would be unpacked where someone else wants it.
  if (!stats.isDirectory()) {
    const message = `${root} is not a folder but a link or a file; move it away.`;
    throw new SkilletError("quarantine-unusable", message, { data: { path: root } });
  }
  for (const [name, content] of Object.entries(MARKERS)) {
    try {
      await writeFile(join(root, name), content, { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

async function removeLeftovers(root: string, self: ProcessIdentity): Promise<void> {
  for (const name of await readdir(root)) {
    const [, folder] = OWNER_FILE.exec(name) ?? [];
    if (folder === undefined) continue;
    const owner = readOwner(join(root, name));
    if (owner !== undefined && isProcessGone(owner, self)) await removeFolder(join(root, folder));
  }
}

function readOwner(path: string): ProcessIdentity | undefined {
  try {
    // Not JSON where its writer was killed halfway.
    const owner = parseJson(readBoundedFile(path, { maxBytes: MAX_OWNER_BYTES }));
    return isIdentity(owner) ? owner : undefined;
  } catch (error) {
    // Gone since the folder was listed.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== "object" || value === null) return false;
  const { pid, host } = value as Partial<ProcessIdentity>;
  return Number.isSafeInteger(pid) && typeof host === "string";
}

async function removeFolder(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  await rm(`${directory}.json`, { force: true });
}

function unusable(root: string, cause: unknown): unknown {
  const errno = errorCode(cause);
  if (SkilletError.isInstance(cause) || errno === undefined) return cause;
  const message = `Nothing can be fetched into ${root} (${errno}); check its permissions and free space, or set SKILLET_HOME.`;
  return new SkilletError("quarantine-unusable", message, { data: { path: root, errno }, cause });
}
