import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { CallOptions } from "../ask.ts";
import { MAX_SKILL_BYTES } from "../format/format-limits.ts";
import { indexCommand, indexResources } from "../registry/index-resources.ts";
import {
  type ContentBounds,
  readCommandContent,
  readSkillContent,
  type SkillContent,
} from "../registry/read-skill-content.ts";
import { readTree, type TreeFile } from "../registry/read-tree.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import { type RootTrust, type SkillRoot, trustedAs } from "../registry/skill-root.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { pathBelow } from "../source/check-relative-path.ts";
import type { SkillSource, SourceRead, TreeStamp } from "../source/skill-source.ts";
import { indexOf } from "./snapshot-index.ts";
import { notOffered, type SessionState } from "./state.ts";
import type { DeclaredToolset } from "./tools/declaration/parse-toolset.ts";
import { readSkillToolsets } from "./tools/declaration/read-toolsets.ts";

interface Loaded {
  readonly snapshot: Snapshot;
  readonly roots: ReadonlyMap<string, SkillRoot>;
}

/**
 * Reads the files of skills through the roots of the newest snapshot: a skill that a reload no longer trusts
 * is not trusted in open sessions either. All reads go through the sources, the one gate for files.
 */
export class SourceReader {
  readonly #loaded: () => Loaded;
  #skillPaths: { readonly of: Snapshot; readonly paths: ReadonlySet<string> } | undefined;

  constructor(loaded: () => Loaded) {
    this.#loaded = loaded;
  }

  /** The present SKILL.md, and whether it still is what the snapshot saw. */
  readText(skill: Skill, options: CallOptions = {}): Promise<SkillText> {
    return this.readSkillFile(skill, options).then((bytes) => ({
      text: new TextDecoder().decode(bytes),
      drifted: digestBytes(bytes) !== skill.digest,
    }));
  }

  readSkillFile(skill: Skill, options: CallOptions = {}): Promise<Uint8Array> {
    const limits = { ...options, maxBytes: MAX_SKILL_BYTES };
    return this.readFile(skill, skill.source.file, limits).then(({ bytes, truncated }) => {
      if (!truncated) return bytes;
      const message = `${skill.path} has grown beyond ${MAX_SKILL_BYTES} bytes and is not read; shorten it.`;
      throw new SkilletError("skill-too-large", message, { data: { path: skill.path } });
    });
  }

  readFile(
    skill: Skill,
    path: string,
    options: CallOptions & { readonly maxBytes: number },
  ): Promise<SourceRead> {
    return this.#sourceOf(skill).read(pathIn(skill, path), options);
  }

  /** Whether its files are on a server, and fetched when the skill is loaded. */
  isRemote(skill: Skill): boolean {
    return this.#sourceOf(skill).remote !== undefined;
  }

