import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { applyCodexInterface } from "../../format/apply-codex-interface.ts";
import type { Manifest } from "../../format/manifest.ts";
import { type ParsedSkillBytes, parseSkillBytes } from "../../format/parse-skill.ts";
import { SKILL_FILE } from "../../source/skill-file-name.ts";

export const SETTINGS_FILE = "agents/openai.yaml";

/** A skill's files that describe it, and what its place says about it. */
export interface SkillBytes {
  /** SKILL.md and the settings in diagnostics. */
  readonly label: string;
  readonly settingsLabel?: string | undefined;
  readonly file: string;
  /** The folder's name, or a command file's without `.md`. */
  readonly directoryName: string;
  /** A file of `.claude/commands`, which needs no `name` and no folder of its own. */
  readonly isCommand: boolean;
  readonly bytes: Uint8Array;
  /** The bytes of the settings, or why there are none. */
  readonly settings: Uint8Array | { readonly fault: string } | undefined;
  /** See `parseSkillBytes`. */
  readonly leaveOutRepeatable?: boolean;
}

export interface LoadedSkill {
  readonly manifest: Manifest;
  readonly diagnostics: readonly Diagnostic[];
  readonly settingsDigest?: Digest | undefined;
}

/** Parses one skill; without a manifest it is skipped, and the diagnostics say why. */
export function loadSkill(input: SkillBytes): ParsedSkillBytes & Pick<LoadedSkill, "settingsDigest"> {
  const { label, directoryName, settings, settingsLabel = SETTINGS_FILE } = input;
  const isPlain = settings === undefined && !input.isCommand && input.file === SKILL_FILE;
  const leaveOutRepeatable = isPlain && input.leaveOutRepeatable === true;
  const parsed = parseSkillBytes(input.bytes, { file: label, directoryName, leaveOutRepeatable });
  let { manifest, diagnostics } = parsed;
  if (manifest === undefined || isPlain) return parsed;
  if (input.file !== SKILL_FILE && !input.isCommand) diagnostics = [...diagnostics, lowerCaseName(label)];
  if (input.isCommand) {
    manifest = { ...manifest, name: directoryName, invocation: { ...manifest.invocation, model: false } };
    diagnostics = diagnostics.filter(({ code }) => !COMMAND_EXEMPT.has(code));
  }
  // The header alone does not give this again.
  const rest = { ...parsed, decisiveBytes: input.bytes.length };
  if (settings === undefined) return { ...rest, manifest, diagnostics };
  // Settings that cannot be read leave the skill as SKILL.md describes it.
  if ("fault" in settings) {
    const fault = unreadableSettings(settingsLabel, settings.fault);
    return { ...rest, manifest, diagnostics: [...diagnostics, fault] };
  }
  const text = new TextDecoder().decode(settings);
  const applied = applyCodexInterface(manifest, text, { file: settingsLabel });
  return {
    ...rest,
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
  return {
    code: "companion-unreadable",
    severity: "warning",
    message: `Its settings were not applied: ${fault}`,
    file,
    hint: "Make it a readable text file of less than a megabyte, or remove it.",
  };
}
