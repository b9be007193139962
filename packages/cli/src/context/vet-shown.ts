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

/** So many skills that no scan has seen as they are now are scanned for a list; a thousand would take a minute. */
const MAX_SCANNED = 50;

/**
 * The facts by which every screen says whether a skill is fine: what the scan of its bytes says, and whether they are
 * those that were trusted. Skills that did not change since they were last looked at are not read; a skill that is left
 * out was not scanned as it is now, and nothing may say that it is fine.
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
      // The files of a server's skill are not fetched to list it.
      if (skill.scope === "bundled" || skills.reader.isRemote(skill)) continue;
      const place = known?.places.get(skill.path);
      const isKnown = place?.skill === skill.digest && place.stamp === skills.reader.stamp(skill)?.text;
      // Whatever else a scan said, approvals and sources count, as in a session.
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
    // Approvals or rules that cannot be read keep no one from seeing which skills there are.
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
 * Adds what a person said about these bytes: that a caution was looked at, and why the files of a trusted project's skill
 * are not those that were trusted, where they are not.
 */
export async function withTrust(skills: Skills, skill: Skill, scanned: SkillFacts): Promise<SkillFacts> {
  const known = wasLookedAt(skills, scanned) ? { ...scanned, approved: true } : scanned;
  if (!needsTrust(skill.scope)) return known;
  const { outcome, reason, isOwn } = await skills.reader.verifyTrust(skill, { content: known.digest });
  if (isOwn === true) return { ...known, trusted: reason };
  return outcome === "changed" || outcome === "unknown" ? { ...known, changed: reason } : known;
}

/**
 * Whether a person approved exactly these bytes while the scan asked for no more than caution, as it does now. With a
 * reason it is a false alarm, which counts only where the configuration lets people call one.
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
