import type { Manifest, Skill } from "@skillet/core";
import type { MarkdownBlock } from "@skillet/kit/markdown";
import type { Collision } from "../collisions/find-collisions.ts";

/** A file beside SKILL.md; `text` is absent if it is binary or too large to read. */
export interface LintedFile {
  readonly path: string;
  readonly executable: boolean;
  readonly text?: string;
}

/** A skill as all rules see it, parsed once. */
export interface LintedSkill {
  readonly text: string;
  readonly manifest: Manifest;
  readonly body: string;
  /** The line of the file on which the body begins. */
  readonly bodyLine: number;
  readonly blocks: readonly MarkdownBlock[];
  readonly files: readonly LintedFile[];
  /** Descriptions of the other skills, by name. */
  readonly others: ReadonlyMap<string, Pick<Skill["manifest"], "description">>;
  readonly collisions: readonly Collision[];
  readonly qualifiedName: string;
}

/** A finding of a rule, located at a key of the header or at an offset of the body. */
export interface LintHit {
  readonly message: string;
  readonly key?: string;
  readonly at?: number;
  readonly length?: number;
  /** Set if the rule's own hint does not fit. */
  readonly hint?: string;
}

/** What `--fix` does: replace the text of SKILL.md, or make scripts executable. */
export interface LintFix {
  readonly text?: string;
  readonly executable?: readonly string[];
}

/** One way in which a skill that loads can be poor. */
export interface LintRule {
  /** Stable and kebab-case, like the codes of diagnostics. */
  readonly id: string;
  readonly severity: "warning" | "info";
  /** Why it matters, for authors who wonder whether to silence it. */
  readonly reason: string;
  readonly hint: string;
  /** The key of the header that the rule is about. */
  readonly key?: string;
  /** Returns a message about the skill as a whole, located hits, or false. */
  readonly find: (skill: LintedSkill) => readonly LintHit[] | string | false;
  /** Only for fixes that cannot change the skill's meaning; undefined if this header cannot be edited safely. */
  readonly fix?: (skill: LintedSkill) => LintFix | undefined;
}

/** One hit per match in a body, at most `MAX_HITS`. */
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

/** The body with its code, which is for examples, replaced by spaces so that offsets stay the same. */
export function proseOf({ body, blocks }: LintedSkill): string {
  let prose = body;
  for (const { kind, start, end } of blocks)
    if (kind === "code")
      prose = `${prose.slice(0, start)}${prose.slice(start, end).replace(/[^\n]/g, " ")}${prose.slice(end)}`;
  return prose;
}
