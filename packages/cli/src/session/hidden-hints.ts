import type { Session, Skill } from "@skillet/core";
import { shellQuote } from "../ui/shell-quote.ts";

/** Why a model is told that there is no such skill when there is one. */
export function hiddenHints(session: Session, skill: Skill): readonly string[] {
  const reason = session.hiddenFrom(skill, "model") ?? "it is not offered";
  return [
    `That is what a model is told, because ${reason}.`,
    `See: skillet explain ${shellQuote(skill.qualifiedName)}`,
  ];
}
