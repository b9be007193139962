import type { TreeFile } from "@skillet/core";
import { onceUntilSuccess } from "@skillet/kit/async";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { quoteName } from "@skillet/kit/text";
import { archiveRefusal, unpackArchive } from "./archive.ts";
import { fetchEnvelopes, NO_ENVELOPES } from "./collect-envelopes.ts";
import {
  checkPin,
  type FetchContext,
  missingEntry,
  type OpenedSource,
  openedSource,
} from "./fetch-context.ts";
import { showUrl } from "./http/address.ts";
import { download } from "./http/download.ts";
import { type IndexEntry, parseIndex } from "./skill-index.ts";
import type { ResolvedOf, SourceOf } from "./source.ts";

/** An index as it was read, without faulty entries; diagnostics give the reasons. */
interface SkillIndex {
  readonly location: string;
  readonly entries: readonly IndexEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Opens a site's index of skills: each skill is a folder of its name, downloaded when it is first read. With
 * a pin, only that skill is available, and only if the index still states the same digest.
 */
export async function openWellKnownSource(
  source: SourceOf<"well-known">,
  context: FetchContext,
  expected?: ResolvedOf<"well-known">,
): Promise<OpenedSource> {
  const index = await findIndex(expected?.index ?? source.base, context);
  const entries = expected === undefined ? index.entries : [entryOf(index, expected.name)];
  if (expected?.digest !== undefined)
    for (const entry of entries)
      checkPin(`${entry.name} of ${expected.index}`, expected.digest, digestOf(entry) ?? "not given");
  const skills = new Map(entries.map((entry) => [entry.name, entry]));
  const skillOf = (folder: string): IndexEntry => skills.get(folder) ?? missingEntry(folder);
  const fetched = new Map(
    entries.map((entry) => [entry.name, onceUntilSuccess(() => fetchFolder(entry, context, index.location))]),
  );
  const filesOf = (folder: string): Promise<readonly TreeFile[]> =>
    (fetched.get(folder) ?? missingEntry(folder))();
  return openedSource({
    resolved: { kind: "well-known", index: index.location, name: expected?.name ?? "" },
    diagnostics: index.diagnostics,
    entries: entries
      .flatMap((entry) =>
        (entry.type === "files" ? entry.files : [{ path: "SKILL.md" }]).map(inFolder(entry)),
      )
      .map(({ path }) => ({ path, mode: "644" as const }))
      .sort(byPath),
    summaries: new Map(
      entries.map(({ name, description, type }) => [
        name,
        { name, description, ...(type === "plugin" && { kind: type }) },
      ]),
    ),
    resolvedOf: (folder) => resolvedEntry(skillOf(folder), index),
    signaturesOf: async (folder) => {
      const entry = skills.get(folder);
      return entry === undefined || entry.type === "files"
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
    close: async () => fetched.clear(),
  });
}

/** The current pin of one skill in the index; without a digest in version 0.1, where only the files show changes. */
export async function resolveWellKnown(
  source: SourceOf<"well-known">,
  context: FetchContext,
  installed: ResolvedOf<"well-known"> | undefined,
): Promise<ResolvedOf<"well-known">> {
  const index = await findIndex(source.base, context);
  return resolvedEntry(entryOf(index, installed?.name ?? source.pick ?? ""), index);
}

function entryOf({ entries, location, diagnostics }: SkillIndex, name: string): IndexEntry {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const [shown, index] = [name.slice(0, 64), showUrl(location)];
  const fault = diagnostics.find(({ message }) => message.includes(`(${quoteName(name)})`))?.message;
  const reason =
    fault === undefined ? "it may have been removed or renamed" : `its entry cannot be used: ${fault}`;
  const message = `The index ${index} has no skill ${quoteName(shown)}; ${reason}. List what it offers, or tell the site's owner.`;
  throw new SkilletError("index-entry-missing", message, { data: { index, name: shown } });
}

function digestOf(entry: IndexEntry): ResolvedOf<"well-known">["digest"] {
  return entry.type === "files" ? undefined : entry.digest;
}

function resolvedEntry(entry: IndexEntry, { location }: SkillIndex): ResolvedOf<"well-known"> {
  const digest = digestOf(entry);
  return { kind: "well-known", index: location, name: entry.name, ...(digest !== undefined && { digest }) };
}

function inFolder({ name }: IndexEntry): <File extends { readonly path: string }>(file: File) => File {
  return (file) => ({ ...file, path: `${name}/${file.path}` });
}

function byPath(left: { readonly path: string }, right: { readonly path: string }): number {
  return compareByteOrder(left.path, right.path);
}

/** Downloads one skill of an index; digests are checked before anything is unpacked. */
async function fetchFolder(
  entry: IndexEntry,
  context: FetchContext,
  index: string,
): Promise<readonly TreeFile[]> {
  const files = await (entry.type === "files"
    ? fetchFiles(entry.files, context)
    : fetchArtefact(entry, context, index));
  return files.map(inFolder(entry)).sort(byPath);
}

async function fetchArtefact(
  { type, url, digest }: Exclude<IndexEntry, { readonly type: "files" }>,
  context: FetchContext,
  index: string,
): Promise<readonly TreeFile[]> {
  const { bytes, contentType } = await download(url, context);
  const name = showUrl(url);
  checkPin(name, digest, digestBytes(bytes), `the index ${showUrl(index)}`);
  if (type === "skill-md") return [{ path: "SKILL.md", mode: "644", bytes }];
  const files = unpackArchive(bytes, { ...context, name, contentType });
  const main = type === "plugin" ? "plugin.json" : "SKILL.md";
  if (files.some(({ path }) => path === main)) return files;
  throw archiveRefusal(name, `it has no ${main} at its root, as the index promises`);
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
    // Without a digest, at least no other site may serve the bytes.
    if (new URL(found.url).origin !== new URL(url).origin) {
      const message = `${showUrl(url)} redirects to another site, ${showUrl(found.url)}, and the index has no digest for it; that is not followed. Tell the site's owner.`;
      throw new SkilletError("http-redirect", message, { data: { url: showUrl(url) } });
    }
    remainingBytes -= found.bytes.length;
    fetched.push({ path, mode: "644", bytes: found.bytes });
  }
  return fetched;
}

// Enough for thousands of skills with the longest descriptions.
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
// Includes 403, which some stores return for missing files.
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
  const [site, places] = [showUrl(base), locations.map(showUrl)];
  const data = { base: site, locations: places, faults };
  if (faults.length > 0) {
    const found = faults.map(({ file, message }) => `${file} ${message}`).join("; ");
    const message = `The index of skills at ${site} cannot be used: ${found}. Tell the site's owner, or give the address of a skill.`;
    throw new SkilletError("index-unusable", message, { data });
  }
  const message = `${site} offers no index of skills; there is none at ${places.join(", ")}. Check the address, or give that of a repository, an archive or a SKILL.md.`;
  throw new SkilletError("index-not-found", message, { data });
}

// The newer draft's prefix first.
const PREFIXES: readonly string[] = [".well-known/agent-skills", ".well-known/skills"];

/** Where the index of a site may be: below the given path, then at the root, with both prefixes. */
function indexLocations(base: string): readonly string[] {
  const { origin, pathname } = new URL(base);
  if (pathname.endsWith("/index.json")) return [`${origin}${pathname}`];
  const folder = pathname.replace(/\/+$/, "");
  // The URL of the index's own folder.
  if (PREFIXES.some((prefix) => folder.endsWith(`/${prefix}`))) return [`${origin}${folder}/index.json`];
  const scopes = folder === "" ? [""] : [folder, ""];
  return scopes.flatMap((scope) => PREFIXES.map((prefix) => `${origin}${scope}/${prefix}/index.json`));
}
