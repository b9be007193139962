import { type ResourceRead, type Session, type SkillResolution, suggestNames } from "@skillet/core";
import { shellQuote } from "../ui/shell-quote.ts";
import { hiddenHints } from "./hidden-hints.ts";

/** What to do next when a file of a skill was not given. */
export async function readHints(
  { path, error }: ResourceRead,
  { session, found }: { readonly session: Session; readonly found: SkillResolution },
): Promise<readonly string[]> {
  switch (error?.code) {
    case "skill_not_found":
      return skillHints(session, found);
    case "resource_not_indexed":
      return found.kind === "found" ? fileHints(session, found.skill.qualifiedName, path) : [];
    default:
      return [];
  }
}

function skillHints(session: Session, found: SkillResolution): readonly string[] {
  if (found.kind === "unknown" && found.suggestions.length > 0)
    return [`Did you mean ${found.suggestions.join(" or ")}?`];
  if (found.kind !== "found") return ["See what there is: skillet show"];
  return hiddenHints(session, found.skill);
}

async function fileHints(session: Session, skill: string, path: string): Promise<readonly string[]> {
  const name = shellQuote(skill);
  if (path === "SKILL.md") return [`Its instructions: skillet activate ${name}`];
  const files = (await session.resources(skill)).map((resource) => resource.path);
  const near = suggestNames(path, files);
  return near.length > 0
    ? [`Did you mean ${near.join(" or ")}?`]
    : [`See its files: skillet explain ${name}`];
}
