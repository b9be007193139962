import { readFrontmatter } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { asObject, fieldOf, isJsonObject, type JsonObject, textOf } from "@skillet/kit/json";
import { showLine } from "@skillet/kit/text";
import { FAULT, MODERN_VERSION, SKILLS_EXTENSION } from "../protocol/json-rpc.ts";
import { checkEntry, rootOf, type SkillEntry } from "../protocol/skill-entry.ts";
import { readResource, walkPages } from "./list-entries.ts";
import { connectMcp, type McpClient, type McpPlace } from "./mcp-client.ts";
import { filesOf, mismatch } from "./mcp-source.ts";

/** A check of MCP's conformance kit, by its id there, and the problems found. */
export interface ServerCheck {
  readonly id: string;
  /** A warning breaks a "should", a failure a "must"; `skipped` could not be tried. */
  readonly status: "passed" | "failed" | "warning" | "skipped";
  readonly problems: readonly string[];
}

export interface ServerReport {
  readonly checks: readonly ServerCheck[];
  readonly skills: number;
  readonly files: number;
  readonly bytes: number;
}

/** In the kit's order. Breaking one that ends with `?` is a warning; one with `:` is about each entry. */
const CHECKS = `
  capability-empty-object capability-declaration-inline capability-requires-resources capability-commits-to-methods
  skills-list-implemented skills-list-pagination skills-list-cache-attributes :skills-list-entry-atomic :entry-uri-required
  :entry-frontmatter-required :entry-uri-matches-frontmatter-name :skill-uri-scheme? :entry-resources-required
  :resources-complete :resources-uri-within-skill :resources-digest-format :resources-size-required
  :limit-resources-per-skill? :limit-total-size? :metadata-reserved-prefix? :name-naming-rules :authority-reg-name?
  :names-should-be-unique? skills-get-implemented skills-get-entry-shape skills-get-cache-attributes skills-get-no-cursor
  skills-get-unknown-uri-invalid-params skillmd-required skillmd-frontmatter entry-frontmatter-identical host-verify-digest
  host-size-mismatch-failure directory-read-method-registered directory-read-result-resources-shape
  directory-read-invalid-params`
  .trim()
  .split(/\s+/);

const MAX_PROBLEMS = 20;
/** For all files together: a server can list as much as it likes. */
const MAX_FETCHED_BYTES = 256 * 1024 * 1024;
const NOWHERE = "skill://skillet-verify-no-such-skill/SKILL.md";

/**
 * Walks a server like a host that loads everything, and reports which checks of the conformance kit fail.
 * Throws if the server cannot be reached or has no skills.
 *
 * @example
 * const { checks } = await verifyServer({ label: "mine", url: "http://127.0.0.1:3000/mcp" });
 * process.exitCode = checks.some(({ status }) => status === "failed") ? 1 : 0;
 */
export async function verifyServer(place: McpPlace): Promise<ServerReport> {
  const walk = new Walk(connectMcp(place));
  const { signal } = place;
  const capabilities = await walk.client.capabilities({ signal });
  const declared = fieldOf(fieldOf(capabilities, "extensions"), SKILLS_EXTENSION);
  const none = `The MCP server ${place.label} does not declare the skills extension.`;
  if (declared === undefined) throw new SkilletError("mcp-no-skills", none);
  const hasResources = asObject(fieldOf(capabilities, "resources")) !== undefined;
  walk.check("capability-empty-object", asObject(declared) === undefined && "it is not an object");
  walk.check("capability-declaration-inline", asObject(fieldOf(declared, "config")) && "it is in `config`");
  walk.check("capability-requires-resources", !hasResources && "`resources` is not declared");
  const listing = await walk.attempt(["skills-list-implemented", "capability-commits-to-methods"], () =>
    walkPages(walk.client, signal, (page) => {
      walk.check("skills-list-implemented", !Array.isArray(page.skills) && "`skills` is not a list");
      walk.checkCache("skills-list-cache-attributes", page);
    }),
  );
  walk.skills = listing?.skills.length ?? 0;
  const entries = listing === undefined ? [] : checkEntries(walk, listing.skills);
  if (listing)
    walk.check(
      "skills-list-pagination",
      listing.isCircle === true && "a cursor comes again, so that the pages do not end",
    );
  const [first] = entries;
  if (first !== undefined) await checkGet(walk, first);
  for (const entry of entries) await checkFiles(walk, entry, signal);
  if (first !== undefined && fieldOf(declared, "directoryRead") === true) await checkDirectory(walk, first);
  return walk.finish();
}

/** Records what was tried and found: a check that was tried without a problem has passed. */
class Walk {
  readonly client: McpClient;
  readonly #problems = new Map<string, Set<string>>();
  skills = 0;
  files = 0;
  bytes = 0;

  constructor(client: McpClient) {
    this.client = client;
  }

  check(id: string, problem?: string | false, where?: string): void {
    const found = this.#problems.get(id) ?? new Set();
    this.#problems.set(id, found);
    if (typeof problem === "string" && found.size < MAX_PROBLEMS)
      found.add(showLine(where === undefined ? problem : `${where}: ${problem}`).slice(0, 400));
  }

  checkCache(id: string, { ttlMs, cacheScope }: JsonObject): void {
    const isSaid = typeof ttlMs === "number" && typeof cacheScope === "string";
    if (this.client.version() === MODERN_VERSION)
      this.check(id, !isSaid && "`ttlMs` or `cacheScope` is missing");
  }

  /** A refusal by the server breaks the checks; losing the connection throws. */
  async attempt<Result>(ids: readonly string[], ask: () => Promise<Result>): Promise<Result | undefined> {
    for (const id of ids) this.check(id);
    try {
      return await ask();
    } catch (error) {
      if (!SkilletError.isInstance(error) || !/^mcp-(?:refused|message-too-large)$/.test(error.code))
        throw error;
      for (const id of ids) this.check(id, error.message);
      return undefined;
    }
  }

