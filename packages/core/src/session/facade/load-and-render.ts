import { type CatalogOptions, createCatalog } from "../../catalog/create-catalog.ts";
import { discoverSkills } from "../../registry/discover-skills.ts";
import type { SkillSource } from "../../source/skill-source.ts";

/**
 * From a source to the section of a prompt in one call; undefined when there are no skills, so that it can be left out.
 *
 * @example
 * const section = await loadAndRender(new LocalSource("./skills"));
 */
export async function loadAndRender(
  source: SkillSource,
  options: CatalogOptions = {},
): Promise<string | undefined> {
  const { skills } = await discoverSkills({
    roots: [
      { scope: "explicit", origin: "local", source, path: source.toolPath(""), trust: { kind: "trusted" } },
    ],
  });
  const { text } = createCatalog(skills, { format: "markdown", ...options });
  return text === "" ? undefined : text;
}
