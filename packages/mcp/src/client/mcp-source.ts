import { hash } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { SkillSource } from "@skillet/core";
import { checkServerLabel, readFrontmatter } from "@skillet/core/internal";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { makeFolders, readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { asObject, fieldOf, isTooDeep, parseJson, textOf } from "@skillet/kit/json";
import { showName } from "@skillet/kit/text";
import { checkEntry, type EntryResource, pathOf, rootOf, type SkillEntry } from "../protocol/skill-entry.ts";
import { listEntries, type RawListing, readResource } from "./list-entries.ts";
import { connectMcp, type McpPlace } from "./mcp-client.ts";

/** A server to use skills from; they are called `label:name`. */
export interface McpSourceOptions extends McpPlace {
  /** Keeps the list, and files by digest, hashed again before use. Must be outside every skills folder. */
  readonly cacheDirectory?: string | undefined;
  readonly clock?: (() => number) | undefined;
}

/** Minimum for lists that may not be kept, and for failures: hosts list skills at every turn. */
const MIN_TTL_MS = 5_000;
const MAX_TTL_MS = 60 * 60 * 1000;
const MAX_KEPT_LIST_BYTES = 16 * 1024 * 1024;

interface Listing {
  readonly entries: ReadonlyMap<string, SkillEntry>;
  readonly diagnostics: readonly Diagnostic[];
  readonly version: string;
  readonly staleAtMs: number;
}

/**
 * The skills of a foreign server. Listing them fetches no files. Each file is checked against the digest and
 * size in the latest list, SKILL.md also against its header there; what fails is left out.
 *
 * @example
 * const source = mcpSource({ label: "acme", url: "https://mcp.acme.example/mcp" });
 * const skills = await openSkills({ sources: [source] });
 */
export function mcpSource(options: McpSourceOptions): SkillSource {
  const { label, cacheDirectory, clock = Date.now } = options;
  checkServerLabel(label);
  const client = connectMcp(options);
  // The label is the server's identity here; a kept list that came from another address is ignored.
  const keptIn = (name: string): string | undefined => cacheDirectory && join(cacheDirectory, label, name);
  const place = options.url ?? JSON.stringify(options.command?.argv);
  let current:
    | { readonly listing: Promise<Listing>; readonly signal: AbortSignal | undefined; untilMs: number }
    | undefined;
  let held: Listing | undefined;
  const loaded = new WeakSet<SkillEntry>();

  const takeList = async (signal: AbortSignal | undefined): Promise<Listing> => {
    const file = keptIn("list.json");
    const now = clock();
    const known = file && readBoundedFile(file, { maxBytes: MAX_KEPT_LIST_BYTES });
    const { staleAtMs, place: from, raw: old } = asObject(parseJson(known || undefined)) ?? {};
    const isFresh = typeof staleAtMs === "number" && staleAtMs > now && staleAtMs <= now + MAX_TTL_MS;
    if (isFresh && from === place && Array.isArray(fieldOf(old, "skills")))
      return readListing(label, old as RawListing, staleAtMs);
    const raw = await listEntries(client, label, signal);
    const until = clock() + Math.max(raw.ttlMs, MIN_TTL_MS);
    const listing = readListing(label, raw, until);
    if (file === undefined || raw.skills.some((one) => isTooDeep(one))) return listing;
    const text = JSON.stringify({ place, staleAtMs: until, raw });
    if (text.length <= MAX_KEPT_LIST_BYTES) await keep(file, text);
    return listing;
  };
  const list = async (signal: AbortSignal | undefined): Promise<Listing> => {
    if (current === undefined || clock() >= current.untilMs) {
      const made = { listing: takeList(signal), untilMs: Number.POSITIVE_INFINITY, signal };
      current = made;
      made.listing.then(
        (listing) => {
          held = listing;
          made.untilMs = listing.staleAtMs;
        },
        () => {
          made.untilMs = signal?.aborted === true ? 0 : clock() + MIN_TTL_MS;
        },
      );
    }
    const { listing, signal: other } = current;
    return listing.catch((error: unknown) => {
      // The caller that started this request gave up; others that wait for the same list did not.
      if (other !== signal && other?.aborted === true) return list(signal);
      throw error;
    });
  };
  const entryOf = async (folder: string): Promise<SkillEntry | undefined> =>
    (held ?? (await list(undefined))).entries.get(folder);
  const read = async (path: string, signal: AbortSignal | undefined): Promise<Uint8Array> => {
    const folder = path.slice(0, path.indexOf("/"));
    const entry = await entryOf(folder);
    const file = entry && filesOf(entry).find((one) => one.path === path.slice(folder.length + 1));
    // Only listed files: neither a model nor a folder listing can cause another request.
    if (entry === undefined || file === undefined)
      throw new SkilletError("file-not-found", `${showName(path)} is not a file that ${label} lists.`);
    // Before any other file, SKILL.md must have been fetched and verified.
    if (file.path !== "SKILL.md" && !loaded.has(entry)) await read(`${folder}/SKILL.md`, signal);
    const { size: maxBytes } = file;
    const kept = keptIn(file.digest.slice("sha256:".length));
    const known = kept && readBoundedFile(kept, { maxBytes: maxBytes ?? MAX_KEPT_LIST_BYTES });
    const isKept = known !== undefined && known !== "" && digestBytes(known) === file.digest;
    const bytes = isKept ? known : await readResource(client, file.uri, { maxBytes, signal });
    verify(label, entry, file, bytes);
    if (file.path === "SKILL.md") loaded.add(entry);
    if (kept !== undefined && !isKept) await keep(kept, bytes);
    return bytes;
  };
  return {
    id: `mcp:${label}`,
    remote: { label },
    concurrency: 4,
    toolPath: (path) => `mcp://${label}${path === "" ? "" : `/${path}`}`,
    version: async ({ signal } = {}) => (await list(signal)).version,
    listSkills: async ({ signal } = {}) => {
      const { entries, diagnostics } = await list(signal);
      const folders = Array.from(entries, ([path, entry]) => {
        const digest = filesOf(entry).find((file) => file.path === "SKILL.md")?.digest ?? "sha256:";
        return { path, file: "SKILL.md", header: { text: headerOf(entry), digest } };
      });
      return { folders, diagnostics };
    },
    listFiles: async (folder) => {
      const entry = await entryOf(folder);
      // The protocol carries no file modes, so nothing is executable.
      const files = entry
        ? filesOf(entry).map(({ path, size = 0 }) => ({
            path,
            size,
            kind: "file" as const,
            executable: false,
          }))
        : [];
      return { files, diagnostics: [] };
    },
    read: async (path, { maxBytes, signal }) => {
      const bytes = await read(path, signal);
      return { bytes: bytes.slice(0, maxBytes), size: bytes.length, truncated: bytes.length > maxBytes };
    },
  };
}

async function keep(file: string, content: string | Uint8Array): Promise<void> {
  makeFolders(join(file, ".."));
  await writeAtomic(file, content);
}

/** An entry that breaks a rule is left out; the others stay. */
function readListing(label: string, { skills, isCut, isOlder }: RawListing, staleAtMs: number): Listing {
  const entries = new Map<string, SkillEntry>();
  const place = `mcp://${label}`;
  const diagnostics: Diagnostic[] = [];
  const refuse = (one: unknown, why: string): void => {
    const uri = textOf(one, "uri")?.slice(0, 200);
    const message = `The entry ${uri === undefined ? "without a uri" : showName(uri)} is left out: ${why}.`;
    const hint = `Tell the owner of the server; the other skills can be used. All that is wrong: skillet mcp verify ${label}`;
    diagnostics.push(diagnostic("error", "index-entry-invalid", place, message, hint));
  };
  for (const one of skills) {
    const { entry, problems } = checkEntry(one, { isOlder });
    const folder = entry?.frontmatter.name ?? "";
    if (entry === undefined) refuse(one, problems[0]?.message ?? "it cannot be read");
    else if (entry.resources === "dynamic") refuse(one, "it does not say which files it has");
    else if (entries.has(folder)) refuse(one, "another skill has its name");
    else entries.set(folder, entry);
  }
  if (isCut) {
    const message = `The server lists more than is read: only its first ${skills.length} skills are used.`;
    diagnostics.push(diagnostic("warning", "index-cut", place, message, "Ask its owner for a shorter list."));
  }
  return { entries, diagnostics, version: hash("sha256", JSON.stringify([...entries]), "hex"), staleAtMs };
}

type ListedFile = EntryResource & { readonly path: string };

export function filesOf({ uri, resources }: SkillEntry): readonly ListedFile[] {
  const root = rootOf(uri) ?? "";
  if (resources === "dynamic") return [];
  return resources.map((file) => ({ ...file, path: pathOf(root, file.uri) ?? "" }));
}

/** The header as JSON, which is valid YAML, without fields that would widen what a skill can do. */
function headerOf({ frontmatter }: SkillEntry): string {
  const lines = Object.entries(frontmatter)
    .filter(([key]) => !WIDENING.has(key))
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return ["---", ...lines, "---", ""].join("\n");
}

const WIDENING: ReadonlySet<string> = new Set(["hooks", "toolsets"]);

/** Why a file differs from its entry; undefined if it does not. */
export function mismatch(
  entry: SkillEntry,
  file: ListedFile,
  bytes: Uint8Array,
): { readonly reason: "size" | "digest" | "frontmatter"; readonly message: string } | undefined {
  if (file.size !== undefined && bytes.length !== file.size)
    return { reason: "size", message: `has ${bytes.length} bytes, and the server listed ${file.size}` };
  if (digestBytes(bytes) !== file.digest)
    return { reason: "digest", message: "is not what the server listed: its digest differs" };
  // Compares field by field: types count, the order of keys does not.
  const isSame = (): boolean =>
    isDeepStrictEqual(readFrontmatter(new TextDecoder().decode(bytes)), entry.frontmatter);
  if (file.path !== "SKILL.md" || isSame()) return undefined;
  return { reason: "frontmatter", message: "has another header than the server listed" };
}

function verify(label: string, entry: SkillEntry, file: ListedFile, bytes: Uint8Array): void {
  const { reason, message } = mismatch(entry, file, bytes) ?? {};
  if (reason === undefined) return;
  const fault = `${showName(file.path)} of ${label}:${entry.frontmatter.name} ${message}.`;
  throw new SkilletError("mcp-verification-failed", fault, { data: { label, uri: file.uri, reason } });
}
