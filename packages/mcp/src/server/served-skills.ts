import { isUtf8 } from "node:buffer";
import { extname } from "node:path/posix";
import type { Session, Skill, Skills, Snapshot } from "@skillet/core";
import { readFrontmatter } from "@skillet/core/internal";
import { oncePer } from "@skillet/kit/async";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { JsonObject } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { FAULT, ProtocolFault } from "../protocol/json-rpc.ts";
import {
  checkEntry,
  ENTRY_LIMITS,
  type EntryResource,
  type SkillEntry,
  segmentsOf,
  uriOf,
} from "../protocol/skill-entry.ts";

/** Entries per page, for any list. */
const PAGE_SIZE = 100;
const MARKDOWN = "text/markdown";
const DIRECTORY = "inode/directory";

interface ServedFile extends EntryResource {
  readonly path: string;
  readonly size: number;
}

interface ServedSkill {
  /** By path. */
  readonly files: ReadonlyMap<string, ServedFile>;
  /** The extension's entry. If there is none, `problem` says why; tools and prompts still offer the skill. */
  readonly entry?: SkillEntry;
  readonly problem?: string | undefined;
}

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType: string;
  readonly size?: number;
}

/**
 * The files of skills for the extension. The contents of a skill are read once for all connections; whether a
 * connection may use the skill is asked of its own session every time.
 */
export class ServedSkills {
  readonly #skills: Skills;
  readonly #onProblem: (skill: string, problem: string) => void;
  readonly #served = new WeakMap<
    Skill,
    { readonly stamp: string | undefined; readonly reading: Promise<ServedSkill> }
  >();

  constructor(skills: Skills, onProblem: (skill: string, problem: string) => void) {
    this.#skills = skills;
    this.#onProblem = onProblem;
  }

  async list(session: Session, cursor: string | undefined): Promise<JsonObject> {
    const page = paginate(listed(session), cursor, rootUri);
    const entries: SkillEntry[] = [];
    for (const skill of page.items) {
      const { entry } = await this.#read(session, skill);
      if (entry !== undefined) entries.push(entry);
    }
    return { skills: entries, ...page.next };
  }

  async get(session: Session, uri: string): Promise<JsonObject> {
    const { skill, path } = find(session, uri);
    if (skill === undefined || path !== skill.source.file)
      throw new ProtocolFault(FAULT.params, `There is no skill ${uri} here. List them: skills/list.`, {
        uri,
      });
    const { entry, problem } = await this.#read(session, skill);
    if (entry !== undefined) return { skill: entry };
    throw new ProtocolFault(FAULT.params, `${uri} is not served as a skill: ${problem}.`, { uri });
  }

  async listResources(session: Session, cursor: string | undefined): Promise<JsonObject> {
    const page = paginate(listed(session), cursor, rootUri);
    const resources: Resource[] = [];
    for (const skill of page.items) {
      const { entry, files } = await this.#read(session, skill);
      const file = files.get(skill.source.file);
      if (entry === undefined || file === undefined) continue;
      const { name, description } = entry.frontmatter;
      resources.push({ uri: entry.uri, name, description, mimeType: MARKDOWN, size: file.size });
    }
    return { resources, ...page.next };
  }

  /** The whole file, exactly as listed. Changed bytes are refused, as the client would refuse them too. */
  async read(session: Session, uri: string, signal: AbortSignal): Promise<JsonObject> {
    const { skill, path } = find(session, uri);
    // The files that the client was given digests of, even if the folder has changed since.
    const known = skill && this.#served.get(skill)?.reading;
    const file = skill && (await (known ?? this.#read(session, skill))).files.get(path);
    if (!file) throw new ProtocolFault(FAULT.params, `There is no resource ${uri} here.`, { uri });
    const { bytes } = await this.#skills.reader.readFile(skill, path, { maxBytes: file.size + 1, signal });
    if (digestBytes(bytes) !== file.digest)
      throw new ProtocolFault(FAULT.internal, `${uri} has changed. Ask for its skill again: skills/get.`);
    const mimeType = mimeTypeOf(path);
    // A byte order mark is among the bytes that the digest covers.
    const content = isUtf8(bytes)
      ? { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) }
      : { blob: Buffer.from(bytes).toString("base64") };
    return { contents: [{ uri, mimeType, ...content }] };
  }

  async readDirectory(session: Session, uri: string, cursor: string | undefined): Promise<JsonObject> {
    const { skill, path } = find(session, uri);
    const children = new Map<string, Resource>();
    const prefix = path === "" ? "" : `${path}/`;
    const { files } = skill ? await this.#read(session, skill) : { files: new Map<string, ServedFile>() };
    for (const file of files.values()) {
      if (!file.path.startsWith(prefix)) continue;
      const [name = "", ...below] = file.path.slice(prefix.length).split("/");
      const own = uriOf(...(segmentsOf(uri) ?? []), name);
      const isFolder = below.length > 0;
      const facts = isFolder ? { mimeType: DIRECTORY } : { mimeType: mimeTypeOf(file.path), size: file.size };
      children.set(name, { uri: own, name, ...facts });
    }
    if (children.size === 0) throw new ProtocolFault(FAULT.params, `${uri} is not a folder here.`, { uri });
    const page = paginate([...children.values()], cursor, (child) => child.uri);
    return { resources: page.items, ...page.next };
  }

  #read(session: Session, skill: Skill): Promise<ServedSkill> {
    // A supporting file may change without a new snapshot, which depends on SKILL.md alone.
    const stamp = this.#skills.reader.stamp(skill)?.text;
    const known = this.#served.get(skill);
    if (known !== undefined && known.stamp === stamp) return known.reading;
    const reading = describe(session, skill).then(
      (served) => {
        if (served.problem !== undefined) this.#onProblem(skill.qualifiedName, served.problem);
        return served;
      },
      (error: unknown) => {
        // A retry may succeed, so a failure is not cached.
        this.#served.delete(skill);
        if (!SkilletError.isInstance(error)) throw error;
        this.#onProblem(skill.qualifiedName, error.message);
        return { files: new Map<string, ServedFile>(), problem: "it cannot be read at the moment" };
      },
    );
    this.#served.set(skill, { stamp, reading });
    return reading;
  }
}

