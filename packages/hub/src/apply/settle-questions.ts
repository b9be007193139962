import type { HubParts } from "../plan/hub-parts.ts";
import type { PlanItem } from "../plan/plan.ts";
import type { ApplyOptions } from "./apply-options.ts";

/**
 * Asks a person about everything that needs a yes; what was declined comes back with a reason.
 *
 * Missing, failed or late means no, and a yes to new capabilities beforehand is none to what the table asks about.
 */
export async function settleQuestions(
  parts: HubParts,
  items: readonly PlanItem[],
  { acceptCapabilities }: ApplyOptions,
): Promise<ReadonlyMap<string, string>> {
  const declined = new Map<string, string>();
  for (const item of items) {
    const { name, action, questions, decision, candidate } = item;
    if (questions.length === 0 || action === "unchanged") continue;
    if (decision.outcome === "allow" && acceptCapabilities) continue;
    const reason = questions.join("; ");
    const question = {
      kind: "install",
      skill: name,
      digest: candidate.digest,
      reason,
      choices: ["yes", "no"],
    } as const;
    const answer = await ask(parts, question);
    if (answer === "yes") continue;
    declined.set(name, answer === "no" ? `${name} was declined: ${reason}.` : unanswered(item, reason));
  }
  return declined;
}

async function ask(
  { ask: person }: HubParts,
  question: Parameters<NonNullable<HubParts["ask"]>>[0],
): Promise<"yes" | "no" | "nobody"> {
  if (person === undefined) return "nobody";
  const answer = await person(question);
  return answer?.choice === "yes" ? "yes" : "no";
}

function unanswered({ name, decision }: PlanItem, reason: string): string {
  const flag = decision.outcome === "ask" ? "--force" : "--accept-capabilities";
  return `${name} needs a person's yes, and nobody is there to ask: ${reason}. Pass ${flag} if you have looked at it.`;
}
