import { join } from "node:path";
import type { Skill, Skills, Vetting } from "@skillet/core";
import { needsTrust, readApprovals, readVerdictFile, type VerdictFile } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { present } from "@skillet/kit/json";
import type { SkillFacts } from "../ui/skill-state.ts";
import { stripControl } from "../ui/text.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import { createVetter, toVet } from "./open-registry.ts";
import { readUserRules } from "./user-rules.ts";

/** How many unknown or changed skills are scanned for a list; a thousand would take a minute. */
const MAX_SCANNED = 50;

/**
 * Returns the facts that every screen uses to say whether a skill is fine: the verdict of its scan, and
 * whether its files are still the trusted ones. Unchanged skills are not read again. A skill that is absent
 * from the result was not scanned in its current state, so nothing may call it fine.
 */
export async function vetShown(
  context: CommandContext,
  skills: Skills,
  shown: readonly Skill[],
  { maxScanned = MAX_SCANNED }: { readonly maxScanned?: number } = {},
): Promise<ReadonlyMap<Skill, SkillFacts>> {
  const facts = new Map<Skill, SkillFacts>();
  try {
    const known = await readKnown(skills);
    const asked: Skill[] = [];
    let room = maxScanned;
    for (const skill of shown) {
      // Listing a server's skill does not fetch its files.
      if (skill.scope === "bundled" || skills.reader.isRemote(skill)) continue;
      const place = known?.places.get(skill.path);
      const isKnown = place?.skill === skill.digest && place.stamp === skills.reader.stamp(skill)?.text;
      // For other verdicts, approvals and sources also count, as in a session.
      if (isKnown && place.verdict === "safe") facts.set(skill, { verdict: "safe", digest: place.digest });
      else if (isKnown || room-- > 0) asked.push(skill);
    }
    if (asked.length > 0) {
      const vetter = await createVetter(context, skills);
      const answers = await vetter.vet(asked.map((skill) => toVet(skills, skill)));
      for (const [index, skill] of asked.entries()) {
        const answer = answers[index];
        if (answer !== undefined) facts.set(skill, factsOf(answer));
      }
    }
    for (const [skill, known] of facts) facts.set(skill, await withTrust(skills, skill, known));
  } catch (error) {
    // Unreadable approvals or rules must not keep the user from listing skills.
    if (!SkilletError.isInstance(error) && !(error instanceof CliError)) throw error;
    context.terminal.warn(`Not all skills were scanned: ${stripControl(error.message)}`);
  }
  return facts;
}

async function readKnown({ home, config }: Skills): Promise<VerdictFile | undefined> {
  const known = readVerdictFile(join(home, "cache"));
  const { ruleSet } = await readUserRules({ home, packs: config.config.scan.rules });
  return known?.ruleSet === ruleSet ? known : undefined;
}

export function factsOf({ verdict, outcome, reason, digest, diagnostics }: Vetting): SkillFacts {
  const withheld = outcome === "withhold" ? reason : undefined;
  const approved = diagnostics.some(({ code }) => code === "scan-approved") || undefined;
  return present({ verdict, digest, withheld, approved, diagnostics });
}

/**
 * Adds the user's decisions about these bytes: that a caution was approved, and whether the files of a
 * trusted project's skill differ from the trusted ones.
 */
export async function withTrust(skills: Skills, skill: Skill, scanned: SkillFacts): Promise<SkillFacts> {
  const known = wasLookedAt(skills, scanned) ? { ...scanned, approved: true } : scanned;
  if (!needsTrust(skill.scope)) return known;
  const { outcome, reason, isOwn } = await skills.reader.verifyTrust(skill, { content: known.digest });
  if (isOwn === true) return { ...known, trusted: reason };
  return outcome === "changed" || outcome === "unknown" ? { ...known, changed: reason } : known;
}

/**
 * Whether the user approved exactly these bytes when the scan asked for no more than caution, as it does now.
 * An approval with a reason is a false alarm, which counts only if the config allows that.
 */
export function wasLookedAt(
  { home, config }: Pick<Skills, "home" | "config">,
  { verdict, digest }: Pick<SkillFacts, "verdict" | "digest">,
): boolean {
  if (verdict !== "caution" || digest === undefined) return false;
  const approval = readApprovals(home).approvals.get(digest);
  if (approval?.reason !== undefined && !config.config.scan.falseAlarms) return false;
  return approval?.verdict === verdict;
}
