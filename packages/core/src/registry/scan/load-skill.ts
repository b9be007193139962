import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { errorCode } from "@skillet/kit/errors";
import type { FileStamp } from "@skillet/kit/files";
import { applyCodexInterface } from "../../format/apply-codex-interface.ts";
import { MAX_SKILL_BYTES } from "../../format/format-limits.ts";
import { GATING_LISTS, type Gating, NO_GATING } from "../../format/manifest.ts";
import {
  type ParsedSkillBytes,
  parseSkillBytes,
  type SkimmedSkill,
  skimSkillBytes,
} from "../../format/parse-skill.ts";
import { detachText } from "../../format/split-skill.ts";
import { pathBelow } from "../../source/check-relative-path.ts";
import { LocalSource } from "../../source/local/local-source.ts";
import { SKILL_FILE } from "../../source/skill-file-name.ts";
import type { Skill } from "../skill.ts";
import type { SkillRoot } from "../skill-root.ts";
import { DiscoveredSkill, type SkillPlace } from "./discovered-skill.ts";
import { type SkillContent, SkillTable } from "./skill-table.ts";

export const SETTINGS_FILE = "agents/openai.yaml";

/** The files of a skill as they were found. */
export interface FoundFiles extends SkillPlace {
  /** The folder's name, or a command file's name without `.md`. */
  readonly directoryName: string;
  readonly bytes: Buffer;
  /** The content of `agents/openai.yaml`, if it exists. */
  readonly settings: Uint8Array | { readonly fault: string } | undefined;
  /** The digest of the whole file, if `bytes` is only its header. */
  readonly digest?: Digest | undefined;
  /** What the walk of a local root saw, so that a cache can recognise the skill. */
  readonly node?: number;
  readonly stamp?: FileStamp;
  readonly settingsStamp?: FileStamp | undefined;
}

/** Loads the skills of one root; a skill without a manifest is skipped, and a diagnostic says why. */
export class SkillLoader {
  readonly skills: DiscoveredSkill[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly table: SkillTable = new SkillTable();
  failed = 0;
  readonly #root: SkillRoot;

  constructor(root: SkillRoot) {
    this.#root = root;
  }

  load(found: FoundFiles): void {
    const { bytes, directoryName } = found;
    const skimmed = this.#isPlain(found) ? skimSkillBytes(bytes, directoryName) : undefined;
    if (skimmed !== undefined) {
      this.#add(found, skimmed, undefined);
      return;
    }
    const { manifest, diagnostics, settingsDigest, bodyCharacters } = this.#parse(found);
    if (manifest === undefined) {
      this.failed++;
      this.diagnostics.push(...diagnostics);
      return;
    }
    const { name, gating } = manifest;
    const facts = { name, gating, bodyCharacters, headerBytes: 0 };
    this.#add(found, facts, { manifest, diagnostics, settingsDigest });
  }

  #add(
    found: FoundFiles,
    { name, gating, bodyCharacters, headerBytes }: SkimmedSkill,
    content: SkillContent | undefined,
  ): void {
    const { bytes, directoryName, digest = digestBytes(bytes), node = 0, stamp, settingsStamp } = found;
    const row = this.table.add({
      // A slice would keep the whole header in memory and be slower to compare.
      name: name === directoryName ? directoryName : detachText(name),
      bodyCharacters,
      digest,
      gating: hasRequirements(gating) ? gating : undefined,
      node,
      stamp,
      settingsStamp,
      // The header is parsed again on demand, which costs less than keeping every manifest.
      content: content ?? { bytes, length: headerBytes },
    });
    this.skills.push(new DiscoveredSkill(this.#root, found, { table: this.table, row, content }));
  }

  keep(place: SkillPlace, table: SkillTable, row: number): void {
    this.skills.push(new DiscoveredSkill(this.#root, place, { table, row }));
  }

  refuseSize(place: SkillPlace, size: number): void {
    const message = `The file has ${size} bytes, more than the ${MAX_SKILL_BYTES} that are read.`;
    const hint = "Move the details into references/ and keep SKILL.md short.";
    this.#refuse(place, { code: "skill-too-large", message, hint });
  }

  /** Accepts any error: a host's own source may throw anything. */
  refuse(place: SkillPlace, error: unknown): void {
    const code = errorCode(error) === "not-a-file" ? "not-a-file" : "unreadable-skill";
    const hint = "Make it a regular file that you may read, or remove it.";
    this.#refuse(place, { code, message: messageOf(error), hint });
  }

  #refuse({ folder, file: name }: SkillPlace, fault: Pick<Diagnostic, "code" | "message" | "hint">): void {
    this.failed++;
    const file = this.#shown(folder, name);
    this.diagnostics.push({ ...fault, severity: "error", file, range: { line: 1, column: 1 } });
  }

  #shown(folder: string, name: string): string {
    return this.#root.source.toolPath(pathBelow(folder, name));
  }

  /** A file of `.claude/commands` needs no `name` and no folder of its own. */
  get #holdsCommands(): boolean {
    const { source } = this.#root;
    return source instanceof LocalSource && source.layout === "commands";
  }

  /** Whether SKILL.md alone determines the skill, so that it can be parsed again with the folder's name. */
  #isPlain({ settings, file }: FoundFiles): boolean {
    const isLocal = this.#root.source instanceof LocalSource;
    return isLocal && settings === undefined && !this.#holdsCommands && file === SKILL_FILE;
  }

