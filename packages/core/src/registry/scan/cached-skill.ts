import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { FileStamp } from "@skillet/kit/files";
import type { Gating, Manifest } from "../../format/manifest.ts";
import { parseSkillBytes } from "../../format/parse-skill.ts";
import { type FoundSkill, relativePath } from "../../source/local/found-skill.ts";
import type { LocalSource } from "../../source/local/local-source.ts";
import { KIND_FAULTLESS_HEADER, KIND_OUTCOME } from "./cache-layout.ts";
import { directoryNameOf, labelOf } from "./place-of.ts";
import type { ScannedSkill } from "./scanned-skill.ts";
import type { SkillRows } from "./skill-rows.ts";

interface Outcome {
  readonly settingsDigest?: Digest;
  readonly manifest: Manifest;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A skill of which only name and requirements were read, now or when it was cached; its header is parsed when somebody
 * asks.
 *
 * One small object a skill: with a hundred thousand of them, the collector is what a warm start waits for.
 */
export class CachedSkill implements ScannedSkill {
  readonly name: string;
  readonly gating: Gating | undefined;
  readonly node: number;
  readonly file: string;
  readonly #absolute: string;
  readonly #linkPath: string | undefined;
  readonly #linkedFile: string | undefined;
  readonly #source: LocalSource;
  readonly #cache: SkillRows;
  readonly #row: number;
  #outcome: Outcome | undefined;

  constructor(
    source: LocalSource,
    found: FoundSkill,
    cached: { readonly cache: SkillRows; readonly row: number },
  ) {
    this.name = cached.cache.name(cached.row);
    this.gating = cached.cache.gating(cached.row);
    this.node = found.node;
    this.file = found.file;
    this.#absolute = found.absolute;
    this.#linkPath = found.linkPath;
    this.#linkedFile = found.linkedFile;
    this.#source = source;
    this.#cache = cached.cache;
    this.#row = cached.row;
  }

  isIn(rows: SkillRows): boolean {
    return this.#cache === rows;
  }

  get folder(): string {
    return relativePath(this.#source.canonicalRoot, { absolute: this.#absolute, linkPath: this.#linkPath });
  }

  get canonicalFile(): string {
    return this.#linkedFile ?? `${this.#absolute}/${this.file}`;
  }

  get isCommand(): boolean {
    return false;
  }

  get bodyCharacters(): number {
    return this.#cache.bodyCharacters(this.#row);
  }

  get digest(): Digest {
    return this.#cache.digest(this.#row);
  }

  get settingsDigest(): Digest | undefined {
    return this.cacheKind === KIND_OUTCOME ? this.#load().settingsDigest : undefined;
  }

  get cacheKind(): number {
    return this.#cache.kind(this.#row);
  }

  get stamp(): FileStamp {
    return this.#cache.stamp(this.#row);
  }

  get companion(): FileStamp | undefined {
    return this.#cache.companion(this.#row);
  }

  get manifest(): Manifest {
    return this.#load().manifest;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.cacheKind === KIND_FAULTLESS_HEADER ? [] : this.#load().diagnostics;
  }

  content(): Uint8Array {
    return this.#cache.content(this.#row);
  }

  #load(): Outcome {
    this.#outcome ??= this.cacheKind === KIND_OUTCOME ? this.#decode() : this.#parse();
    return this.#outcome;
  }

  #parse(): Outcome {
    const file = labelOf(this.#source, this);
    const directoryName = directoryNameOf(this.#source, this);
    const { manifest, diagnostics } = parseSkillBytes(this.content(), { file, directoryName });
    if (manifest === undefined) throw new TypeError(`The cached header of ${file} does not parse.`);
    return { manifest, diagnostics };
  }

  #decode(): Outcome {
    return JSON.parse(Buffer.from(this.content()).toString("utf8")) as Outcome;
  }
}
