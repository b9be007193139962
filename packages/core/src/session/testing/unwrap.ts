import type { Catalog } from "../../catalog/create-catalog.ts";
import type { Decision } from "../../policy/decision.ts";
import type { Guarded } from "../toolbox/guard.ts";
import type { Prompt } from "../toolbox/prompt.ts";

export async function decisionOf(guarded: Promise<Guarded>): Promise<Decision> {
  return (await guarded).decision;
}

export async function catalogIn(prompt: Promise<Prompt>): Promise<Catalog> {
  return (await prompt).catalog;
}
