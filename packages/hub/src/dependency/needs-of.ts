import { parseSkillBytes } from "@skillet/core";
import type { Candidate } from "../candidate/candidate.ts";

/** The skills that a candidate says it needs, each once: names, or sources such as `owner/repository@skill`. */
export function needsOf({ manifest, parts, files }: Candidate): readonly string[] {
  if (parts === undefined) return unique(manifest?.gating.skills ?? []);
  const own = new Set(parts.skills.map(({ name }) => name));
  const needs = files
    .filter(({ path }) => /(?:^|\/)(?:SKILL|skill)\.md$/.test(path))
    .flatMap(({ bytes }) => parseSkillBytes(bytes, { directoryName: "" }).manifest?.gating.skills ?? []);
  return unique(needs).filter((need) => !own.has(need));
}

function unique(needs: readonly string[]): readonly string[] {
  return [...new Set(needs.map((need) => need.trim()).filter((need) => need !== ""))];
}
