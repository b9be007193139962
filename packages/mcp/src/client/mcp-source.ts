import { hash } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { SkillSource } from "@skillet/core";
import { readFrontmatter } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { makeFolders, readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { asObject, fieldOf, isJsonObject } from "@skillet/kit/json";
import { showName } from "@skillet/kit/text";
import { SKILLS_EXTENSION } from "../protocol/json-rpc.ts";
import { checkEntry, type EntryResource, pathOf, rootOf, type SkillEntry } from "../protocol/skill-entry.ts";
import { connectMcp, type McpClient, type McpPlace } from "./mcp-client.ts";

/** A server whose skills are to be used; they are called `label:name`. */
export interface McpSourceOptions extends McpPlace {
  /** Keeps fetched files, by their digests; each is hashed again before it is used. Outside every folder of skills. */
  readonly cacheDirectory?: string | undefined;
  readonly clock?: (() => number) | undefined;
}

const MAX_PAGES = 64;
const MAX_SKILLS = 2_000;
/** A list that may not be kept is kept so long all the same: hosts list at every turn. */
const MIN_TTL_MS = 5_000;
const MAX_TTL_MS = 60 * 60 * 1000;

interface Listing {
  readonly entries: ReadonlyMap<string, SkillEntry>;
  readonly diagnostics: readonly Diagnostic[];
  readonly version: string;
  readonly staleAtMs: number;
}

/**
 * The skills of a foreign server. Listing them fetches none of their files; each file is held against the digest and size of
 * the list that was taken last, and SKILL.md against its header there. What a server cannot vouch for is left out.
 *
 * @example
 * const source = mcpSource({ label: "acme", url: "https://mcp.acme.example/mcp" });
 * const skills = await openSkills({ sources: [source] });
 */
export function mcpSource(options: McpSourceOptions): SkillSource {
  const { label, cacheDirectory, clock = Date.now } = options;
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(label))
    throw new SkilletError("mcp-label-invalid", "A label has a-z, 0-9 and hyphens, at most 32 of them.");
  const client = connectMcp(options);
  let listing: Promise<Listing> | undefined;
  const loaded = new WeakSet<SkillEntry>();
  const list = async (signal: AbortSignal | undefined): Promise<Listing> => {
    const known = await listing?.catch(() => undefined);
    if (known === undefined || clock() >= known.staleAtMs)
      listing = listEntries(client, label, clock, signal);
    return listing ?? Promise.reject(new Error("nothing is listed"));
  };
  const held = async (folder: string): Promise<SkillEntry | undefined> =>
    (await listing)?.entries.get(folder);
  const read = async (path: string, signal: AbortSignal | undefined): Promise<Uint8Array> => {
    const folder = path.slice(0, path.indexOf("/"));
    const entry = await held(folder);
    const file = entry && filesOf(entry).find((one) => one.path === path.slice(folder.length + 1));
    // Only what the entry lists: neither a model nor a listing of a folder leads to another request.
    if (entry === undefined || file === undefined)
      throw new SkilletError("file-not-found", `${showName(path)} is not a file that ${label} lists.`);
    // Nothing else of a skill is asked for before its SKILL.md was, and proved to be what was listed.
    if (file.path !== "SKILL.md" && !loaded.has(entry)) await read(`${folder}/SKILL.md`, signal);
    const kept = cacheDirectory && join(cacheDirectory, label, file.digest.slice("sha256:".length));
    const known = kept === undefined ? undefined : readBoundedFile(kept, { maxBytes: file.size });
    const isKept = known !== undefined && digestBytes(known) === file.digest;
    const bytes = isKept ? known : await fetchFile(client, file, signal);
    verify(label, entry, file, bytes);
    if (file.path === "SKILL.md") loaded.add(entry);
    if (kept !== undefined && !isKept) {
      makeFolders(join(kept, ".."));
      await writeAtomic(kept, bytes);
    }
    return bytes;
  };
  return {
    ...{ id: `mcp:${label}`, remote: { label }, concurrency: 4 },
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
      const entry = await held(folder);
      // No mode comes over the wire: nothing is run by one.
      const files = entry
        ? filesOf(entry).map(({ path, size }) => ({ path, size, kind: "file" as const, executable: false }))
        : [];
      return { files, diagnostics: [] };
    },
    read: async (path, { maxBytes, signal }) => {
      const bytes = await read(path, signal);
      return { bytes: bytes.slice(0, maxBytes), size: bytes.length, truncated: bytes.length > maxBytes };
    },
  };
}

