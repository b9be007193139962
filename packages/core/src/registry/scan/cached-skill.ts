import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Gating, Manifest } from "../../format/manifest.ts";
import { parseSkillBytes } from "../../format/parse-skill.ts";
import { type FoundSkill, relativePath } from "../../source/local/found-skill.ts";
import type { LocalSource } from "../../source/local/local-source.ts";
import type { ScannedSkill } from "./scanned-skill.ts";
import { FAULTLESS_HEADER, OUTCOME, type SkillTable } from "./skill-table.ts";

interface Outcome {
  readonly settingsDigest?: Digest;
  readonly manifest: Manifest;
  readonly diagnostics: readonly Diagnostic[];
}

/** Where a scan keeps its skills. */
export interface TableOf {
  readonly source: LocalSource;
  readonly table: SkillTable;
}

/** A skill of which a table has name and requirements; its header is parsed on demand. */
export class CachedSkill implements ScannedSkill {
  readonly file: string;
  readonly #absolute: string;
  readonly #linkPath: string | undefined;
  readonly #linkedFile: string | undefined;
  readonly #scan: TableOf;
  readonly #row: number;
  #outcome: Outcome | undefined;

  constructor(found: FoundSkill, scan: TableOf, row: number) {
    this.file = found.file;
    this.#absolute = found.absolute;
    this.#linkPath = found.linkPath;
    this.#linkedFile = found.linkedFile;
    this.#scan = scan;
    this.#row = row;
  }

  get name(): string {
    return this.#scan.table.name(this.#row);
  }

  get gating(): Gating | undefined {
    return this.#scan.table.gating(this.#row);
  }

  get folder(): string {
    const { canonicalRoot } = this.#scan.source;
    return relativePath(canonicalRoot, { absolute: this.#absolute, linkPath: this.#linkPath });
  }

  get canonicalFile(): string {
    return this.#linkedFile ?? `${this.#absolute}/${this.file}`;
  }

  get isCommand(): boolean {
    return false;
  }

  get bodyCharacters(): number {
    return this.#scan.table.bodyCharacters(this.#row);
  }

  get digest(): Digest {
    return this.#scan.table.digest(this.#row);
  }

  get settingsDigest(): Digest | undefined {
    return this.#kind === OUTCOME ? this.#load().settingsDigest : undefined;
  }

  get manifest(): Manifest {
    return this.#load().manifest;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#kind === FAULTLESS_HEADER ? [] : this.#load().diagnostics;
  }

  get #kind(): number {
    return this.#scan.table.kind(this.#row);
  }

  #load(): Outcome {
    this.#outcome ??= this.#kind === OUTCOME ? this.#decode() : this.#parse();
    return this.#outcome;
  }

  #parse(): Outcome {
    const { source, table } = this.#scan;
    const file = labelOf(source, this);
    const directoryName = directoryNameOf(source, this);
    const { manifest, diagnostics } = parseSkillBytes(table.content(this.#row), { file, directoryName });
    if (manifest === undefined) throw new TypeError(`The cached header of ${file} does not parse.`);
    return { manifest, diagnostics };
  }

  #decode(): Outcome {
    return JSON.parse(Buffer.from(this.#scan.table.content(this.#row)).toString("utf8")) as Outcome;
  }
}

interface Place {
  readonly folder: string;
  readonly file: string;
}

/** A skill file's path in messages. */
export function labelOf(source: LocalSource, { folder, file }: Place): string {
  return source.toolPath(folder === "" ? file : `${folder}/${file}`);
}

/** The name a skill has by its place: its folder's, or a command file's without `.md`. */
export function directoryNameOf(source: LocalSource, { folder, file }: Place): string {
  if (source.layout === "commands") return file.slice(0, -".md".length);
  const path = folder === "" ? source.root : folder;
  return path.slice(path.lastIndexOf("/") + 1);
}
