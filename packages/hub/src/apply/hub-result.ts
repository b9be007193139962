import type { Digest } from "@skillet/kit/digest";
import type { LockedTarget } from "../lock/lock-entry.ts";
import { type HubParts, scopedCommand, shellWord } from "../plan/hub-parts.ts";
import type { PlanItem, Refusal } from "../plan/plan.ts";
import type { VersionChanges } from "../plan/version-changes.ts";
import type { Resolved } from "../sources/source.ts";

export interface HubResult {
  readonly name: string;
  readonly source: string;
  readonly resolved?: Resolved;
  readonly digest?: Digest;
  readonly outcome: HubOutcome;
  readonly reason?: string;
  readonly changes?: VersionChanges;
  readonly signedBy?: readonly Digest[];
  readonly targets?: readonly LockedTarget[];
}

export type HubOutcome =
  | "installed"
  | "updated"
  | "restored"
  | "rolled-back"
  | "unchanged"
  | "removed"
  | "blocked"
  | "refused"
  /** Its source cannot be had, and the others go on without it. */
  | "failed"
  /** A person said no, or no one was there to say yes. */
  | "declined"
  /** Another one of the same call was refused, so nothing was done. */
  | "skipped";

export function resultOf(item: PlanItem, outcome: HubOutcome, reason?: string): HubResult {
  const { name, entry, changes, candidate } = item;
  const { source, resolved, digest, targets } = entry;
  return {
    name,
    source,
    resolved,
    digest,
    outcome,
    ...(reason !== undefined && { reason }),
    ...(changes !== undefined && { changes }),
    ...(candidate.signers !== undefined && { signedBy: candidate.signers }),
    targets,
  };
}

export function doneOutcome({ action }: PlanItem): HubOutcome {
  return OUTCOMES[action];
}

const OUTCOMES: Readonly<Record<PlanItem["action"], HubOutcome>> = {
  install: "installed",
  update: "updated",
  rollback: "rolled-back",
  restore: "restored",
  unchanged: "unchanged",
};

/** What became of a refusal; `unavailable` says what it is called where the others go on without it. */
export function refusedResult(
  { name, source, code, reason, digest, inspected }: Refusal,
  unavailable: "refused" | "failed",
): HubResult {
  const outcome = code === "blocked" ? "blocked" : code === "unavailable" ? unavailable : "refused";
  const resolved = inspected?.candidate.resolved;
  return { name, source, outcome, reason, ...(digest && { digest }), ...(resolved && { resolved }) };
}

/** What answers the open questions about an item where no one can be asked. */
export type NeededAnswer = "accept-capabilities" | "force" | "own-install";

/** Says which word beforehand answers the questions about an item; each is for its own kind of doubt, and no other. */
export function neededAnswer(item: PlanItem): NeededAnswer {
  const { decision, downgrade, move, overridden, before, entry } = item;
  // No one asked for what another skill brings along, so that nothing said about that one is about this.
  if (before === undefined && entry.requiredBy !== undefined) return "own-install";
  if (decision.outcome !== "allow") return "force";
  // What stands in the way is not what it can do, but whether it is the right thing at all.
  const isDoubtful = overridden === undefined && (downgrade !== undefined || move !== undefined);
  return isDoubtful ? "force" : "accept-capabilities";
}

export interface ApplyOptions {
  readonly discardEdits: boolean;
  readonly acceptCapabilities: boolean;
  /** Go on with the others where one is declined; default: all or nothing. */
  readonly keepGoing?: boolean;
}

interface Settled {
  readonly declined: ReadonlyMap<string, string>;
  readonly approved: ReadonlySet<string>;
}

/**
 * Asks a person about everything that needs a yes. No answer means no. `acceptCapabilities` approves new capabilities
 * only; it does not cover trust questions, downgrades, a changed publisher or a further skill.
 */
export async function settleQuestions(
  parts: HubParts,
  items: readonly PlanItem[],
  { acceptCapabilities }: ApplyOptions,
): Promise<Settled> {
  const declined = new Map<string, string>();
  const approved = new Set<string>();
  for (const item of items) {
    const { name, action, questions, candidate } = item;
    if (questions.length === 0 || action === "unchanged") continue;
    if (acceptCapabilities && neededAnswer(item) === "accept-capabilities") continue;
    const reason = questions.join("; ");
    const { digest } = candidate;
    const answer = await parts.ask?.({
      kind: "install",
      skill: name,
      digest,
      reason,
      choices: ["yes", "no"],
    });
    if (answer?.choice === "yes") approved.add(name);
    else if (parts.ask === undefined) declined.set(name, unanswered(parts, item, reason));
    else declined.set(name, `${name} was declined: ${reason}.`);
  }
  return { declined, approved };
}

function unanswered(parts: HubParts, item: PlanItem, reason: string): string {
  const answer = neededAnswer(item);
  const next =
    answer === "own-install"
      ? `Look at it, and install it by itself if you want it: ${scopedCommand(parts, `install ${shellWord(item.entry.source)}`)}`
      : `Pass --${answer} if you have looked at it.`;
  return `${item.name} needs a person's yes, and nobody is there to ask: ${reason}. ${next}`;
}