/** Walks all pages; an entry that breaks a rule is left out, and the others stay. */
async function listEntries(
  client: McpClient,
  label: string,
  clock: () => number,
  signal?: AbortSignal,
): Promise<Listing> {
  const extensions = fieldOf(await client.capabilities({ signal }), "extensions");
  if (asObject(fieldOf(extensions, SKILLS_EXTENSION)) === undefined)
    throw new SkilletError("mcp-no-skills", `The MCP server ${label} does not offer skills.`, {
      data: { label },
    });
  const entries = new Map<string, SkillEntry>();
  const diagnostics: Diagnostic[] = [];
  let ttlMs = MAX_TTL_MS;
  const refuse = (entry: unknown, why: string): void => {
    const message = `The entry ${showName(String(fieldOf(entry, "uri")).slice(0, 200))} is left out: ${why}.`;
    const hint = "Tell the owner of the server; the other skills can be used.";
    diagnostics.push({
      code: "index-entry-invalid",
      severity: "error",
      message,
      file: `mcp://${label}`,
      hint,
    });
  };
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const result = await client.request("skills/list", typeof cursor === "string" ? { cursor } : {}, {
      signal,
    });
    const listed = Array.isArray(result.skills) ? result.skills : [];
    for (const one of listed.slice(0, MAX_SKILLS - entries.size)) {
      const { entry, problems } = checkEntry(one);
      const folder = entry?.frontmatter.name ?? "";
      if (entry === undefined) refuse(one, problems[0]?.message ?? "it cannot be read");
      else if (entry.resources === "dynamic") refuse(one, "it does not say which files it has");
      else if (entries.has(folder)) refuse(one, "another skill has its name");
      else entries.set(folder, entry);
    }
    if (typeof result.ttlMs === "number") ttlMs = Math.min(ttlMs, result.ttlMs);
    cursor = result.nextCursor;
    if (typeof cursor !== "string" || entries.size >= MAX_SKILLS) break;
  }
  const version = hash("sha256", JSON.stringify([...entries]), "hex");
  return { entries, diagnostics, version, staleAtMs: clock() + Math.max(ttlMs, MIN_TTL_MS) };
}

type ListedFile = EntryResource & { readonly path: string };

function filesOf({ uri, resources }: SkillEntry): readonly ListedFile[] {
  const root = rootOf(uri) ?? "";
  if (resources === "dynamic") return [];
  return resources.map((file) => ({ ...file, path: pathOf(root, file.uri) ?? "" }));
}

/** The header in YAML, which JSON is; without what would widen what a skill can do. */
function headerOf({ frontmatter }: SkillEntry): string {
  const lines = Object.entries(frontmatter)
    .filter(([key]) => !WIDENING.has(key))
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return ["---", ...lines, "---", ""].join("\n");
}

const WIDENING: ReadonlySet<string> = new Set(["hooks", "toolsets"]);

async function fetchFile(
  client: McpClient,
  { uri, size }: EntryResource,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  // Base64, or text in which every byte is escaped.
  const result = await client.request("resources/read", { uri }, { signal, maxBytes: size * 6 + 64 * 1024 });
  const contents = Array.isArray(result.contents) ? result.contents : [];
  const { text, blob } = contents.filter(isJsonObject).find((one) => one.uri === uri) ?? {};
  return Buffer.from(
    typeof text === "string" ? text : String(blob ?? ""),
    typeof text === "string" ? "utf8" : "base64",
  );
}

/** Throws where a file is not what the entry says. */
function verify(label: string, entry: SkillEntry, file: ListedFile, bytes: Uint8Array): void {
  const fail = (reason: string, message: string): SkilletError =>
    new SkilletError(
      "mcp-verification-failed",
      `${showName(file.path)} of ${label}:${entry.frontmatter.name} ${message}.`,
      {
        data: { label, uri: file.uri, reason },
      },
    );
  if (bytes.length !== file.size)
    throw fail("size", `has ${bytes.length} bytes, and the server listed ${file.size}`);
  if (digestBytes(bytes) !== file.digest)
    throw fail("digest", "is not what the server listed: its digest differs");
  if (file.path !== "SKILL.md") return;
  const header = readFrontmatter(new TextDecoder().decode(bytes));
  // Field by field: the order of keys does not count, types do.
  if (header === undefined || !isDeepStrictEqual(header, entry.frontmatter))
    throw fail("frontmatter", "has another header than the server listed");
}
