import type { SkillFileSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import type { ResolvedSkillFile } from "../resolved.ts";
import { fetchSkillFile } from "./fetch-skill-file.ts";

/** What a SKILL.md and the files that it refers to are now. */
export async function resolveSkillFile(
  source: SkillFileSource,
  context: FetchContext,
): Promise<ResolvedSkillFile> {
  const { digest } = await fetchSkillFile(source, context);
  return { kind: "skill-file", url: source.url, digest };
}
