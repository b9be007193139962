import { SkilletError } from "@skillet/kit/errors";
import { asObject, fieldOf, isJsonObject, type JsonObject, parseJson } from "@skillet/kit/json";
import { SKILLS_EXTENSION } from "../protocol/json-rpc.ts";
import type { AskOptions, McpClient } from "./mcp-client.ts";

/** What a server lists, unchecked. */
export interface RawListing {
  readonly skills: readonly unknown[];
  readonly ttlMs: number;
  /** A bound was reached, so there may be more. */
  readonly isCut: boolean;
  /** A cursor was repeated, so the pages would never end. */
  readonly isCircle?: boolean | undefined;
  /** The index of earlier drafts. */
  readonly isOlder?: boolean | undefined;
}

const MAX_PAGES = 64;
const MAX_LISTED = 2_000;
/** For all pages together: a slow server must not stall every command. */
const MAX_LIST_MS = 60_000;
/** Objects, lists and values of all pages together: millions of empty lists fit into a few megabytes. */
const MAX_LIST_VALUES = 500_000;
const MAX_TTL_MS: number = 60 * 60 * 1000;
const MAX_FILE_BYTES = 1024 * 1024;
const OLD_INDEX = "skill://index.json";

/** Walks the pages of `skills/list`; if that method is missing, reads the index of earlier drafts. */
export async function listEntries(
  client: McpClient,
  label: string,
  signal?: AbortSignal,
): Promise<RawListing> {
  const declared = fieldOf(fieldOf(await client.capabilities({ signal }), "extensions"), SKILLS_EXTENSION);
  const message = `The MCP server ${label} does not offer skills.`;
  let refused: unknown = new SkilletError("mcp-no-skills", message, { data: { label } });
  for (const list of asObject(declared) === undefined ? [readIndex] : [walkPages, readIndex])
    try {
      return await list(client, signal);
    } catch (error) {
      if (!SkilletError.isInstance(error) || error.code !== "mcp-refused") throw error;
      if (list === walkPages) refused = error;
    }
  throw refused;
}

export async function walkPages(
  client: McpClient,
  signal?: AbortSignal,
  onPage: (result: JsonObject) => void = () => undefined,
): Promise<RawListing> {
  const skills: unknown[] = [];
  const cursors = new Set<unknown>();
  const began = performance.now();
  let ttlMs = MAX_TTL_MS;
  let cursor: unknown;
  let room = MAX_LIST_VALUES;
  let isDropped = false;
  do {
    cursors.add(cursor);
    const params = typeof cursor === "string" ? { cursor } : {};
    const result = await client.request("skills/list", params, { signal });
    onPage(result);
    for (const skill of Array.isArray(result.skills) ? result.skills : []) {
      room -= countValues(skill, room);
      isDropped ||= room <= 0 || skills.length >= MAX_LISTED;
      if (isDropped) break;
      skills.push(skill);
    }
    if (typeof result.ttlMs === "number") ttlMs = Math.min(ttlMs, result.ttlMs);
    cursor = result.nextCursor;
    // A repeated cursor would lead round in a circle.
  } while (
    typeof cursor === "string" &&
    !cursors.has(cursor) &&
    cursors.size < MAX_PAGES &&
    !isDropped &&
    performance.now() - began < MAX_LIST_MS
  );
  const isCircle = typeof cursor === "string" && cursors.has(cursor);
  return { skills, ttlMs, isCut: isDropped || typeof cursor === "string", isCircle };
}

/** Counts nested values up to a bound. Not recursive, because a server chooses the depth. */
function countValues(value: unknown, most: number): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count <= most) {
    const one = open.pop();
    count += 1;
    if (typeof one !== "object" || one === null) continue;
    for (const inner of Object.values(one)) if (open.length <= most) open.push(inner);
  }
  return count;
}

/** The index of earlier drafts: `{ url, digest, frontmatter }` of each SKILL.md, no sizes or other files. */
async function readIndex(client: McpClient, signal?: AbortSignal): Promise<RawListing> {
  const bytes = await readResource(client, OLD_INDEX, { signal });
  const listed = fieldOf(parseJson(bytes), "skills");
  if (!Array.isArray(listed)) throw new SkilletError("mcp-refused", `${OLD_INDEX} is not a list of skills.`);
  const skills = listed.slice(0, MAX_LISTED).map((one) => {
    const { url: uri, digest, frontmatter } = isJsonObject(one) ? one : {};
    return { uri, frontmatter, resources: [{ uri, digest }] };
  });
  return { skills, ttlMs: 0, isCut: listed.length > MAX_LISTED, isOlder: true };
}

/** The bytes of a file; empty if the server sends another file or nothing. */
export async function readResource(
  client: McpClient,
  uri: string,
  { maxBytes = MAX_FILE_BYTES, signal }: AskOptions,
): Promise<Uint8Array> {
  // The content may be base64, or text in which every byte is escaped.
  const bound = { signal, maxBytes: maxBytes * 6 + 64 * 1024 };
  const result = await client.request("resources/read", { uri }, bound);
  const contents = Array.isArray(result.contents) ? result.contents : [];
  const { text, blob } = contents.filter(isJsonObject).find((one) => one.uri === uri) ?? {};
  if (typeof text === "string") return Buffer.from(text);
  return Buffer.from(typeof blob === "string" ? blob : "", "base64");
}
