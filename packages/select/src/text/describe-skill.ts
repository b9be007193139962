import { digestBytes } from "@skillet/kit/digest";
import { STOP_WORDS, splitWords } from "@skillet/kit/words";
import type { SelectableSkill } from "../selectable-skill.ts";
import { findEvidence, splitBody } from "./find-evidence.ts";
import { type Clause, type SkillDocument, splitClauses } from "./split-clauses.ts";

/** Text beyond this length says nothing new about what a skill is for. */
const MAX_BODY_CHARACTERS = 16_000;
const MAX_HEADER_CHARACTERS = 8_000;
const MAX_DECLARED = 100;
const MAX_DECLARED_CHARACTERS = 200;
export const MAX_PATTERN_CHARACTERS = 500;
export const MAX_PATTERNS_OF_SKILL = 100;
const MAX_OCCASION_CHARACTERS = 3_000;

/** Equal keys mean equal documents: the index depends on nothing else. */
export function documentKey(skill: SelectableSkill, samples: readonly string[] = []): string {
  const key = `${skill.digest} ${skill.settingsDigest ?? ""} ${skill.name}`;
  return samples.length === 0 ? key : `${key} ${digestBytes(Buffer.from(samples.join("\n")))}`;
}

/**
 * Describes a skill for the index. `body` is the text below its header, if readable; `samples` are messages
 * that should call it.
 */
export function describeSkill(
  skill: SelectableSkill,
  body: string,
  samples: readonly string[] = [],
): SkillDocument {
  const { manifest } = skill;
  const { occasions, ...texts } = splitBody(body.slice(0, MAX_BODY_CHARACTERS));
  const description = manifest.description.slice(0, MAX_HEADER_CHARACTERS);
  const whenToUse = (manifest.whenToUse ?? "").slice(0, MAX_HEADER_CHARACTERS);
  const { keywords, verbs } = manifest.triggers;
  const declared = [...keywords, ...verbs].slice(0, MAX_DECLARED);
  const said = [...splitClauses(description, "description"), ...splitClauses(whenToUse, "trigger")];
  const clauses: Clause[] = [
    { kind: "name", text: skill.name },
    ...said,
    ...declared.flatMap((text): Clause[] => {
      const cut = text.slice(0, MAX_DECLARED_CHARACTERS);
      return [
        { kind: "trigger", text: cut },
        { kind: "phrase", text: cut },
      ];
    }),
    ...manifest.tags
      .slice(0, MAX_DECLARED)
      .map((text): Clause => ({ kind: "trigger", text: text.slice(0, MAX_DECLARED_CHARACTERS) })),
    ...splitClauses(occasions.slice(0, MAX_OCCASION_CHARACTERS), "trigger"),
    ...samples.map((text): Clause => ({ kind: "sample", text })),
  ];
  // A repeated sentence counts once: repetition must not pay.
  const distinct = new Map(clauses.map((clause) => [`${clause.kind}\n${clause.text}`, clause]));
  return {
    key: documentKey(skill, samples),
    clauses: [...distinct.values()].filter((clause) => !isEmptyPhrase(clause)),
    texts,
    evidence: findEvidence(
      manifest,
      // Files that the skill says it is not for do not count.
      said.flatMap(({ kind, text }) => (kind === "negative" ? [] : text)).join("\n"),
    ),
    patterns: readablePatterns(skill),
  };
}

/** The declared patterns, within the bounds per skill. */
export function readablePatterns({ manifest }: SelectableSkill): readonly string[] {
  return manifest.triggers.patterns
    .filter(({ length }) => length <= MAX_PATTERN_CHARACTERS)
    .slice(0, MAX_PATTERNS_OF_SKILL);
}

/** Whether a phrase could be part of any message: "can you" and "I want to" must not call a skill. */
function isEmptyPhrase({ kind, text }: Clause): boolean {
  return kind === "phrase" && splitWords(text).every((word) => STOP_WORDS.has(word));
}
