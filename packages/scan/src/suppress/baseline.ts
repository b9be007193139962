import { SkilletError } from "@skillet/kit/errors";
import { parseJson } from "@skillet/kit/json";
import { text as anyText, array, lenient, object, oneOf, readDocument, record } from "@skillet/kit/schema";
import type { Finding } from "../finding/finding.ts";

/** The findings that existed when the baseline was written, by skill; only later ones count. */
export interface Baseline {
  readonly version: 1;
  /** Sorted, so that two baselines differ only if their findings do. */
  readonly skills: Readonly<Record<string, readonly string[]>>;
}

/** A skill and its findings. */
export interface SkillFindings {
  /** The same name in every run, such as the skill's path relative to the baseline file's folder. */
  readonly skill: string;
  readonly findings: readonly Finding[];
}

/** Makes a baseline of all present findings. */
export function createBaseline(reports: readonly SkillFindings[]): Baseline {
  const skills: Record<string, readonly string[]> = Object.create(null);
  for (const { skill, findings } of reports.toSorted((left, right) => (left.skill < right.skill ? -1 : 1))) {
    const fingerprints = new Set(findings.map(({ fingerprint }) => fingerprint));
    if (fingerprints.size > 0) skills[skill] = Array.from(fingerprints).sort();
  }
  return { version: 1, skills };
}

/** Separates a baseline's findings from new ones. */
export function applyBaseline(
  { skill, findings }: SkillFindings,
  baseline: Baseline,
): { readonly fresh: readonly Finding[]; readonly known: readonly Finding[] } {
  const fingerprints = new Set(Object.hasOwn(baseline.skills, skill) ? baseline.skills[skill] : []);
  const isKnown = ({ fingerprint }: Finding): boolean => fingerprints.has(fingerprint);
  return { fresh: findings.filter((finding) => !isKnown(finding)), known: findings.filter(isKnown) };
}

/** The number of a baseline's findings in a skill that no longer occur. */
export function countGone({ skill, findings }: SkillFindings, baseline: Baseline): number {
  const found = new Set(findings.map(({ fingerprint }) => fingerprint));
  const known = Object.hasOwn(baseline.skills, skill) ? (baseline.skills[skill] ?? []) : [];
  return known.reduce((gone, fingerprint) => gone + (found.has(fingerprint) ? 0 : 1), 0);
}

/** Serialises a baseline for its file. */
export function renderBaseline(baseline: Baseline): string {
  return `${JSON.stringify(baseline, undefined, 2)}\n`;
}

/** Parses a baseline file; throws on any other text, because findings would silently be new or known. */
export function parseBaseline(text: string, { file }: { readonly file: string }): Baseline {
  const { value, faults } = readDocument(baseline, parseJson(text), { maxFaults: Number.POSITIVE_INFINITY });
  if (value !== undefined) return value;
  const message = `${file} is not a baseline (${faults[0]?.message}): write a new one with --write-baseline`;
  throw new SkilletError("baseline-invalid", message, { data: { file } });
}

// A fingerprint of a later version is ignored.
const baseline = object<Baseline>(
  { version: oneOf([1]), skills: record(array(lenient(anyText))) },
  { unknown: "drop" },
);