  async expectInvalid(id: string, method: string, uri: string): Promise<void> {
    const code = await this.client.request(method, { uri }).then(
      () => "an answer",
      (error: unknown) => (SkilletError.isInstance(error) ? error.data.rpcCode : undefined),
    );
    this.check(id, code !== FAULT.params && `${code} instead of ${FAULT.params}`);
  }

  finish(): ServerReport {
    const checks = CHECKS.map((text): ServerCheck => {
      const id = text.replaceAll(/[:?]/g, "");
      const problems = this.#problems.get(id);
      const broken = text.endsWith("?") ? "warning" : "failed";
      const status = problems?.size === 0 ? "passed" : broken;
      return { id: `sep-2640-${id}`, status: problems ? status : "skipped", problems: [...(problems ?? [])] };
    });
    return { checks, skills: this.skills, files: this.files, bytes: this.bytes };
  }
}

function checkEntries(walk: Walk, listed: readonly unknown[]): readonly SkillEntry[] {
  const uris = new Set<string>();
  const names = new Set<string>();
  return listed.flatMap((one) => {
    const uri = textOf(one, "uri") ?? "an entry without a uri";
    const name = rootOf(uri)?.split("/").at(-1) ?? "";
    const { entry, problems } = checkEntry(one);
    for (const text of CHECKS) if (text.startsWith(":")) walk.check(text.replaceAll(/[:?]/g, ""));
    for (const { check, message } of problems) walk.check(check, message, uri);
    walk.check("skills-list-entry-atomic", uris.has(uri) && "it is listed twice", uri);
    walk.check("names-should-be-unique", !uris.has(uri) && names.has(name) && "its name is taken", uri);
    walk.check("skill-uri-scheme", !uri.startsWith("skill://") && "it has another scheme", uri);
    const isRegName = /^[a-z]+:\/\/(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*(?:\/|$)/.test(uri);
    walk.check("authority-reg-name", !isRegName && "its first part cannot be an authority", uri);
    const metadata = Object.keys(asObject(fieldOf(fieldOf(one, "frontmatter"), "metadata")) ?? {});
    const isReserved = metadata.some((key) => key.startsWith("io.modelcontextprotocol/"));
    walk.check("metadata-reserved-prefix", isReserved && "its metadata has a reserved key", uri);
    uris.add(uri);
    names.add(name);
    return entry ?? [];
  });
}

async function checkGet(walk: Walk, { uri }: SkillEntry): Promise<void> {
  const ids = ["skills-get-implemented", "capability-commits-to-methods"];
  const result = await walk.attempt(ids, () => walk.client.request("skills/get", { uri }));
  if (result === undefined) return;
  const { entry, problems } = checkEntry(result.skill);
  const isOther = entry !== undefined && entry.uri !== uri && "it is another skill";
  walk.check("skills-get-entry-shape", problems[0]?.message ?? isOther, uri);
  walk.check("skills-get-no-cursor", result.nextCursor !== undefined && "it has a cursor", uri);
  walk.checkCache("skills-get-cache-attributes", result);
  await walk.expectInvalid("skills-get-unknown-uri-invalid-params", "skills/get", NOWHERE);
}

async function checkFiles(walk: Walk, entry: SkillEntry, signal: AbortSignal | undefined): Promise<void> {
  for (const file of filesOf(entry)) {
    const { uri, path, size: maxBytes = 0 } = file;
    walk.bytes += maxBytes;
    // Our bound, not the server's fault; the report says how many files were fetched.
    if (walk.bytes > MAX_FETCHED_BYTES) return;
    const id = path === "SKILL.md" ? "skillmd-required" : "resources-complete";
    const bytes = await walk.attempt([id], () => readResource(walk.client, uri, { maxBytes, signal }));
    if (bytes === undefined) continue;
    walk.files += 1;
    for (const broken of Object.values(BROKEN)) walk.check(broken);
    if (path === "SKILL.md") {
      const { name, description } = readFrontmatter(new TextDecoder().decode(bytes)) ?? {};
      const isHeader = typeof name === "string" && typeof description === "string";
      walk.check("skillmd-frontmatter", !isHeader && "its header lacks a name or a description", uri);
    }
    const { reason, message } = mismatch(entry, file, bytes) ?? {};
    if (reason !== undefined) walk.check(BROKEN[reason], message, uri);
  }
}

const BROKEN = {
  size: "host-size-mismatch-failure",
  digest: "host-verify-digest",
  frontmatter: "entry-frontmatter-identical",
} as const;

async function checkDirectory(walk: Walk, entry: SkillEntry): Promise<void> {
  const method = "resources/directory/read";
  const uri = rootOf(entry.uri) ?? "";
  const result = await walk.attempt(["directory-read-method-registered"], () =>
    walk.client.request(method, { uri }),
  );
  if (result === undefined) return;
  const children = Array.isArray(result.resources) ? result.resources.filter(isJsonObject) : [];
  const isShaped = children.length > 0 && children.every((child) => typeof child.uri === "string");
  walk.check("directory-read-result-resources-shape", !isShaped && "it does not list the files", uri);
  const known = new Set<unknown>(filesOf(entry).map((file) => file.uri));
  for (const child of entry.resources === "dynamic" ? [] : children)
    if (child.mimeType !== "inode/directory" && !known.has(child.uri))
      walk.check("resources-complete", "the folder has it, and the entry does not", textOf(child, "uri"));
  await walk.expectInvalid("directory-read-invalid-params", method, entry.uri);
}
