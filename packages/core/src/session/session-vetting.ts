import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import { askPerson } from "../ask.ts";
import { contentDigest } from "../registry/content-digest.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import { hostFileOf, type Skill } from "../registry/skill.ts";
import type { FrozenContent, SkillToVet, VetOptions, Vetting } from "../vetting/skill-vetter.ts";
import type { SessionState } from "./state.ts";

type VettingState = Pick<
  SessionState,
  "vetter" | "vetted" | "reader" | "interactive" | "options" | "askFailed" | "isChosen"
>;

/** Judges every skill that could be used, before anything is offered. */
export async function vetAll(session: VettingState, skills: readonly Skill[]): Promise<void> {
  const { vetter, vetted, options, isChosen } = session;
  if (vetter === undefined) return;
  const judged = skills.filter(
    (skill) =>
      needsVetting(skill) && COULD_BE_USED.has(skill.state) && isChosen?.(skill.qualifiedName) !== false,
  );
  if (judged.length === 0) return;
  const answers = await vetter.vet(
    judged.map((skill) => toVet(session, skill)),
    vetOptions(session, options.signal),
  );
  for (const [index, skill] of judged.entries()) vetted.set(skill, answers[index] ?? UNANSWERED);
}

export function isJudged({ vetter }: VettingState, skill: Skill): boolean {
  return vetter !== undefined && needsVetting(skill);
}

/** Whether exactly this tree was judged and found fit; always, where nothing is judged. */
export function isVetted(session: VettingState, skill: Skill, treeDigest: Digest | undefined): boolean {
  if (!isJudged(session, skill)) return true;
  const known = session.vetted.get(skill);
  const digest = contentDigest({ kind: skill.kind, treeDigest });
  return known?.outcome === "allow" && known.digest !== undefined && known.digest === digest;
}

/** Throws where it may not. `digest` is SKILL.md's as read: of a link, a tree knows only where it leads. */
export async function vetShown(
  session: VettingState,
  skill: Skill,
  index: ResourceIndex,
  { digest, signal }: { readonly digest?: Digest; readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly Diagnostic[]> {
  const { vetter, vetted } = session;
  if (vetter === undefined || !needsVetting(skill)) return [];
  const frozen = await freeze(session, skill, index, digest);
  let vetting = vetted.get(skill);
  if (vetting === undefined || frozen.digest === undefined || vetting.digest !== frozen.digest) {
    const asked = [{ ...toVet(session, skill), frozen }];
    [vetting = UNANSWERED] = await vetter.vet(asked, vetOptions(session, signal));
    signal?.throwIfAborted();
    vetted.set(skill, vetting);
  }
  if (vetting.outcome === "allow") return vetting.diagnostics;
  throw new SkilletError(
    "skill-not-offered",
    `${showName(skill.qualifiedName)} cannot be used: ${vetting.reason ?? "it was not vetted"}.`,
    { data: { skill: skill.qualifiedName, verdict: vetting.verdict } },
  );
}

// An index does not cover files beyond the tree, nor all of a tree without a digest: the vetter reads those again, and they
// must match what was frozen here.
async function freeze(
  { reader }: VettingState,
  skill: Skill,
  index: ResourceIndex,
  digest: Digest | undefined,
): Promise<FrozenContent> {
  const { treeDigest, readDigest, skillDigest, hasBeyond } = index;
  const isLink = skillDigest === undefined;
  const shown = digest ?? (isLink ? digestBytes(await reader.readSkillFile(skill)) : skillDigest);
  const whole = hasBeyond
    ? undefined
    : contentDigest({ kind: skill.kind, treeDigest, linkedSkill: isLink ? shown : undefined });
  return { ...(whole !== undefined && { digest: whole }), read: readDigest, skill: shown };
}

function toVet({ reader }: VettingState, skill: Skill): SkillToVet {
  const { qualifiedName: name, scope, digest: shown } = skill;
  return {
    ...{ name, scope, path: hostFileOf(skill), shown },
    stamp: () => reader.stamp(skill),
    read: (bounds) => reader.readContent(skill, bounds),
  };
}

function vetOptions(
  { interactive, options: { ask }, askFailed }: VettingState,
  signal: AbortSignal | undefined,
): VetOptions {
  return {
    ...(interactive &&
      ask !== undefined && { ask: (question) => askPerson(ask, question, askFailed, signal) }),
    ...(signal && { signal }),
  };
}

// Those that ship with Skillet are part of it.
function needsVetting({ origin }: Skill): boolean {
  return origin !== "builtin";
}

// A shadowed skill can be used by its full name, an unavailable one once its variables are given.
const COULD_BE_USED: ReadonlySet<Skill["state"]> = new Set(["enabled", "shadowed", "unavailable"]);

// A vetter that leaves a skill out has not allowed it.
const UNANSWERED: Vetting = {
  outcome: "withhold",
  verdict: "unknown",
  reason: "the scan gave no answer",
  diagnostics: [],
};
