import { SkilletError } from "@skillet/kit/errors";
import { parseJson } from "@skillet/kit/json";
import { isLoopback, readBoundedBody } from "@skillet/kit/network";
import { array, matching, object, optional, readDocument, refine, text } from "@skillet/kit/schema";
import { inParallel } from "./in-parallel.ts";
import { SKILL_FILE } from "./skill-file-name.ts";
import type { SkillListing, SkillSource, SourceFile } from "./skill-source.ts";

/** Where a site publishes its skills, and how to fetch them. */
export interface FetchSourceOptions {
  /** The folder of the index; https, or http on this machine. */
  readonly baseUrl: string;
  /** Default: the global one; pass your own to send credentials. */
  readonly fetch?: typeof globalThis.fetch;
  /** Default: `index.json`. */
  readonly index?: string;
  /** How many files are fetched at a time; default: 16. */
  readonly concurrency?: number;
}

const MAX_INDEX_BYTES = 16 * 1024 * 1024;
const MAX_SKILLS = 20_000;
const MAX_FILES_OF_SKILL = 1_000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_SKILL_BYTES = 64 * 1024 * 1024;
/** The most that is kept for comparison by ETag; files beyond it are fetched in full. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const REQUEST_MS = 30_000;

interface KeptFile {
  readonly etag: string | null;
  readonly bytes: Uint8Array;
  /** The listing during which the server was last asked about the file. */
  readonly listing: number;
}

/**
 * Skills on a web server, for workers, browsers and anything else that has `fetch`: an index of version 0.1
 * with plain files beside it, as `skillet publish` writes to `.well-known/skills/`. Every reload fetches the
 * index again, and files by ETag. Only the site itself is contacted, and redirects are refused.
 *
 * @example
 * const source = fetchSource({ baseUrl: "https://example.com/.well-known/skills/" });
 * const skills = await openSkills({ roots: [], sources: [source], cacheDirectory: false });
 */
export function fetchSource(options: FetchSourceOptions): SkillSource {
  const { index = "index.json", concurrency = 16 } = options;
  const base = baseOf(options.baseUrl);
  const kept = new Map<string, KeptFile>();
  let keptBytes = 0;
  let listing = 0;
  let indexed = new Map<string, IndexedSkill>();
  const urlOf = (path: string): string =>
    new URL(path.split("/").map(encodeURIComponent).join("/"), base).href;
  const fault = (code: string, path: string, what: string): SkilletError =>
    new SkilletError(code, `${urlOf(path)} ${what}; check the site, then reload.`, { data: { path } });

  async function ask(path: string, maxBytes: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const known = kept.get(path);
    const asked = listing;
    if (known?.listing === asked) return known.bytes;
    const response = await (options.fetch ?? globalThis.fetch)(urlOf(path), {
      // Not "error", which workers do not support; a redirect is not `ok` anyway.
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(REQUEST_MS), ...(signal ? [signal] : [])]),
      ...(known?.etag && { headers: { "if-none-match": known.etag } }),
    });
    const isSame = response.status === 304 && known !== undefined;
    if (response.status === 404 || response.status === 410)
      throw fault("file-not-found", path, "is not there");
    if (!response.ok && !isSame) throw fault("source-unavailable", path, `answered ${response.status}`);
    const bytes = isSame ? known.bytes : await readBoundedBody(response, { maxBytes });
    if (bytes === undefined) throw fault("source-unavailable", path, `has more than ${maxBytes} bytes`);
    forget(path);
    if (keptBytes + bytes.length > MAX_KEPT_BYTES) return bytes;
    keptBytes += bytes.length;
    kept.set(path, { etag: isSame ? known.etag : response.headers.get("etag"), bytes, listing: asked });
    return bytes;
  }

  function forget(path: string): void {
    keptBytes -= kept.get(path)?.bytes.length ?? 0;
    kept.delete(path);
  }

  function isIndexed(path: string): boolean {
    const slash = path.indexOf("/");
    return indexed.get(path.slice(0, slash))?.files.includes(path.slice(slash + 1)) === true;
  }

  async function readFile(path: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
    // Only files in the index: a path that a model asks for must not cause a request.
    if (isIndexed(path)) return ask(path, MAX_FILE_BYTES, signal);
    throw new SkilletError("file-not-found", `${path} is not in the index of ${base}.`, { data: { path } });
  }

  return {
    id: `fetch:${base}`,
    concurrency,
    toolPath: (path) => (path === "" ? base : urlOf(path)),
    async listSkills({ signal } = {}) {
      listing += 1;
      const found = readIndex(await ask(index, MAX_INDEX_BYTES, signal), urlOf(index));
      indexed = found.skills;
      for (const path of kept.keys()) if (path !== index && !isIndexed(path)) forget(path);
      const folders = [...indexed.values()].map(({ name, files, treeDigest: version }) => ({
        path: name,
        file: SKILL_FILE,
        ...(files.includes(COMPANION) && { companion: { path: `${name}/${COMPANION}` } }),
        ...(version !== undefined && { version }),
      }));
      return { folders, diagnostics: found.diagnostics };
    },
    async listFiles(folder, { signal } = {}) {
      const paths = (indexed.get(folder)?.files ?? []).toSorted();
      const files: SourceFile[] = [];
      let total = 0;
      const read = (path: string): Promise<Uint8Array> => readFile(`${folder}/${path}`, signal);
      for await (const { length: size } of inParallel(paths, concurrency, read)) {
        total += size;
        if (total > MAX_SKILL_BYTES)
          throw fault("source-unavailable", folder, `has more than ${MAX_SKILL_BYTES} bytes of files`);
        files.push({ path: paths[files.length] ?? "", kind: "file", size, executable: false });
      }
      return { files, diagnostics: [] };
    },
    async read(path, { maxBytes, signal }) {
      const bytes = await readFile(path, signal);
      const kept = new Uint8Array(bytes.subarray(0, maxBytes));
      return { bytes: kept, size: bytes.length, truncated: bytes.length > maxBytes };
    },
  };
}

