import { type JsonObject, parseJsonObject } from "@skillet/kit/json";
import { FaultList } from "./fault-list.ts";
import { MAX_HEADER_CHARACTERS, MAX_HEADER_DEPTH } from "./format-limits.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { splitSkill } from "./split-skill.ts";

/**
 * The header of a SKILL.md as plain JSON, for protocols that send it beside the file. Undefined if YAML
 * readers disagree about it or refuse it: values that two sides read differently cannot be compared.
 */
export function readFrontmatter(text: string): JsonObject | undefined {
  const header = splitSkill(text, new FaultList("SKILL.md", "strict"))?.header;
  if (header === undefined || header.length > MAX_HEADER_CHARACTERS) return undefined;
  const checked = readYamlHeader(header);
  if (isHeaderFault(checked) || checked.notes.some(({ code }) => code === "duplicate-key")) return undefined;
  const parsed = parseYaml(header, { maxDepth: MAX_HEADER_DEPTH, resolveKnownTags: false });
  if (isTooDeep(parsed) || parsed.document.errors.length > 0) return undefined;
  return parseJsonObject(JSON.stringify(parsed.document.toJS({ maxAliasCount: 0 })));
}
