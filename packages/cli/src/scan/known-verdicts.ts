import { join } from "node:path";
import { type KnownPlace, readApprovals, readVerdictFile, type Skill, type Skills } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { readUserRules } from "./user-rules.ts";

/** What an earlier scan said of a skill that has not changed since. */
export interface ShownVerdict extends Pick<KnownPlace, "verdict" | "withheld"> {
  /** Somebody said yes to exactly these bytes, and nothing else lets them be offered. */
  readonly approved?: boolean;
}

/** What is known about skills without scanning or reading any; those that are not here were not scanned. */
export async function knownVerdicts(
  skills: Skills,
  shown: readonly Skill[],
): Promise<ReadonlyMap<Skill, ShownVerdict>> {
  const known = readVerdictFile(join(skills.home, "cache"));
  if (known === undefined || known.ruleSet !== (await ruleSetOf(skills))) return new Map();
  const approved = approvedDigests(skills.home);
  return new Map(
    shown.flatMap((skill) => {
      const place = known.places.get(skill.path);
      if (place === undefined || skills.stamp(skill)?.text !== place.stamp) return [];
      const { verdict, withheld, digest } = place;
      if (verdict !== "dangerous" || withheld !== undefined) return [[skill, { verdict, withheld }]];
      // Only a yes let it through; once that was taken back under another name, what is kept here is out of date.
      return approved.has(digest) ? [[skill, { verdict, withheld, approved: true }]] : [];
    }),
  );
}

function approvedDigests(home: string): ReadonlySet<string> {
  try {
    return new Set(readApprovals(home).approvals.keys());
  } catch (error) {
    // A file that is broken approves nothing; every command that scans says so.
    if (SkilletError.isInstance(error)) return new Set();
    throw error;
  }
}

async function ruleSetOf({ home, config }: Skills): Promise<string | undefined> {
  try {
    return (await readUserRules({ home, packs: config.config.scan.rules })).ruleSet;
  } catch (error) {
    // A rule pack that is gone: every command that scans says so, and a list of skills does not need it.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}