const COMPANION = "agents/openai.yaml";

function baseOf(baseUrl: string): string {
  const { protocol, hostname, origin, pathname, username, password } = new URL(baseUrl);
  const isLocal = protocol === "http:" && isLoopback(hostname);
  if ((protocol === "https:" || isLocal) && username === "" && password === "")
    return `${origin}${pathname.replace(/\/?$/, "/")}`;
  const message = "The site of skills cannot be used: pass an https address without credentials.";
  throw new SkilletError("source-url-invalid", message, { data: { origin } });
}

/** An entry of the index: version 0.1 of the discovery format; its files are in a folder of its name. */
interface IndexedSkill {
  readonly name: string;
  readonly files: readonly string[];
  /** An addition to the format: if it is unchanged, a reload does not fetch the skill. */
  readonly treeDigest?: string;
}

// Flag `s`, as a path may contain line separators; lone surrogates are excluded, as a URL cannot hold them.
const PATH = /^(?!(?:.*\/)?\.{0,2}(?:\/|$))[^\\\p{Cc}\p{Cs}]{1,1024}$/su;
const filePath = matching(PATH, "a path inside the skill");

const indexedSkill = refine(
  object<IndexedSkill>({
    name: filePath,
    files: array(filePath, { maxItems: MAX_FILES_OF_SKILL }),
    treeDigest: optional(text),
  }),
  (skill, reading) =>
    !skill.name.includes("/") && skill.files.includes(SKILL_FILE) ? skill : reading.fault("has no SKILL.md"),
);

function readIndex(
  bytes: Uint8Array,
  file: string,
): { readonly skills: Map<string, IndexedSkill>; readonly diagnostics: SkillListing["diagnostics"] } {
  const listed: unknown = (parseJson(bytes) as { readonly skills?: unknown } | null | undefined)?.skills;
  if (!Array.isArray(listed) || listed.length > MAX_SKILLS)
    throw new SkilletError("source-unavailable", `${file} is not an index of at most ${MAX_SKILLS} skills.`);
  const skills = new Map<string, IndexedSkill>();
  const diagnostics = listed.flatMap((entry: unknown, place): SkillListing["diagnostics"] => {
    const { value, faults } = readDocument(indexedSkill, entry, { name: "the entry", maxFaults: 1 });
    if (value !== undefined && !skills.has(value.name) && skills.set(value.name, value)) return [];
    const message = `skills[${place}] is left out: ${faults[0]?.message ?? "its name is there twice"}.`;
    const hint = "Tell the site's owner; the other skills can be used.";
    return [{ code: "index-entry-invalid", severity: "error", message, file, hint }];
  });
  return { skills, diagnostics };
}
