import { createPause, oncePer } from "@skillet/kit/async";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { askPerson, unlessAborted } from "../ask.ts";
import { contentDigest } from "../registry/content-digest.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import { hostFileOf, type Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { FrozenContent, SkillToVet, SkillVetter, VetOptions, Vetting } from "../vetting/skill-vetter.ts";
import { notOffered, type SessionState } from "./state.ts";

/** The verdicts on a session's skills: those shared by all sessions of its snapshot, and its own. */
export class Vettings {
  /** Counts the changes that may hide or show a skill. */
  version = 0;
  readonly own: Map<Skill, Vetting> = new Map();
  readonly #common: ReadonlyMap<Skill, Vetting>;

  constructor(common: ReadonlyMap<Skill, Vetting> = new Map()) {
    this.#common = common;
  }

  get(skill: Skill): Vetting | undefined {
    return this.own.get(skill) ?? this.#common.get(skill);
  }

  set(skill: Skill, vetting: Vetting): void {
    if (vetting.outcome === "withhold" || this.own.get(skill)?.outcome === "withhold") this.version += 1;
    this.own.set(skill, vetting);
  }

  *withheld(): Iterable<Skill> {
    for (const [skill, { outcome }] of this.own) if (outcome === "withhold") yield skill;
  }
}

/** Shared by snapshot and vetter. Approval in one session is not valid in another, and can be withdrawn. */
interface CommonVettings {
  /** Allowed without a question or an approval; everything else is determined per session. */
  readonly allowed: Map<Skill, Vetting>;
  /** Vetting in progress that asks no questions; sessions that open meanwhile wait for its results. */
  pass?: Promise<unknown>;
}

const commonsOf = oncePer((_: Snapshot) =>
  oncePer((_: SkillVetter): CommonVettings => ({ allowed: new Map() })),
);

/** The number of skills vetted per call; other work gets its turn between calls. */
const MAX_VETTED_AT_ONCE = 250;

type VettingState = Pick<
  SessionState,
  "vetter" | "vetted" | "reader" | "interactive" | "options" | "askFailed" | "isChosen"
>;

/** Judges every skill that could be used, before anything is offered. */
export async function vetAll(session: Omit<VettingState, "vetted">, snapshot: Snapshot): Promise<Vettings> {
  const { vetter, options, isChosen } = session;
  if (vetter === undefined) return new Vettings();
  const common = commonsOf(snapshot)(vetter);
  const { allowed } = common;
  const vetted = new Vettings(allowed);
  const { ask, ...given } = vetOptions(session, options.signal);
  const vetRest = async (): Promise<void> => {
    const pause = createPause(options.signal);
    const rest = snapshot.skills.filter(
      (skill) =>
        needsVetting(skill) &&
        !session.reader.isRemote(skill) &&
        COULD_BE_USED.has(skill.state) &&
        isChosen?.(skill.qualifiedName) !== false &&
        !allowed.has(skill),
    );
    for (let first = 0; first < rest.length; first += MAX_VETTED_AT_ONCE) {
      // Another session may have had some of them judged meanwhile.
      const some = rest.slice(first, first + MAX_VETTED_AT_ONCE).filter((skill) => !allowed.has(skill));
      let isAsked = false;
      const noting: typeof ask = async (...question) => {
        isAsked = true;
        return ask?.(...question);
      };
      const answers = await vetter.vet(
        some.map((skill) => toVet(session, skill, pause)),
        { ...given, ...(ask && { ask: noting }), among: { before: first, total: rest.length } },
      );
      for (const [index, skill] of some.entries()) {
        const answer = answers[index] ?? UNANSWERED;
        // The question may have been about any of them.
        const isCommon = answer.outcome === "allow" && answer.approved !== true && !isAsked;
        if (isCommon) allowed.set(skill, answer);
        else vetted.set(skill, answer);
      }
      await pause();
    }
  };
  // Awaits nothing if no pass is running: of sessions that open together, the first must register its pass.
  if (common.pass !== undefined) await unlessAborted(common.pass, options.signal);
  const pass = vetRest();
  if (ask === undefined) common.pass = pass.catch(() => undefined);
  await pass;
  return vetted;
}

export function isJudged({ vetter }: VettingState, skill: Skill): boolean {
  return vetter !== undefined && needsVetting(skill);
}

/** Whether exactly this tree was judged and allowed; always true if nothing is judged. */
export function isVetted(session: VettingState, skill: Skill, treeDigest: Digest | undefined): boolean {
  if (!isJudged(session, skill)) return true;
  const known = session.vetted.get(skill);
  const digest = contentDigest({ kind: skill.kind, treeDigest });
  return known?.outcome === "allow" && known.digest !== undefined && known.digest === digest;
}

/** Throws if it may not be shown. `digest` is SKILL.md's as read: a tree records only a link's target. */
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
  throw notOffered(skill, vetting.reason ?? "it was not vetted", { verdict: vetting.verdict });
}

// An index does not cover files outside the tree, nor all files of a tree without a digest: the vetter reads
// those again, and they must match what was frozen here.
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

function toVet(
  { reader }: Pick<VettingState, "reader">,
  skill: Skill,
  pause: () => Promise<void> | undefined = () => undefined,
): SkillToVet {
  const { qualifiedName: name, scope, origin, digest: shown } = skill;
  return {
    name,
    scope,
    origin,
    path: hostFileOf(skill),
    shown,
    stamp: () => reader.stamp(skill),
    // A scan takes time, and a thousand of them must not run in one stretch.
    read: async (bounds) => {
      await pause();
      return reader.readContent(skill, bounds);
    },
  };
}

function vetOptions(
  { interactive, options: { ask }, askFailed }: Pick<VettingState, "interactive" | "options" | "askFailed">,
  signal: AbortSignal | undefined,
): VetOptions {
  return {
    ...(interactive &&
      ask !== undefined && { ask: (question) => askPerson(ask, question, askFailed, signal) }),
    ...(signal && { signal }),
  };
}

// Built-in skills are part of Skillet.
function needsVetting({ origin }: Skill): boolean {
  return origin !== "builtin";
}

// A shadowed skill can be used by its full name, an unavailable one once its variables are given.
const COULD_BE_USED: ReadonlySet<Skill["state"]> = new Set(["enabled", "shadowed", "unavailable"]);

// A vetter that omits a skill has not allowed it.
const UNANSWERED: Vetting = {
  outcome: "withhold",
  verdict: "unknown",
  reason: "the scan gave no answer",
  diagnostics: [],
};
