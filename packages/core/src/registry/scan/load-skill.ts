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
import { SKILL_FILE } from "../../source/skill-file-name.ts";
import type { Skill } from "../skill.ts";
import type { SkillRoot } from "../skill-root.ts";
import { DiscoveredSkill, type SkillPlace } from "./discovered-skill.ts";
import { type SkillContent, SkillTable } from "./skill-table.ts";

export const SETTINGS_FILE = "agents/openai.yaml";

export interface SkillFiles {
  /** SKILL.md and the settings in diagnostics. */
  readonly label: string;
  readonly settingsLabel: string;
  /** The folder's name, or a command file's without `.md`. */
  readonly directoryName: string;
  /** A file of `.claude/commands`, which needs no `name` and no folder of its own. */
  readonly isCommand: boolean;
  readonly bytes: Buffer;
  readonly settings: Uint8Array | { readonly fault: string } | undefined;
  /** Of the whole file, where `bytes` are only its header. */
  readonly digest?: Digest | undefined;
  /** Whether the folder in diagnostics is that of the skill, so that its header can be parsed again on demand. */
  readonly isReadAgain: boolean;
}

export interface SeenFiles {
  readonly node: number;
  readonly stamp: FileStamp | undefined;
  readonly settingsStamp: FileStamp | undefined;
}

/** Loads the skills of one root; one without a manifest is skipped, and a diagnostic says why. */
export class SkillLoader {
  readonly skills: DiscoveredSkill[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly table: SkillTable = new SkillTable();
  failed = 0;
  readonly #root: SkillRoot;

  constructor(root: SkillRoot) {
    this.#root = root;
  }

  load(files: SkillFiles, place: SkillPlace, seen: SeenFiles): void {
    const { bytes, directoryName } = files;
    const skimmed = isPlain(files, place.file) ? skimSkillBytes(bytes, directoryName) : undefined;
    if (skimmed !== undefined) {
      this.#add(files, place, seen, skimmed, undefined);
      return;
    }
    const { manifest, diagnostics, settingsDigest, bodyCharacters } = parseFiles(files, place.file);
    if (manifest === undefined) {
      this.failed++;
      this.diagnostics.push(...diagnostics);
      return;
    }
    const { name, gating } = manifest;
    const facts = { name, gating, bodyCharacters, headerBytes: 0 };
    this.#add(files, place, seen, facts, { manifest, diagnostics, settingsDigest });
  }

  #add(
    { bytes, directoryName, digest = digestBytes(bytes) }: SkillFiles,
    place: SkillPlace,
    { node, stamp, settingsStamp }: SeenFiles,
    { name, gating, bodyCharacters, headerBytes }: SkimmedSkill,
    content: SkillContent | undefined,
  ): void {
    const row = this.table.add({
      // A slice would keep the whole header alive, and takes longer to compare.
      name: name === directoryName ? directoryName : detachText(name),
      bodyCharacters,
      digest,
      gating: hasRequirements(gating) ? gating : undefined,
      node,
      stamp,
      settingsStamp,
      // A header is parsed again on demand, which costs less than keeping every manifest.
      content: content ?? { bytes, length: headerBytes },
    });
    this.skills.push(new DiscoveredSkill(this.#root, place, { table: this.table, row, content }));
  }

  keep(place: SkillPlace, table: SkillTable, row: number): void {
    this.skills.push(new DiscoveredSkill(this.#root, place, { table, row }));
  }

  refuseSize(label: string, size: number): void {
    const message = `The file has ${size} bytes, more than the ${MAX_SKILL_BYTES} that are read.`;
    const hint = "Move the details into references/ and keep SKILL.md short.";
    this.#refuse(label, { code: "skill-too-large", message, hint });
  }

  /** Takes any error: a host's own source may throw anything. */
  refuse(label: string, error: unknown): void {
    const code = errorCode(error) === "not-a-file" ? "not-a-file" : "unreadable-skill";
    const hint = "Make it a regular file that you may read, or remove it.";
    this.#refuse(label, { code, message: messageOf(error), hint });
  }

  #refuse(file: string, fault: Pick<Diagnostic, "code" | "message" | "hint">): void {
    this.failed++;
    this.diagnostics.push({ ...fault, severity: "error", file, range: { line: 1, column: 1 } });
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function hasRequirements(gating: Gating): boolean {
  if (gating === NO_GATING) return false;
  return GATING_LISTS.some(
    (name) => name !== "environments" && (gating[name] as readonly unknown[]).length > 0,
  );
}

/** Whether everything about the skill is in its SKILL.md, and can be read again under the same label. */
function isPlain({ settings, isCommand, isReadAgain }: SkillFiles, file: string): boolean {
  return isReadAgain && settings === undefined && !isCommand && file === SKILL_FILE;
}

function parseFiles(files: SkillFiles, file: string): ParsedSkillBytes & Pick<Skill, "settingsDigest"> {
  const { label, directoryName, settings, settingsLabel, isCommand } = files;
  const parsed = parseSkillBytes(files.bytes, { file: label, directoryName });
  let { manifest, diagnostics } = parsed;
  if (manifest === undefined) return parsed;
  if (file !== SKILL_FILE && !isCommand) diagnostics = [...diagnostics, lowerCaseName(label)];
  if (isCommand) {
    manifest = { ...manifest, name: directoryName, invocation: { ...manifest.invocation, model: false } };
    diagnostics = diagnostics.filter(({ code }) => !COMMAND_EXEMPT.has(code));
  }
  if (settings === undefined) return { ...parsed, manifest, diagnostics };
  // Settings that cannot be read leave the skill as SKILL.md describes it.
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

// Commands are named by their file and described by their first line; for them these are not faults.
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
