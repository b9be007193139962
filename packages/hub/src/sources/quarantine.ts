import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, SkilletError, undefinedOn } from "@skillet/kit/errors";
import {
  ensureHome,
  identifyProcess,
  isProcessGone,
  type ProcessIdentity,
  readBoundedFile,
} from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";
import { object, readDocument, text, wholeNumber } from "@skillet/kit/schema";

export interface Quarantine {
  readonly directory: string;
  remove(): Promise<void>;
}

const MAX_OWNER_BYTES = 4_096;
// Our own names only, so that nothing else in the folder is ever removed.
const OWNER_FILE = /^(fetch-[0-9a-f]{24})\.json$/;
// These make search and backup tools skip the folder, so that text which was not inspected appears nowhere.
const MARKERS: Readonly<Record<string, string>> = {
  ".ignore": "*\n",
  ".gitignore": "*\n",
  "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
};

/** Creates a folder that only its owner can enter, and removes those that dead processes left behind. */
export async function createQuarantine(home: string): Promise<Quarantine> {
  await ensureHome(home);
  const root = join(home, "quarantine");
  const self = identifyProcess();
  try {
    await makeRoot(root);
    for (const abandoned of await abandonedFetches(root)) await removeFolder(abandoned);
    const directory = join(root, `fetch-${randomBytes(12).toString("hex")}`);
    // Written before the folder is created: one without an owner could not be told from one that is being created.
    await writeFile(`${directory}.json`, `${JSON.stringify(self)}\n`, { flag: "wx", mode: 0o600 });
    await mkdir(directory, { mode: 0o700 });
    return { directory, remove: () => removeFolder(directory) };
  } catch (cause) {
    const errno = errorCode(cause);
    if (SkilletError.isInstance(cause) || errno === undefined) throw cause;
    const message = `Nothing can be fetched into ${root} (${errno}); check its permissions and free space, or set SKILLET_HOME.`;
    throw new SkilletError("quarantine-unusable", message, { data: { path: root, errno }, cause });
  }
}

async function makeRoot(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  // Through a link, everything would be unpacked where someone else wants it.
  if (!(await lstat(root)).isDirectory()) {
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

/** The downloads whose process is gone. */
export async function abandonedFetches(root: string): Promise<readonly string[]> {
  const self = identifyProcess();
  const names = (await readdir(root).catch(undefinedOn("ENOENT", "ENOTDIR"))) ?? [];
  return names.flatMap((name) => {
    const folder = OWNER_FILE.exec(name)?.[1];
    const owner = folder === undefined ? undefined : readOwner(join(root, name));
    return folder !== undefined && owner !== undefined && isProcessGone(owner, self)
      ? [join(root, folder)]
      : [];
  });
}

const owner = object<Pick<ProcessIdentity, "pid" | "host">>({ pid: wholeNumber(0), host: text });

function readOwner(path: string): ProcessIdentity | undefined {
  try {
    // Not JSON if its writer was killed halfway.
    return readDocument(owner, parseJson(readBoundedFile(path, { maxBytes: MAX_OWNER_BYTES }))).value;
  } catch (error) {
    // Removed since the folder was listed.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

async function removeFolder(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  await rm(`${directory}.json`, { force: true });
}