  #parse({ bytes, directoryName, folder, file, settings }: FoundFiles): ParsedFiles {
    const label = this.#shown(folder, file);
    const parsed = parseSkillBytes(bytes, { file: label, directoryName });
    let { manifest, diagnostics } = parsed;
    if (manifest === undefined) return parsed;
    if (this.#holdsCommands) {
      manifest = { ...manifest, name: directoryName, invocation: { ...manifest.invocation, model: false } };
      diagnostics = diagnostics.filter(({ code }) => !COMMAND_EXEMPT.has(code));
    } else if (file !== SKILL_FILE) diagnostics = [...diagnostics, lowerCaseName(label)];
    if (settings === undefined) return { ...parsed, manifest, diagnostics };
    const settingsLabel = this.#shown(folder, SETTINGS_FILE);
    // Without readable settings, the skill is as SKILL.md describes it.
    if ("fault" in settings) {
      const fault = unreadableSettings(settingsLabel, settings.fault);
      return { ...parsed, manifest, diagnostics: [...diagnostics, fault] };
    }
    const text = new TextDecoder().decode(settings);
    const applied = applyCodexInterface(manifest, text, { file: settingsLabel });
    return {
      ...parsed,
      manifest: applied.manifest,
      diagnostics: [...diagnostics, ...applied.diagnostics],
      settingsDigest: digestBytes(settings),
    };
  }
}

type ParsedFiles = ParsedSkillBytes & Pick<Skill, "settingsDigest">;

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function hasRequirements(gating: Gating): boolean {
  if (gating === NO_GATING) return false;
  return GATING_LISTS.some(
    (name) => name !== "environments" && (gating[name] as readonly unknown[]).length > 0,
  );
}

// Commands are named by their file and described by their first line, so these are not faults for them.
const COMMAND_EXEMPT: ReadonlySet<string> = new Set([
  "missing-name",
  "name-directory-mismatch",
  "missing-frontmatter",
  "missing-description",
]);

function lowerCaseName(label: string): Diagnostic {
  return {
    code: "lower-case-skill-file",
    severity: "warning",
    message: "The file is called skill.md; not every client reads that.",
    file: label,
    range: { line: 1, column: 1 },
    hint: "Rename it to SKILL.md.",
  };
}

function unreadableSettings(file: string, fault: string): Diagnostic {
  const message = `Its settings were not applied: ${fault}`;
  const hint = "Make it a readable text file of less than a megabyte, or remove it.";
  return diagnostic("warning", "companion-unreadable", file, message, hint);
}
