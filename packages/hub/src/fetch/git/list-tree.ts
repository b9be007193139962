import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { isHostilePath } from "../check-entry-path.ts";
import { tooLarge } from "../fetch-context.ts";
import type { SourceEntry } from "../opened-source.ts";
import type { GitRepository } from "./git-repository.ts";
import { runGit } from "./run-git.ts";

export interface GitEntry extends SourceEntry {
  readonly id: string;
}

const NUL = 0;
const MAX_LISTING_BYTES = 128 * 1024 * 1024;

export async function listTree(repository: GitRepository, commit: string): Promise<readonly GitEntry[]> {
  const { maxEntries } = repository.context.limits;
  const chunks: Uint8Array[] = [];
  let count = 0;
  let bytes = 0;
  // Folders are listed too: those without files would otherwise be walked without end, and nothing be seen of it.
  await runGit(repository, ["ls-tree", "-r", "-t", "-z", "--full-tree", commit], {
    onOutput: (chunk) => {
      // A few small trees that hold each other many times make more names than any disk could hold.
      for (let at = chunk.indexOf(NUL); at !== -1; at = chunk.indexOf(NUL, at + 1)) count += 1;
      bytes += chunk.length;
      if (count > maxEntries || bytes > MAX_LISTING_BYTES)
        throw tooLarge(
          `${repository.url} holds more than ${maxEntries} files and folders, or too long names.`,
          {
            limit: "maxEntries",
          },
        );
      chunks.push(Buffer.from(chunk));
    },
  });
  return checkOrder(parseTree(Buffer.concat(chunks)));
}

export function reportSubmodules(entries: readonly SourceEntry[]): readonly Diagnostic[] {
  return entries
    .filter(({ mode }) => mode === "160000")
    .slice(0, MAX_REPORTED)
    .map(({ path }) => ({
      code: "git-submodule",
      severity: "warning",
      message: "It is a submodule, which is not fetched.",
      file: path,
      hint: "Install from the repository that the submodule names.",
    }));
}

const MAX_REPORTED = 20;
const MODES: ReadonlyMap<string, SourceEntry["mode"]> = new Map([
  ["100644", "644"],
  ["100664", "644"],
  ["100755", "755"],
  ["120000", "120000"],
  ["160000", "160000"],
]);

function parseTree(bytes: Buffer): GitEntry[] {
  const text = bytes.toString();
  // What was replaced in decoding is the name of another file.
  if (text.includes("\ufffd") && !Buffer.from(text).equals(bytes))
    throw refused("A path of it", "is not UTF-8", "");
  return text
    .split("\0")
    .slice(0, -1)
    .map((line) => parseEntry(line))
    .filter((entry) => entry !== undefined);
}

function parseEntry(line: string): GitEntry | undefined {
  const tab = line.indexOf("\t");
  const path = line.slice(tab + 1);
  const [written = "", type = "", id = ""] = line.slice(0, tab).split(" ");
  if (type === "tree") return undefined;
  const mode = MODES.get(written);
  if (mode === undefined)
    throw refused(JSON.stringify(path), `has the mode ${written}, which git does not make`, path);
  if (isHostilePath(path)) throw refused(JSON.stringify(path), "leads out of its folder or into .git", path);
  return { path, mode, id };
}

function checkOrder(entries: GitEntry[]): readonly GitEntry[] {
  const isSorted = entries.every(
    ({ path }, index) => index === 0 || compareByteOrder(entries[index - 1]?.path ?? "", path) < 0,
  );
  if (isSorted) return entries;
  entries.sort((left, right) => compareByteOrder(left.path, right.path));
  const twin = entries.find(({ path }, index) => entries[index - 1]?.path === path);
  if (twin !== undefined) throw refused(JSON.stringify(twin.path), "is there twice", twin.path);
  return entries;
}

function refused(what: string, problem: string, path: string): SkilletError {
  const message = `${what.slice(0, 300)} ${problem}, so nothing of the repository was used; tell its owner, and do not install from it.`;
  return new SkilletError("source-entry-refused", message, { data: { path } });
}