async function describe(session: Session, skill: Skill): Promise<ServedSkill> {
  const files = new Map<string, ServedFile>();
  let frontmatter: JsonObject | undefined;
  let problem: string | undefined;
  let total = 0;
  const tree = await session.files(skill.qualifiedName);
  for await (const { path, mode, bytes } of tree.files) {
    if (mode === "120000") problem = "it holds links";
    if (path === skill.source.file) frontmatter = readFrontmatter(new TextDecoder().decode(bytes));
    total += bytes.length;
    const uri = uriOf(...rootSegments(skill), ...path.split("/"));
    files.set(path, { path, uri, digest: digestBytes(bytes), size: bytes.length });
  }
  if (files.size > ENTRY_LIMITS.files) problem = `it has more than ${ENTRY_LIMITS.files} files`;
  if (total > ENTRY_LIMITS.bytes) problem = `it has more than ${ENTRY_LIMITS.bytes} bytes`;
  if (skill.source.file !== "SKILL.md") problem = "its file is not called SKILL.md";
  const resources = [...files.values()].map(({ uri, digest, size }) => ({ uri, digest, size }));
  const checked = checkEntry({ uri: uriOf(...rootSegments(skill), "SKILL.md"), frontmatter, resources });
  problem ??= checked.problems[0]?.message;
  const { entry } = checked;
  return problem === undefined && entry !== undefined ? { files, entry } : { files: new Map(), problem };
}

/** The skills that a model may load. */
function listed(session: Session): Skill[] {
  return session.snapshot.skills.filter(
    (skill) => skill.kind === "skill" && session.mayUse(skill).obstacle === undefined,
  );
}

/** A qualified name such as `project:deploy` becomes a path of two segments, whose last is the name. */
function rootSegments({ qualifiedName }: Skill): readonly string[] {
  return qualifiedName.split(/[:/]/);
}

function rootUri(skill: Skill): string {
  return uriOf(...rootSegments(skill));
}

/** The skill that contains a URI, if the session lets models or users load it, and the path in it. */
function find(session: Session, uri: string): { readonly skill?: Skill; readonly path: string } {
  const segments = segmentsOf(uri) ?? [];
  const byRoot = rootsOf(session.snapshot);
  // If skills are nested, the innermost one wins.
  for (let count = segments.length; count > 0; count -= 1) {
    const skill = byRoot.get(segments.slice(0, count).join("/"));
    if (skill === undefined) continue;
    const isUsable = (["model", "user"] as const).some(
      (source) => session.mayUse(skill, { source, byFullName: true }).obstacle === undefined,
    );
    if (isUsable) return { skill, path: segments.slice(count).join("/") };
  }
  return { path: "" };
}

const rootsOf = oncePer((snapshot: Snapshot): ReadonlyMap<string, Skill> => {
  const skills = snapshot.skills.filter(({ kind }) => kind === "skill");
  return new Map(skills.map((skill) => [rootSegments(skill).join("/"), skill]));
});

/** A page of a list, sorted by key. The cursor is the last key, so that it survives a reload. */
export function paginate<Item>(
  all: readonly Item[],
  cursor: string | undefined,
  keyOf: (item: Item) => string,
): { readonly items: readonly Item[]; readonly next: { readonly nextCursor?: string } } {
  const after = cursor === undefined ? "" : Buffer.from(cursor, "base64url").toString();
  if (cursor !== undefined && !after.startsWith(CURSOR))
    throw new ProtocolFault(FAULT.params, "The cursor is not one that this server gave.");
  const rest = all
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => cursor === undefined || compareByteOrder(key, after.slice(CURSOR.length)) > 0)
    .sort((left, right) => compareByteOrder(left.key, right.key));
  const items = rest.slice(0, PAGE_SIZE);
  const last = items.at(-1);
  const next =
    last !== undefined && rest.length > PAGE_SIZE
      ? { nextCursor: Buffer.from(CURSOR + last.key).toString("base64url") }
      : {};
  return { items: items.map(({ item }) => item), next };
}

const CURSOR = "after:";

const MIME_TYPES: ReadonlyMap<string, string> = new Map(
  (
    ".md text/markdown .txt text/plain .json application/json .yaml application/yaml .yml application/yaml " +
    ".py text/x-python .sh application/x-sh .js text/javascript .ts text/x-typescript .html text/html .csv text/csv " +
    ".png image/png .jpg image/jpeg .jpeg image/jpeg .gif image/gif .svg image/svg+xml .pdf application/pdf"
  )
    .match(/\S+ \S+/g)
    ?.map((pair) => pair.split(" ") as [string, string]),
);

function mimeTypeOf(path: string): string {
  return MIME_TYPES.get(extname(path).toLowerCase()) ?? "application/octet-stream";
}
