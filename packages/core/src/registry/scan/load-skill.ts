import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { applyCodexInterface } from "../../format/apply-codex-interface.ts";
import { GATING_LISTS, type Gating, type Manifest, NO_GATING } from "../../format/manifest.ts";
import { parseSkillBytes } from "../../format/parse-skill.ts";
import type { ScannedSkill } from "./scanned-skill.ts";

/** The bytes of one skill's header files and where they came from. */
export interface SkillBytes {
  readonly folder: string;
  readonly file: string;
  readonly canonicalFile: string;
  /** SKILL.md in diagnostics. */
  readonly label: string;
  /** The folder's name, or a command file's without `.md`. */
  readonly directoryName: string;
  readonly bytes: Uint8Array;
  /** A file of `.claude/commands`, which needs no `name` and no folder of its own. */
  readonly isCommand: boolean;
  readonly companion: Companion | undefined;
}

/** Codex's settings beside a skill: their text, or why there is none. */
export interface Companion {
  readonly label: string;
  readonly digest: Digest | undefined;
  readonly text: string | undefined;
  readonly fault: string | undefined;
}

/** Parses one skill; without a manifest it is skipped, and the diagnostics say why. */
export function loadSkill(input: SkillBytes): {
  readonly skill: ScannedSkill | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** See `ParsedSkillBytes`. */
  readonly decisiveBytes: number;
} {
  const parsed = parseSkillBytes(input.bytes, {
    mode: "lenient",
    file: input.label,
    directoryName: input.directoryName,
  });
  const { decisiveBytes } = parsed;
  if (parsed.manifest === undefined)
    return { skill: undefined, diagnostics: parsed.diagnostics, decisiveBytes };
  let { manifest } = parsed;
  let diagnostics =
    input.file === "skill.md" ? [...parsed.diagnostics, lowerCaseName(input.label)] : parsed.diagnostics;
  if (input.isCommand) {
    manifest = {
      ...manifest,
      name: input.directoryName,
      invocation: { ...manifest.invocation, model: false },
    };
    diagnostics = diagnostics.filter(({ code }) => !COMMAND_EXEMPT.has(code));
  }
  if (input.companion !== undefined) {
    const applied = applyCompanion(manifest, input.companion);
    manifest = applied.manifest;
    diagnostics = [...diagnostics, ...applied.diagnostics];
  }
  const skill: ScannedSkill = {
    folder: input.folder,
    file: input.file,
    canonicalFile: input.canonicalFile,
    name: manifest.name,
    isCommand: input.isCommand,
    bodyCharacters: parsed.bodyCharacters,
    digest: digestBytes(input.bytes),
    settingsDigest: input.companion?.digest,
    manifest,
    gating: hasRequirements(manifest.gating) ? manifest.gating : undefined,
    diagnostics,
  };
  return { skill, diagnostics, decisiveBytes };
}

/** Whether anything in a gating can keep a skill from being offered. */
export function hasRequirements(gating: Gating): boolean {
  if (gating === NO_GATING) return false;
  return GATING_LISTS.some(
    (name) => name !== "environments" && (gating[name] as readonly unknown[]).length > 0,
  );
}

// Commands are named by their file and described by their first line; for them these are no faults.
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

// Settings that cannot be read leave the skill as SKILL.md describes it.
function applyCompanion(
  manifest: Manifest,
  { label, text, fault }: Companion,
): { readonly manifest: Manifest; readonly diagnostics: readonly Diagnostic[] } {
  if (text !== undefined) return applyCodexInterface(manifest, text, { file: label });
  const diagnostic: Diagnostic = {
    code: "companion-unreadable",
    severity: "warning",
    message: `Its settings were not applied: ${fault}`,
    file: label,
    hint: "Make it a readable text file of less than a megabyte, or remove it.",
  };
  return { manifest, diagnostics: [diagnostic] };
}