  indexResources(skill: Skill, options: CallOptions = {}): Promise<ResourceIndex> {
    const source = this.#sourceOf(skill);
    if (skill.kind === "command") return indexCommand(source, skill.source, options);
    return indexResources(source, skill.source, { ...options, isSkill: (path) => this.#isSkill(path) });
  }

  readTree(skill: Skill, options: CallOptions): AsyncIterable<TreeFile> {
    const isSkill = (path: string): boolean => this.#isSkill(path);
    return readTree(this.#sourceOf(skill), skill.source.folder, { ...options, isSkill });
  }

  /** All content of a skill, for a scan; a file that cannot be read is reported in its place. */
  readContent(skill: Skill, options: ContentBounds & CallOptions): Promise<SkillContent> {
    const read = skill.kind === "command" ? readCommandContent : readSkillContent;
    return read(this.#sourceOf(skill), skill.source, options);
  }

  /** The tools that a skill declares, and their faults; the session decides whether one may run. */
  async toolsets(skill: Skill, options: CallOptions = {}): Promise<readonly DeclaredToolset[]> {
    if (skill.manifest.toolsets.length === 0 || this.isRemote(skill)) return [];
    const index = await this.indexResources(skill, options);
    return readSkillToolsets(skill, skill.manifest, index, this);
  }

  /** Whether a project's skill still has its trusted files; an index or a content digest may spare a read. */
  verifyTrust(
    skill: Skill,
    given: CallOptions & { readonly content?: Digest | undefined; readonly index?: ResourceIndex } = {},
  ): Promise<TrustVerification> {
    const { content, index, ...options } = given;
    const readIndex = async (): Promise<ResourceIndex> => index ?? this.indexResources(skill, options);
    return verifyTrust(skill, this.#rootOf(skill).trust, readIndex, content);
  }

  /** The status of a skill's folder, or of a command's file, because its folder has other commands. */
  stamp(skill: Skill): TreeStamp | undefined {
    const { folder } = skill.source;
    const source = this.#sourceOf(skill);
    try {
      return source.stamp?.(skill.kind === "command" ? pathIn(skill, skill.source.file) : folder);
    } catch (error) {
      // Gone, or leads elsewhere by now: nothing is known about it, and reading it says why.
      if (SkilletError.isInstance(error)) return undefined;
      throw error;
    }
  }

  async hasScripts(skill: Skill): Promise<boolean> {
    if (skill.kind === "command") return false;
    try {
      const { files, diagnostics } = await this.#sourceOf(skill).listFiles(skill.source.folder);
      // A file that could not be inspected may be a script.
      return (
        diagnostics.length > 0 ||
        files.some(({ path, executable }) => executable || path.startsWith("scripts/"))
      );
    } catch (error) {
      if (SkilletError.isInstance(error)) return true;
      throw error;
    }
  }

  toolPath(skill: Skill, path: string): string {
    return this.#sourceOf(skill).toolPath(pathIn(skill, path));
  }

  #sourceOf(skill: Skill): SkillSource {
    return this.#rootOf(skill).source;
  }

  #rootOf(skill: Skill): SkillRoot {
    return rootIn(this.#loaded().roots, skill);
  }

  #isSkill(path: string): boolean {
    const { snapshot } = this.#loaded();
    if (this.#skillPaths?.of !== snapshot) {
      const paths = snapshot.skills.flatMap((skill) => [skill.path, ...skill.alsoAt]);
      this.#skillPaths = { of: snapshot, paths: new Set(paths) };
    }
    return this.#skillPaths.paths.has(path);
  }
}

export function rootIn(roots: ReadonlyMap<string, SkillRoot>, skill: Skill): SkillRoot {
  const root = roots.get(skill.source.id);
  if (root !== undefined) return root;
  const message = `${skill.qualifiedName} is not among these skills; take it from snapshot.skills.`;
  throw new SkilletError("skill-not-here", message, {
    data: { skill: skill.qualifiedName, source: skill.source.id },
  });
}

function pathIn({ source }: Skill, path: string): string {
  return pathBelow(source.folder, path);
}

export interface SkillText {
  readonly text: string;
  /** Whether the bytes differ from those that the snapshot saw. */
  readonly drifted: boolean;
}

/** Whether a skill is, file for file, what was approved. */
export interface TrustVerification {
  /** `unneeded` outside projects; `unknown` if not all files could be read, then or now. */
  readonly outcome: "unneeded" | "unchanged" | "changed" | "unknown" | "untrusted";
  readonly reason: string;
  /** The user put the skill there, and the folder itself is not trusted. */
  readonly isPlaced?: boolean;
  /** The user made the skill there: `reason` says that later changes by anyone are trusted too. */
  readonly isOwn?: boolean;
}

/** Compares all files of a skill with those its folder was trusted with; discovery checks SKILL.md alone. */
async function verifyTrust(
  skill: Skill,
  trust: RootTrust,
  readIndex: () => Promise<ResourceIndex>,
  content?: Digest,
): Promise<TrustVerification> {
  const { held, untrusted, isOwn } = trustedAs(trust, skill);
  if (isOwn === true) {
    const reason = "you made it there; later changes, also by git pull, count as yours";
    return { outcome: "unchanged", reason, isPlaced: true, isOwn };
  }
  if (untrusted !== undefined) return { outcome: "untrusted", reason: untrusted };
  if (held === undefined || trust.kind === "trusted")
    return { outcome: "unneeded", reason: "it does not belong to a project" };
  if (held.tree === undefined)
    return { outcome: "unknown", reason: "its files were not recorded with the trust; run: skillet trust" };
  // The content of an ordinary skill is its tree; for others the tree must be read.
  const { treeDigest, diagnostics } =
    content === held.tree ? { treeDigest: content, diagnostics: [] } : await readIndex();
  if (treeDigest === undefined) {
    const why = diagnostics.find(({ severity }) => severity === "error");
    return {
      outcome: "unknown",
      reason:
        `its files cannot all be read: ${showName(why?.file ?? "?")}: ${why?.message} ${why?.hint ?? ""}`.trim(),
    };
  }
  const isPlaced = trust.kind === "untrusted";
  const then = isPlaced ? "you put it there" : `${trust.project} was trusted`;
  if (treeDigest === held.tree)
    return { outcome: "unchanged", reason: `it is what it was when ${then}`, isPlaced };
  // Only the digests of SKILL.md and of all files together are recorded, so no other file can be named.
  const file = showName(skill.source.file);
  const what = skill.digest === held.digest ? `files other than ${file} changed` : `${file} changed`;
  const reason = `${what} since ${then}; read the skill again, then run: skillet trust`;
  return { isPlaced, outcome: "changed", reason };
}

/** The files of a skill as they were when it was last loaded, otherwise as they are now. */
export async function frozenIndex(session: SessionState, skill: Skill): Promise<ResourceIndex> {
  const { frozen, reader, options } = session;
  const known = frozen.get(skill.qualifiedName);
  if (known !== undefined) return known;
  const index = await reader.indexResources(skill);
  // After a refresh, the name may be another skill's. With `freeze`, only files from the start count.
  if (options.freeze === undefined && indexOf(session.snapshot).places.has(skill))
    frozen.set(skill.qualifiedName, index);
  return index;
}

/** Freezes every usable skill; one that cannot be read now has drifted when it is loaded later. */
export async function freezeAll(session: SessionState, signal?: AbortSignal): Promise<void> {
  if (session.options.freeze === undefined) return;
  for (const skill of session.snapshot.skills) {
    signal?.throwIfAborted();
    if (skill.state === "disabled" || skill.state === "untrusted" || session.reader.isRemote(skill)) continue;
    try {
      session.frozen.set(skill.qualifiedName, await frozenIndex(session, skill));
    } catch {
      // A host's own source may throw anything, also on an abort.
      signal?.throwIfAborted();
    }
  }
}

/** Warns about files that differ from the trusted ones; throws if the skill is no longer trusted at all. */
export async function checkTrust(
  { reader }: SessionState,
  skill: Skill,
  index: ResourceIndex,
): Promise<readonly Diagnostic[]> {
  const { outcome, reason } = await reader.verifyTrust(skill, { index });
  if (outcome === "unneeded" || outcome === "unchanged") return [];
  if (outcome === "untrusted") throw notOffered(skill, reason, { state: "untrusted" });
  const message = `The skill was trusted, but ${reason}.`;
  const hint = "Read the skill again, then run: skillet trust";
  return [diagnostic("warning", "trusted-skill-changed", skill.path, message, hint)];
}
