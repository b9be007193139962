import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Manifest } from "../../format/manifest.ts";
import type { ScannedSkill } from "../scan/scanned-skill.ts";
import { isQualified } from "../scope-prefix.ts";
import type { MissingRequirement, Origin, Scope, Skill, SkillState } from "../skill.ts";
import type { SkillRoot } from "../skill-root.ts";

const NONE: readonly never[] = [];

/**
 * A scanned skill on its way into a snapshot, and then the skill of that snapshot.
 *
 * One object from beginning to end, and everything that can be derived is: composing a hundred thousand skills is
 * mostly the collector's work. Only `compose/` writes to it; everybody else sees the readonly `Skill`.
 */
export class ComposedSkill implements Skill {
  readonly scanned: ScannedSkill;
  readonly root: SkillRoot;
  readonly plugin: string | undefined;
  qualifiedName: string;
  /** Disabled or untrusted, decided before names: what is not offered takes no name from what is. */
  withheld: { readonly state: SkillState; readonly reason: string; readonly byProject: boolean } | undefined;
  /** The skill that has the name this one wanted. */
  winner: ComposedSkill | undefined;
  missing: readonly MissingRequirement[];
  /** One list that grows: a hostile tree can lead to one skill by a hundred thousand links. */
  places: string[] | undefined;
  notes: readonly Diagnostic[];

  constructor(scanned: ScannedSkill, root: SkillRoot, plugin: string | undefined) {
    this.scanned = scanned;
    this.root = root;
    this.plugin = plugin;
    // The name it competes for: bare, or within its plugin. Nobody may declare himself into another scope or plugin.
    const isReserved = plugin === undefined && isQualified(scanned.name);
    const prefix = isReserved ? root.scope : plugin;
    this.qualifiedName = prefix === undefined ? scanned.name : `${prefix}:${scanned.name}`;
    this.withheld = undefined;
    this.winner = undefined;
    this.missing = NONE;
    this.places = undefined;
    this.notes = isReserved ? [reservedName(this)] : NONE;
  }

  get name(): string {
    return this.scanned.name;
  }

  get scope(): Scope {
    return this.root.scope;
  }

  get origin(): Origin {
    return this.root.origin;
  }

  get kind(): "skill" | "command" {
    return this.scanned.isCommand ? "command" : "skill";
  }

  get state(): SkillState {
    if (this.withheld !== undefined) return this.withheld.state;
    if (this.winner !== undefined) return "shadowed";
    return this.missing.length === 0 ? "enabled" : "unavailable";
  }

  get reason(): string | undefined {
    if (this.withheld !== undefined) return this.withheld.reason;
    if (this.winner !== undefined) return `the name belongs to ${this.winner.path}`;
    return this.missing.length === 0 ? undefined : this.missing.map(({ message }) => message).join("; ");
  }

  get shadowedBy(): string | undefined {
    return this.winner?.qualifiedName;
  }

  get alsoAt(): readonly string[] {
    return this.places ?? NONE;
  }

  get bodyCharacters(): number {
    return this.scanned.bodyCharacters;
  }

  get path(): string {
    const { folder, file } = this.scanned;
    return this.root.source.toolPath(folder === "" ? file : `${folder}/${file}`);
  }

  get directory(): string {
    return this.root.source.toolPath(this.scanned.folder);
  }

  get directoryName(): string {
    const { directory } = this;
    return directory.slice(directory.lastIndexOf("/") + 1);
  }

  get source(): { readonly id: string; readonly folder: string; readonly file: string } {
    return { id: this.root.source.id, folder: this.scanned.folder, file: this.scanned.file };
  }

  get digest(): Digest {
    return this.scanned.digest;
  }

  get settingsDigest(): Digest | undefined {
    return this.scanned.settingsDigest;
  }

  get manifest(): Manifest {
    return this.scanned.manifest;
  }

  get diagnostics(): readonly Diagnostic[] {
    const { diagnostics } = this.scanned;
    return this.notes.length === 0 ? diagnostics : [...diagnostics, ...this.notes];
  }

  /** Takes note that another skill was the same as this one. */
  fold(other: ComposedSkill): void {
    this.places ??= [];
    this.places.push(other.path);
    for (const path of other.alsoAt) this.places.push(path);
  }

  /** The plain object that JSON and comparisons see. */
  toJSON(): Skill {
    const { name, qualifiedName, scope, origin, kind, plugin, path, directory, directoryName, source } = this;
    const {
      digest,
      settingsDigest,
      manifest,
      state,
      reason,
      missing,
      bodyCharacters,
      alsoAt,
      shadowedBy,
      diagnostics,
    } = this;
    return {
      name,
      qualifiedName,
      scope,
      origin,
      kind,
      ...(plugin === undefined ? {} : { plugin }),
      path,
      directory,
      directoryName,
      source,
      digest,
      ...(settingsDigest === undefined ? {} : { settingsDigest }),
      manifest,
      state,
      ...(reason === undefined ? {} : { reason }),
      missing,
      bodyCharacters,
      alsoAt,
      ...(shadowedBy === undefined ? {} : { shadowedBy }),
      diagnostics,
    };
  }
}

function reservedName({ name, qualifiedName, path }: ComposedSkill): Diagnostic {
  return {
    code: "name-reserved",
    severity: "warning",
    message: `The name ${JSON.stringify(name)} reads like that of a skill in another scope or plugin; this one is ${JSON.stringify(qualifiedName)}.`,
    file: path,
    hint: "Give it a name without a colon.",
  };
}
