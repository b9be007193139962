import { present } from "@skillet/kit/json";
import { nameFiles } from "../place/find-drift.ts";
import { type HubParts, scopedCommand, shellWord } from "../plan/hub-parts.ts";
import type { DoneItem, HubOutcome, PlannedItem, RefusedItem } from "../plan-item.ts";

export function resultOf(item: PlannedItem, outcome: HubOutcome, reason?: string): DoneItem {
  const { name, entry, installed, signed, newerTag } = item;
  const { source, resolved, digest, targets } = entry;
  // An unchanged item has missed nothing, and its lock entry stays the same.
  if (outcome === "skipped" && item.action === "unchanged")
    return resultOf({ ...item, entry: installed?.entry ?? entry }, "unchanged");
  const known = { state: "done", name, source, resolved, digest, outcome } as const;
  const { changes } = installed ?? {};
  return present<DoneItem>({ ...known, reason, changes, signedBy: signed?.signers, newerTag, targets });
}

const OUTCOMES: Readonly<Record<PlannedItem["action"], HubOutcome>> = {
  install: "installed",
  update: "updated",
  rollback: "rolled-back",
  restore: "restored",
  unchanged: "unchanged",
};

/** The result of an item that is, or would be, carried out. */
export function doneResult(item: PlannedItem): DoneItem {
  const { name, action, installed: { drift } = { drift: [] } } = item;
  const edited = `${name} was edited: ${nameFiles(drift)}. Pass --discard to have it as it was installed.`;
  return resultOf(item, OUTCOMES[action], action === "unchanged" && drift.length > 0 ? edited : undefined);
}

/** `unavailable` is the outcome for an item whose source is not available: `failed` if the others go on without it. */
export function refusedResult(
  { name, source, code, reason, digest, judged }: RefusedItem,
  unavailable: "refused" | "failed",
): DoneItem {
  const outcomes = { blocked: "blocked", present: "unchanged", unavailable } as const;
  const known = code === "gone-upstream" ? "unavailable" : code;
  const outcome = outcomes[known as keyof typeof outcomes] ?? "refused";
  const resolved = judged && { resolved: judged.resolved };
  return { state: "done", name, source, outcome, reason, ...(digest && { digest }), ...resolved };
}

/** The flag that answers the open questions about an item if nobody can be asked. */
type NeededAnswer = "accept-capabilities" | "force" | "own-install";

/** Returns the flag that answers the questions about an item; each flag covers its own kind of doubt only. */
export function neededAnswer(item: PlannedItem): NeededAnswer {
  const { decision, installed, entry } = item;
  // The user did not ask for a skill that another one requires, so no answer about that one covers it.
  if (installed === undefined && entry.requiredBy !== undefined) return "own-install";
  if (decision.outcome !== "allow") return "force";
  // The doubt is about whether it is the right skill at all, not about its capabilities.
  return (installed?.doubts ?? []).length > 0 ? "force" : "accept-capabilities";
}

export interface ApplyOptions {
  readonly discardEdits: boolean;
  readonly acceptCapabilities: boolean;
  /** Continues with the others if one is declined. Default: all or nothing. */
  readonly keepGoing?: boolean;
  /** The user saw the plan and declined all of it, which is recorded. */
  readonly isDeclined?: boolean;
  /** Nothing is changed and nobody is asked: the results are those of an unattended run. */
  readonly dryRun?: boolean;
}

/**
 * Asks the user about every item with open questions. No answer means no. `acceptCapabilities` approves new
 * capabilities only; it does not cover trust questions, downgrades, a changed publisher or a required skill.
 */
export async function settleQuestions(
  parts: HubParts,
  items: readonly PlannedItem[],
  { acceptCapabilities, isDeclined = false }: ApplyOptions,
): Promise<{ readonly declined: ReadonlyMap<string, string>; readonly approved: ReadonlySet<string> }> {
  const declined = new Map<string, string>();
  const approved = new Set<string>();
  for (const item of items) {
    const { name, action, questions, digest } = item;
    if (isDeclined && action !== "unchanged") declined.set(name, "You declined it.");
    if (isDeclined || questions.length === 0 || action === "unchanged") continue;
    if (acceptCapabilities && neededAnswer(item) === "accept-capabilities") continue;
    const reason = questions.join("; ");
    const question = { kind: "install", skill: name, digest, reason, choices: ["yes", "no"] } as const;
    const answer = await parts.ask?.(question, { signal: new AbortController().signal });
    if (answer?.choice === "yes") approved.add(name);
    else if (parts.ask === undefined) declined.set(name, unanswered(parts, item, reason));
    else declined.set(name, `${name} was declined: ${reason}.`);
  }
  return { declined, approved };
}

function unanswered(parts: HubParts, item: PlannedItem, reason: string): string {
  const answer = neededAnswer(item);
  const next =
    answer === "own-install"
      ? `Look at it, and install it by itself if you want it: ${scopedCommand(parts, `install ${shellWord(item.entry.source)}`)}`
      : `Pass --${answer} if you have looked at it.`;
  return `${item.name} needs a person's approval, and no one is there to ask: ${reason}. ${next}`;
}
