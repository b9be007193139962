import { basename, dirname } from "node:path";
import { parseSkill } from "@skillet/core";
import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import { markdownBlocks } from "@skillet/kit/markdown";
import { BODY_RULES } from "./body-rules.ts";
import { DESCRIPTION_RULES } from "./description-rules.ts";
import { FILE_RULES } from "./file-rules.ts";
import type { LintedFile, LintedSkill, LintFix, LintHit, LintRule } from "./lint-rule.ts";
import { TOOL_RULES } from "./tool-rules.ts";

/** A SKILL.md with the files beside it and the other skills to compare it with. */
export interface LintInput {
  /** The path that diagnostics name. */
  readonly file: string;
  readonly text: string;
  readonly files?: readonly LintedFile[];
  readonly others?: LintedSkill["others"];
  readonly collisions?: LintedSkill["collisions"];
  readonly qualifiedName?: string;
}

/** What is poor about a skill, which findings its author silenced with a reason, and what can be fixed. */
export interface LintResult {
  /** False if the skill does not load; validation says why. */
  readonly isLinted: boolean;
  readonly findings: readonly Diagnostic[];
  readonly silenced: readonly { readonly finding: Diagnostic; readonly reason: string }[];
  readonly fixes: readonly ({ readonly code: string } & LintFix)[];
}

const RULES: readonly LintRule[] = [
  ...[...DESCRIPTION_RULES, ...BODY_RULES, ...FILE_RULES, ...TOOL_RULES],
  {
    id: "lint-allow-unused",
    severity: "info",
    reason: "A comment that silences nothing would hide the next finding of its rule.",
    hint: "Remove the comment.",
    find: () => [],
  },
  {
    id: "lint-allow-no-reason",
    severity: "warning",
    reason: "The next author has to know why a rule does not hold here.",
    hint: "Write it like: # lint-allow body-long: the table has to be read whole",
    find: () => [],
  },
];

/** Every rule of `lintSkill` as data: id, severity and reason. */
export const LINT_RULES: readonly Pick<LintRule, "id" | "severity" | "reason" | "hint">[] = RULES;

/**
 * Reports what makes a skill that loads a poor one.
 *
 * @example
 * const { findings } = lintSkill({ file: "pdf/SKILL.md", text });
 * for (const { code, message, hint } of findings) console.log(code, message, hint);
 */
export function lintSkill(input: LintInput): LintResult {
  const { file, text, files = [], others = new Map(), collisions = [] } = input;
  const directoryName = basename(dirname(file));
  const parsed = parseSkill(text, { file, ...(directoryName !== "." && { directoryName }) });
  const manifest = writtenManifest(parsed);
  const { body, bodyLine } = parsed;
  if (manifest === undefined) return { isLinted: false, findings: [], silenced: [], fixes: [] };
  const qualifiedName = input.qualifiedName ?? manifest.name;
  const blocks = markdownBlocks(body);
  const skill = { text, manifest, body, bodyLine, blocks, files, others, collisions, qualifiedName };
  const allowed = readAllowed(text, bodyLine);
  const findings: Diagnostic[] = [];
  const silenced: LintResult["silenced"][number][] = [];
  const fixes: LintResult["fixes"][number][] = [];
  for (const rule of RULES) {
    const found = [rule.find(skill) || []].flat();
    const hits = found.map((hit) => toDiagnostic(rule, hit, skill, file));
    const reason = allowed.get(rule.id)?.reason ?? "";
    if (reason !== "") silenced.push(...hits.map((finding) => ({ finding, reason })));
    else findings.push(...hits);
    const fix = hits.length > 0 && reason === "" ? rule.fix?.(skill) : undefined;
    if (fix !== undefined) fixes.push({ code: rule.id, ...fix });
  }
  for (const [id, { line, reason }] of allowed) {
    if (silenced.some(({ finding }) => finding.code === id)) continue;
    const [code, message] =
      reason === ""
        ? ["lint-allow-no-reason", `The comment for ${id} gives no reason, so it silences nothing.`]
        : ["lint-allow-unused", `Nothing is silenced by the comment for ${id}.`];
    const rule = RULES.find((one) => one.id === code);
    if (rule !== undefined)
      findings.push({ ...toDiagnostic(rule, message, skill, file), range: { line, column: 1 } });
  }
  return { isLinted: true, findings, silenced, fixes };
}

/** Drops the paragraph of the body that stands in for a missing description, which rules should not judge. */
function writtenManifest({ manifest, diagnostics }: ReturnType<typeof parseSkill>) {
  const isMissing = diagnostics.some(({ code }) => /^missing-(?:description|frontmatter)$/.test(code));
  return manifest && isMissing ? { ...manifest, description: "" } : manifest;
}

/** Reads comments at the beginning of a header line only, so that the text of a value is not mistaken for one. */
function readAllowed(text: string, bodyLine: number) {
  const allowed = new Map<string, { readonly line: number; readonly reason: string }>();
  for (const [index, line] of text.split("\n", bodyLine - 1).entries()) {
    const [, id, reason = ""] = /^#\s*lint-allow\s+([a-z][a-z-]*)\s*(?::\s*(.*?))?\s*$/.exec(line) ?? [];
    if (id !== undefined) allowed.set(id, { line: index + 1, reason });
  }
  return allowed;
}

function toDiagnostic(rule: LintRule, found: LintHit | string, skill: LintedSkill, file: string): Diagnostic {
  const hit: LintHit = typeof found === "string" ? { message: found } : found;
  const range =
    hit.at === undefined ? rangeOfKey(hit.key ?? rule.key, skill) : rangeAt(hit.at, hit.length ?? 1, skill);
  const { id: code, severity } = rule;
  const { message, hint = rule.hint } = hit;
  return { code, severity, message, file, ...(range && { range }), hint };
}

function rangeAt(at: number, length: number, { body, bodyLine }: LintedSkill): Range {
  const before = body.slice(0, at);
  const column = at - before.lastIndexOf("\n");
  return { line: bodyLine + before.split("\n").length - 1, column, endColumn: column + length };
}

function rangeOfKey(key: string | undefined, { text, bodyLine }: LintedSkill): Range | undefined {
  const at =
    key === undefined ? -1 : text.split("\n", bodyLine - 1).findIndex((line) => line.startsWith(`${key}:`));
  return at === -1 ? undefined : { line: at + 1, column: 1 };
}
