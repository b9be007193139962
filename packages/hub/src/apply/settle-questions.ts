import type { HubParts } from "../plan/hub-parts.ts";
import type { PlanItem } from "../plan/plan.ts";
import { scopedCommand } from "../plan/scoped-command.ts";
import { shellWord } from "../plan/shell-word.ts";
import type { ApplyOptions } from "./apply-options.ts";
import { neededAnswer } from "./needed-answer.ts";

/** What a person said. */
export interface Settled {
  /** Why not, by name. */
  readonly declined: ReadonlyMap<string, string>;
  /** Those that a person was asked about and said yes to. */
  readonly approved: ReadonlySet<string>;
}

/**
 * Asks a person about everything that needs a yes; what was declined comes back with a reason.
 *
 * Missing, failed or late means no, and a yes to new capabilities beforehand is none to what the table asks about, to an old
 * version, to somebody else's or to another skill.
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
    const question = {
      kind: "install",
      skill: name,
      digest: candidate.digest,
      reason,
      choices: ["yes", "no"],
    } as const;
    const answer = await ask(parts, question);
    if (answer === "yes") approved.add(name);
    else
      declined.set(
        name,
        answer === "no" ? `${name} was declined: ${reason}.` : unanswered(parts, item, reason),
      );
  }
  return { declined, approved };
}

async function ask(
  { ask: person }: HubParts,
  question: Parameters<NonNullable<HubParts["ask"]>>[0],
): Promise<"yes" | "no" | "nobody"> {
  if (person === undefined) return "nobody";
  const answer = await person(question);
  return answer?.choice === "yes" ? "yes" : "no";
}

function unanswered(parts: HubParts, item: PlanItem, reason: string): string {
  const answer = neededAnswer(item);
  const next =
    answer === "own-install"
      ? `Look at it, and install it by itself if you want it: ${scopedCommand(parts, `install ${shellWord(item.entry.source)}`)}`
      : `Pass --${answer} if you have looked at it.`;
  return `${item.name} needs a person's yes, and nobody is there to ask: ${reason}. ${next}`;
}
