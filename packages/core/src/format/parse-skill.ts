import type { Diagnostic } from "@skillet/kit/diagnostics";
import { checkSize } from "./check-size.ts";
import { FaultList } from "./fault-list.ts";
import { interpretText } from "./interpret-skill.ts";
import type { Manifest } from "./manifest.ts";

/** How a SKILL.md is read: by what the specification allows, or by what any client loads. */
export interface ParseSkillOptions {
  /** `lenient` unless given. */
  readonly mode?: "strict" | "lenient";
  /** Named in diagnostics; `SKILL.md` unless given. */
  readonly file?: string;
  /** The folder's name, which stands in for a missing name and is compared with a given one. */
  readonly directoryName?: string;
}

/** What a SKILL.md says; `manifest` is absent exactly when the skill is skipped, and then an error says why. */
export interface ParsedSkill {
  readonly manifest?: Manifest;
  /** Without blank lines before it and white space behind it. */
  readonly body: string;
  /** The line of the file on which the body begins. */
  readonly bodyLine: number;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a SKILL.md; it never throws, whatever the text.
 *
 * @example
 * const { manifest, diagnostics } = parseSkill(text, { mode: "strict", directoryName: "pdf-forms" });
 */
export function parseSkill(text: string, options: ParseSkillOptions = {}): ParsedSkill {
  const faults = new FaultList(options.file ?? "SKILL.md", options.mode ?? "lenient");
  if (!checkSize(text, faults)) return { body: "", bodyLine: 1, diagnostics: faults.finish() };
  const { manifest, body } = interpretText(text, faults, options.directoryName);
  const rest = {
    body: text.slice(body.start, body.end),
    bodyLine: lineAt(text, body.start),
    diagnostics: faults.finish(),
  };
  return manifest === undefined ? rest : { manifest, ...rest };
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
