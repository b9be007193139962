import type { TreeFile } from "@skillet/core";
import { compareByteOrder } from "@skillet/kit/order";
import { NO_ENVELOPES } from "../../signature/collect-envelopes.ts";
import { fetchEnvelopes } from "../../signature/fetch-envelopes.ts";
import type { WellKnownSource } from "../../source/source.ts";
import { checkPin } from "../check-pin.ts";
import type { FetchContext } from "../fetch-context.ts";
import { closedSource, missingEntry } from "../open-tree.ts";
import type { OpenedSource, SourceEntry } from "../opened-source.ts";
import type { ResolvedWellKnown } from "../resolved.ts";
import { fetchSkill } from "./fetch-skill.ts";
import { findIndex } from "./find-index.ts";
import type { IndexEntry, SkillIndex } from "./skill-index.ts";
import { entryOf } from "./skill-index.ts";

/**
 * Opens a site's index of skills: each skill is a folder of its name, downloaded when it is first looked into. With a
 * pin, only that skill is there, and only if the index still promises the same bytes.
 */
export async function openWellKnownSource(
  source: WellKnownSource,
  context: FetchContext,
  expected?: ResolvedWellKnown,
): Promise<OpenedSource> {
  const index = await findIndex(expected?.index ?? source.base, context);
  const entries = expected === undefined ? index.entries : [entryOf(index, expected.name)];
  for (const entry of entries) checkExpected(entry, expected);
  const skills = new Map(entries.map((entry) => [entry.name, entry]));
  const fetched = new Map<string, Promise<readonly TreeFile[]>>();
  let isOpen = true;
  const filesOf = (folder: string): Promise<readonly TreeFile[]> => {
    const entry = skills.get(folder);
    if (!isOpen) throw closedSource();
    if (entry === undefined) return missingEntry(folder);
    const known = fetched.get(folder);
    if (known !== undefined) return known;
    const files = fetchFolder(entry, { context, index });
    fetched.set(folder, files);
    // What failed may be tried again.
    files.catch(() => fetched.delete(folder));
    return files;
  };
  return {
    resolved: { kind: "well-known", index: index.location, name: expected?.name ?? "" },
    diagnostics: index.diagnostics,
    entries: entries.flatMap(listEntry).sort((left, right) => compareByteOrder(left.path, right.path)),
    summaries: new Map(entries.map(({ name, description }) => [name, { name, description }])),
    resolvedOf: (folder) => {
      const entry = skills.get(folder);
      return entry === undefined ? missingEntry(folder) : resolvedEntry(entry, index);
    },
    signaturesOf: async (folder) => {
      const entry = skills.get(folder);
      return entry === undefined || entry.kind === "files"
        ? NO_ENVELOPES
        : fetchEnvelopes(entry.signatures ?? [], context);
    },
    expand: async (folder) =>
      (await filesOf(folder)).map(({ path, mode, bytes }) => ({ path, mode, size: bytes.length })),
    read: async (paths, { signal } = {}) => {
      const files: TreeFile[] = [];
      for (const path of paths) {
        signal?.throwIfAborted();
        const folder = path.slice(0, Math.max(0, path.indexOf("/")));
        files.push((await filesOf(folder)).find((file) => file.path === path) ?? missingEntry(path));
      }
      return files;
    },
    close: async () => {
      isOpen = false;
      fetched.clear();
    },
  };
}

/** The pin of one entry. */
export function resolvedEntry(entry: IndexEntry, { location }: SkillIndex): ResolvedWellKnown {
  return {
    kind: "well-known",
    index: location,
    name: entry.name,
    ...(entry.kind === "files" ? {} : { digest: entry.digest }),
  };
}

function checkExpected(entry: IndexEntry, expected: ResolvedWellKnown | undefined): void {
  if (expected?.digest === undefined) return;
  const found = entry.kind === "files" ? "not given" : entry.digest;
  checkPin({ what: `${entry.name} of ${expected.index}`, expected: expected.digest, found });
}

function listEntry(entry: IndexEntry): readonly SourceEntry[] {
  const paths = entry.kind === "files" ? entry.files.map(({ path }) => path) : ["SKILL.md"];
  return paths.map((path) => ({ path: `${entry.name}/${path}`, mode: "644" }));
}

async function fetchFolder(
  entry: IndexEntry,
  { context, index }: { readonly context: FetchContext; readonly index: SkillIndex },
): Promise<readonly TreeFile[]> {
  const files = await fetchSkill(entry, { context, index: index.location });
  return files
    .map((file) => ({ ...file, path: `${entry.name}/${file.path}` }))
    .sort((left, right) => compareByteOrder(left.path, right.path));
}
