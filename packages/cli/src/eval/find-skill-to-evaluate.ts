import { resolve } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import { canonicalPath } from "@skillet/kit/files";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { openRegistry } from "../open-registry.ts";
import { lookUpSkill, resolveSkill } from "../resolve-skill.ts";
import { pathKind } from "../scan/path-kind.ts";
import { readSkillBody } from "./read-skill-body.ts";

/** A skill, the others that messages choose from, and how the texts of all of them are read. */
export interface SkillToEvaluate {
  readonly skill: Skill;
  readonly others: readonly Skill[];
  readonly readBody: (skill: Skill) => Promise<string | undefined>;
  /** Skillet's own folder, where what use has taught lies. */
  readonly home: string;
}

/** Finds the skill that a command line means, installed or not, and its company. */
export async function findSkillToEvaluate(
  context: CommandContext,
  {
    word,
    among,
  }: { readonly word: string; readonly among: "installed" | "nobody" | { readonly folder: string } },
): Promise<SkillToEvaluate> {
  const installed = await openRegistry(context);
  const place = await openPlace(context, installed, word);
  const skill = place === undefined ? resolveSkill(installed, word, context.workspace) : place.skill;
  const company = typeof among === "object" ? await openFolder(context, among.folder) : installed;
  const owners = new Map<string, Skills>();
  for (const registry of [company, place?.registry ?? installed])
    for (const { path } of registry.snapshot.skills) owners.set(path, registry);
  return {
    skill,
    others: among === "nobody" ? [] : company.snapshot.skills,
    readBody: async (one) => {
      const owner = owners.get(one.path);
      return owner && readSkillBody(owner, one);
    },
    home: installed.home,
  };
}

function openFolder(context: CommandContext, folder: string): Promise<Skills> {
  return openRegistry({ ...context, skillsRoots: [resolve(context.workspace, folder)] });
}

// A bare name means an installed skill, though a folder here is called so too.
async function openPlace(
  context: CommandContext,
  installed: Skills,
  word: string,
): Promise<{ readonly skill: Skill; readonly registry: Skills } | undefined> {
  const path = resolve(context.workspace, word).replace(/[\\/]SKILL\.md$/i, "");
  if (lookUpSkill(installed, word, context.workspace).kind !== "unknown") return undefined;
  if (pathKind(path) !== "folder") return undefined;
  const registry = await openRegistry({ ...context, skillsRoots: [path] });
  const skill = registry.snapshot.skills.find(
    ({ directory, kind }) => kind === "skill" && canonicalPath(directory) === canonicalPath(path),
  );
  if (skill !== undefined) return { skill, registry };
  throw new CliError("skill-unknown", `${word} is a folder, but holds no skill that loads.`, {
    exitCode: 1,
    hints: [`See why: skillet validate ${word}`],
    details: { name: word },
  });
}
