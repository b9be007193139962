import type { Manifest, Skill } from "@skillet/core";
import type { MarkdownBlock } from "@skillet/kit/markdown";
import type { Collision } from "../collisions/find-collisions.ts";

/** A file beside SKILL.md; without text where it is binary or too large to be read. */
export interface LintedFile {
  readonly path: string;
  readonly executable: boolean;
  readonly text?: string;
}

/** One skill as all rules see it, parsed once. */
export interface LintedSkill {
  readonly text: string;
  readonly manifest: Manifest;
  readonly body: string;
  /** The line of the file on which the body begins. */
  readonly bodyLine: number;
  readonly blocks: readonly MarkdownBlock[];
  readonly files: readonly LintedFile[];
  /** Descriptions of other skills at hand, by name. */
  readonly others: ReadonlyMap<string, Pick<Skill["manifest"], "description">>;
  readonly collisions: readonly Collision[];
  readonly qualifiedName: string;
}

/** What a rule found, and where: at a key of the header, or at an offset of the body. */
export interface LintHit {
  readonly message: string;
  readonly key?: string;
  readonly at?: number;
  readonly length?: number;
  /** Where another than the rule's helps. */
  readonly hint?: string;
}

/** What `--fix` does: another text of SKILL.md, or scripts that are made executable. */
export interface LintFix {
  readonly text?: string;
  readonly executable?: readonly string[];
}

/** One way in which a skill that loads is poor. */
export interface LintRule {
  /** Stable and kebab-case, as the codes of diagnostics are. */
  readonly id: string;
  readonly severity: "warning" | "info";
  /** Why it matters, for people who wonder whether to silence it. */
  readonly reason: string;
  readonly hint: string;
  /** The key of the header that it is about. */
  readonly key?: string;
  /** A message about the skill as a whole, hits at their places, or false. */
  readonly find: (skill: LintedSkill) => readonly LintHit[] | string | false;
  /** Only where nothing that the skill says can change; undefined where this header cannot be edited safely. */
  readonly fix?: (skill: LintedSkill) => LintFix | undefined;
}

/** One hit for each match in a body; at most `MAX_HITS`. */
export function hitsOf(
  text: string,
  pattern: RegExp,
  message: (match: string) => string,
): readonly LintHit[] {
  return Array.from(text.matchAll(pattern), ({ 0: match, index }) => ({
    message: message(match),
    at: index,
    length: match.length,
  })).slice(0, MAX_HITS);
}

export const MAX_HITS = 20;

/** The text of a body without its code, which is for examples; blanks stand in for it, so that offsets stay. */
export function proseOf({ body, blocks }: LintedSkill): string {
  let prose = body;
  for (const { kind, start, end } of blocks)
    if (kind === "code")
      prose = `${prose.slice(0, start)}${prose.slice(start, end).replace(/[^\n]/g, " ")}${prose.slice(end)}`;
  return prose;
}
