import { SkilletError } from "@skillet/kit/errors";
import { parseJson } from "@skillet/kit/json";
import { text as anyText, array, lenient, object, oneOf, readDocument, record } from "@skillet/kit/schema";
import type { Finding } from "../finding/finding.ts";

/** Findings that were there when someone drew the line, by skill; only what comes after counts. */
export interface Baseline {
  readonly version: 1;
  /** Sorted, so that two baselines differ where findings do. */
  readonly skills: Readonly<Record<string, readonly string[]>>;
}

/** A skill and what was found in it. */
export interface SkillFindings {
  /** The same name in every run, such as the skill's path from the folder of the baseline's file. */
  readonly skill: string;
  readonly findings: readonly Finding[];
}

/** Draws the line: everything that is found now is known. */
export function createBaseline(reports: readonly SkillFindings[]): Baseline {
  const skills: Record<string, readonly string[]> = Object.create(null);
  for (const { skill, findings } of reports.toSorted((left, right) => (left.skill < right.skill ? -1 : 1))) {
    const fingerprints = new Set(findings.map(({ fingerprint }) => fingerprint));
    if (fingerprints.size > 0) skills[skill] = Array.from(fingerprints).sort();
  }
  return { version: 1, skills };
}

/** Tells findings that the baseline knows from new ones. */
export function applyBaseline(
  { skill, findings }: SkillFindings,
  baseline: Baseline,
): { readonly fresh: readonly Finding[]; readonly known: readonly Finding[] } {
  const fingerprints = new Set(Object.hasOwn(baseline.skills, skill) ? baseline.skills[skill] : []);
  const isKnown = ({ fingerprint }: Finding): boolean => fingerprints.has(fingerprint);
  return { fresh: findings.filter((finding) => !isKnown(finding)), known: findings.filter(isKnown) };
}

/** How many findings of a skill a baseline knows that are not there any more. */
export function countGone({ skill, findings }: SkillFindings, baseline: Baseline): number {
  const found = new Set(findings.map(({ fingerprint }) => fingerprint));
  const known = Object.hasOwn(baseline.skills, skill) ? (baseline.skills[skill] ?? []) : [];
  return known.reduce((gone, fingerprint) => gone + (found.has(fingerprint) ? 0 : 1), 0);
}

/** A baseline as the text of its file. */
export function renderBaseline(baseline: Baseline): string {
  return `${JSON.stringify(baseline, undefined, 2)}\n`;
}

/** Reads the text of a baseline file; anything else is an error, because findings would silently be new or known. */
export function parseBaseline(text: string, { file }: { readonly file: string }): Baseline {
  const { value, faults } = readDocument(baseline, parseJson(text), { maxFaults: Number.POSITIVE_INFINITY });
  if (value !== undefined) return value;
  const message = `${file} is not a baseline (${faults[0]?.message}): write a new one with --write-baseline`;
  throw new SkilletError("baseline-invalid", message, { data: { file } });
}

// A fingerprint of a later version counts as none.
const baseline = object<Baseline>(
  { version: oneOf([1]), skills: record(array(lenient(anyText))) },
  { unknown: "drop" },
);
