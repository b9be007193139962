import { discoverSkills } from "../../registry/discover-skills.ts";
import type { Origin, Scope, Skill } from "../../registry/skill.ts";
import { MemorySource } from "../../source/memory-source.ts";

/** The skill with a given header, discovered like any other. */
export async function discoverSkill(
  name: string,
  header: string = "",
  place: { readonly scope?: Scope; readonly origin?: Origin } = {},
): Promise<Skill> {
  const text = `---\nname: ${name}\ndescription: Does ${name}.\n${header}\n---\nInstructions.\n`;
  const source = new MemorySource({ [`${name}/SKILL.md`]: text });
  const { scope = "user", origin = "local" } = place;
  const { skills } = await discoverSkills({
    roots: [{ scope, origin, source, path: "/skills", trust: { kind: "trusted" } }],
  });
  const [skill] = skills;
  if (skill === undefined) throw new Error(`this header makes no skill: ${header}`);
  return skill;
}
