import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { isInside } from "@skillet/kit/files";
import type { Gating, Manifest } from "../../format/manifest.ts";
import { parseSkillBytes } from "../../format/parse-skill.ts";
import { pathBelow } from "../../source/check-relative-path.ts";
import { LocalSource } from "../../source/local/local-source.ts";
import {
  isQualified,
  type MissingRequirement,
  type Origin,
  type Scope,
  type Skill,
  type SkillState,
} from "../skill.ts";
import type { SkillRoot } from "../skill-root.ts";
import type { SkillContent, SkillTable } from "./skill-table.ts";

const NONE: readonly never[] = [];

export interface SkillPlace {
  readonly folder: string;
  readonly file: string;
  readonly linkedFile: string | undefined;
}

/**
 * A single object per skill, which derives everything that it can: with a hundred thousand skills, discovery
 * is mostly garbage collection. The header is parsed again on demand. Only `compose/` writes to it; others
 * see the readonly `Skill`.
 */
export class DiscoveredSkill implements Skill {
  readonly root: SkillRoot;
  readonly folder: string;
  readonly file: string;
  plugin: string | undefined = undefined;
  qualifiedName = "";
  /** Disabled or untrusted, decided before names: such a skill takes no name from one that can be offered. */
  excluded:
    | { readonly state: "disabled" | "untrusted"; readonly reason: string; readonly byProject: boolean }
    | undefined = undefined;
  winner: DiscoveredSkill | undefined = undefined;
  missing: readonly MissingRequirement[] = NONE;
  /** One growing list: a hostile tree can lead to one skill by a hundred thousand links. */
  places: string[] | undefined = undefined;
  notes: readonly Diagnostic[] = NONE;
  // Not `#` names: hosts wrap skills with `Object.create`, and getters must work on that.
  readonly linkedFile: string | undefined;
  private readonly table: SkillTable;
  private readonly row: number;
  private content: SkillContent | undefined;

  constructor(
    root: SkillRoot,
    place: SkillPlace,
    facts: { readonly table: SkillTable; readonly row: number; readonly content?: SkillContent | undefined },
  ) {
    this.root = root;
    this.folder = place.folder;
    this.file = place.file;
    this.linkedFile = place.linkedFile;
    this.table = facts.table;
    this.row = facts.row;
    this.content = facts.content;
  }

  /** The same skill for another snapshot, before anything is decided about it. */
  again(root: SkillRoot): DiscoveredSkill {
    const { table, row, content } = this;
    return new DiscoveredSkill(root, this, { table, row, content });
  }

  /** Sets the name to compete for: bare or in its plugin. No skill may declare another scope or plugin. */
  claimName(plugin: string | undefined): void {
    const { name } = this;
    const isReserved = plugin === undefined && isQualified(name);
    const prefix = isReserved ? this.root.scope : plugin;
    this.plugin = plugin;
    this.qualifiedName = prefix === undefined ? name : `${prefix}:${name}`;
    if (isReserved) this.notes = [reservedName(this)];
  }

  get name(): string {
    return this.table.name(this.row);
  }

  get gating(): Gating | undefined {
    return this.table.gating(this.row);
  }

  get scope(): Scope {
    return this.root.scope;
  }

  get origin(): Origin {
    const { origin, agentFolders = NONE } = this.root;
    return agentFolders.some((folder) => isInside(this.canonicalFile, folder)) ? "agent-created" : origin;
  }

  get kind(): "skill" | "command" {
    const { source } = this.root;
    return source instanceof LocalSource && source.layout === "commands" ? "command" : "skill";
  }

  get state(): SkillState {
    if (this.excluded !== undefined) return this.excluded.state;
    if (this.winner !== undefined) return "shadowed";
    return this.missing.length === 0 ? "enabled" : "unavailable";
  }

  get reason(): string | undefined {
    if (this.excluded !== undefined) return this.excluded.reason;
    if (this.winner !== undefined) return `the name belongs to ${this.winner.path}`;
    return this.missing.length === 0 ? undefined : this.missing.map(({ message }) => message).join("; ");
  }

  get shadowedBy(): string | undefined {
    return this.winner?.qualifiedName;
  }

  get alsoAt(): readonly string[] {
    if (this.linkedFile === undefined || this.linkedFile === this.path) return this.places ?? NONE;
    return [...new Set([this.linkedFile, ...(this.places ?? NONE)])];
  }

  get bodyCharacters(): number {
    return this.table.bodyCharacters(this.row);
  }

  get path(): string {
    return this.root.source.toolPath(pathBelow(this.folder, this.file));
  }

  get directory(): string {
    return this.root.source.toolPath(this.folder);
  }

  get hostDirectory(): string | undefined {
    const { source } = this.root;
    if (!(source instanceof LocalSource) || source.toolPath("") === source.root) return undefined;
    return source.hostPath(this.folder);
  }

  get directoryName(): string {
    const directory = this.hostDirectory ?? this.directory;
    return directory.slice(directory.lastIndexOf("/") + 1);
  }

  get source(): { readonly id: string; readonly folder: string; readonly file: string } {
    return { id: this.root.source.id, folder: this.folder, file: this.file };
  }

  /** Identity: skills with the same canonical file are the same skill. */
  get canonicalFile(): string {
    if (this.linkedFile !== undefined) return this.linkedFile;
    const { source } = this.root;
    const root = source instanceof LocalSource ? source.canonicalRoot : source.id;
    return `${root === "/" ? "" : root}/${pathBelow(this.folder, this.file)}`;
  }

  get digest(): Digest {
    return this.table.digest(this.row);
  }

  get settingsDigest(): Digest | undefined {
    return this.table.form(this.row) === "header" ? undefined : this.load().settingsDigest;
  }

  get manifest(): Manifest {
    return this.load().manifest;
  }

  get diagnostics(): readonly Diagnostic[] {
    const { diagnostics } = this.load();
    return this.notes.length === 0 ? diagnostics : [...diagnostics, ...this.notes];
  }

  fold(other: DiscoveredSkill): void {
    this.places ??= [];
    this.places.push(other.path);
    for (const path of other.places ?? NONE) this.places.push(path);
  }

  /** The plain object for JSON and comparisons. */
  toJSON(): Skill {
    const plain: Partial<Record<keyof Skill, unknown>> = {};
    for (const key of KEYS) {
      const value = this[key];
      if (value !== undefined) plain[key] = value;
    }
    return plain as Skill;
  }

  private load(): SkillContent {
    this.content ??= this.parse();
    return this.content;
  }

  private parse(): SkillContent {
    const { path: file, directoryName } = this;
    const bytes = this.table.content(this.row);
    if (this.table.form(this.row) === "outcome") return JSON.parse(bytes.toString("utf8")) as SkillContent;
    const { manifest, diagnostics } = parseSkillBytes(bytes, { file, directoryName });
    if (manifest === undefined) throw new TypeError(`The cached header of ${file} does not parse.`);
    return { manifest, diagnostics };
  }
}

const KEYS =
  `name qualifiedName scope origin kind plugin path directory hostDirectory directoryName source digest settingsDigest
  manifest state reason missing bodyCharacters alsoAt shadowedBy diagnostics`.split(/\s+/) as (keyof Skill)[];

function reservedName({ name, qualifiedName, path }: DiscoveredSkill): Diagnostic {
  const message = `The name ${JSON.stringify(name)} reads like that of a skill in another scope or plugin; this one is ${JSON.stringify(qualifiedName)}.`;
  return diagnostic("warning", "name-reserved", path, message, "Give it a name without a colon.");
}
