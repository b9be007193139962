import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { archiveRefusal, unpackFetched } from "./archive.ts";
import { fetchEnvelopes, NO_ENVELOPES } from "./collect-envelopes.ts";
import {
  checkPin,
  closedSource,
  type FetchContext,
  missingEntry,
  type OpenedSource,
  type SourceEntry,
} from "./fetch-context.ts";
import { showUrl } from "./http/address.ts";
import { download } from "./http/download.ts";
import { entryOf, type IndexEntry, parseIndex, type SkillIndex } from "./skill-index.ts";
import type { ResolvedOf, SourceOf } from "./source.ts";

/**
 * Opens a site's index of skills: each skill is a folder of its name, downloaded when it is first looked into. With a
 * pin, only that skill is there, and only if the index still promises the same bytes.
 */
export async function openWellKnownSource(
  source: SourceOf<"well-known">,
  context: FetchContext,
  expected?: ResolvedOf<"well-known">,
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
    const files = fetchFolder(entry, context, index);
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

function resolvedEntry(entry: IndexEntry, { location }: SkillIndex): ResolvedOf<"well-known"> {
  return {
    kind: "well-known",
    index: location,
    name: entry.name,
    ...(entry.kind === "files" ? {} : { digest: entry.digest }),
  };
}

function checkExpected(entry: IndexEntry, expected: ResolvedOf<"well-known"> | undefined): void {
  if (expected?.digest === undefined) return;
  const found = entry.kind === "files" ? "not given" : entry.digest;
  checkPin(`${entry.name} of ${expected.index}`, expected.digest, found);
}

function listEntry(entry: IndexEntry): readonly SourceEntry[] {
  const paths = entry.kind === "files" ? entry.files.map(({ path }) => path) : ["SKILL.md"];
  return paths.map((path) => ({ path: `${entry.name}/${path}`, mode: "644" }));
}

async function fetchFolder(
  entry: IndexEntry,
  context: FetchContext,
  index: SkillIndex,
): Promise<readonly TreeFile[]> {
  const files = await fetchSkill(entry, context, index.location);
  return files
    .map((file) => ({ ...file, path: `${entry.name}/${file.path}` }))
    .sort((left, right) => compareByteOrder(left.path, right.path));
}

/** What the index says about one skill now; without a digest in indexes of version 0.1, where only the files tell. */
export async function resolveWellKnown(
  source: SourceOf<"well-known">,
  context: FetchContext,
  installed: ResolvedOf<"well-known"> | undefined,
): Promise<ResolvedOf<"well-known">> {
  const index = await findIndex(source.base, context);
  return resolvedEntry(entryOf(index, installed?.name ?? source.pick ?? ""), index);
}

/** Downloads one skill of an index, paths relative to it; digests are compared before anything is unpacked. */
async function fetchSkill(
  entry: IndexEntry,
  context: FetchContext,
  index: string,
): Promise<readonly TreeFile[]> {
  if (entry.kind === "files") return fetchFiles(entry.files, context);
  const { bytes, contentType } = await download(entry.url, context);
  const name = showUrl(entry.url);
  checkPin(name, entry.digest, digestBytes(bytes), `the index ${showUrl(index)}`);
  if (entry.kind === "skill-md") return [{ path: "SKILL.md", mode: "644", bytes }];
  const files = unpackFetched(bytes, name, context, contentType);
  if (files.some(({ path }) => path === "SKILL.md")) return files;
  throw archiveRefusal(name, "it has no SKILL.md at its root, as the index promises");
}

async function fetchFiles(
  files: readonly { readonly path: string; readonly url: string }[],
  context: FetchContext,
): Promise<readonly TreeFile[]> {
  const fetched: TreeFile[] = [];
  let remainingBytes = context.limits.maxSkillBytes;
  for (const { path, url } of files) {
    const maxBytes = Math.min(remainingBytes, context.limits.maxFileBytes);
    const found = await download(url, context, { maxBytes });
    // No digest says what it should be, so that at least no one else may say what it is.
    if (new URL(found.url).origin !== new URL(url).origin) {
      const message = `${showUrl(url)} leads on to another site, ${showUrl(found.url)}, and the index has no digest for it; that is not followed. Tell whoever runs the site.`;
      throw new SkilletError("http-redirect", message, { data: { url: showUrl(url) } });
    }
    remainingBytes -= found.bytes.length;
    fetched.push({ path, mode: "644", bytes: found.bytes });
  }
  return fetched;
}

// Thousands of skills with their longest descriptions.
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
// 403 as well: some stores answer so for whatever they do not have.
const ABSENT: readonly number[] = [403, 404, 410];

async function findIndex(base: string, context: FetchContext): Promise<SkillIndex> {
  const faults: Diagnostic[] = [];
  const locations = indexLocations(base);
  for (const location of locations) {
    context.onStep?.({ step: "resolve", what: showUrl(location) });
    const answer = await download(location, context, {
      accept: "application/json",
      maxBytes: Math.min(MAX_INDEX_BYTES, context.limits.maxDownloadBytes),
      statuses: ABSENT,
    });
    if (ABSENT.includes(answer.status)) continue;
    const parsed = parseIndex(answer.bytes, { url: answer.url, limits: context.limits });
    if ("fault" in parsed) faults.push(parsed.fault);
    else return { location, entries: parsed.entries, diagnostics: [...faults, ...parsed.diagnostics] };
  }
  throw noIndex(base, faults, locations);
}

function noIndex(base: string, faults: readonly Diagnostic[], locations: readonly string[]): SkilletError {
  const data = { base: showUrl(base), locations: locations.map(showUrl), faults };
  if (faults.length > 0) {
    const message = `The index of skills at ${showUrl(base)} cannot be used: ${faults.map(({ file, message }) => `${file} ${message}`).join("; ")}. Tell whoever runs the site, or give the address of a skill.`;
    return new SkilletError("index-unusable", message, { data });
  }
  const message = `${showUrl(base)} offers no index of skills; there is none at ${locations.map(showUrl).join(", ")}. Check the address, or give that of a repository, an archive or a SKILL.md.`;
  return new SkilletError("index-not-found", message, { data });
}

// The newer draft's first.
const PREFIXES: readonly string[] = [".well-known/agent-skills", ".well-known/skills"];

/** Where the index of a site may be: below the path that was given, then at the root, under both prefixes. */
function indexLocations(base: string): readonly string[] {
  const { origin, pathname } = new URL(base);
  if (pathname.endsWith("/index.json")) return [`${origin}${pathname}`];
  const folder = pathname.replace(/\/+$/, "");
  // The address of the index's own folder.
  if (PREFIXES.some((prefix) => folder.endsWith(`/${prefix}`))) return [`${origin}${folder}/index.json`];
  const scopes = folder === "" ? [""] : [folder, ""];
  return scopes.flatMap((scope) => PREFIXES.map((prefix) => `${origin}${scope}/${prefix}/index.json`));
}
