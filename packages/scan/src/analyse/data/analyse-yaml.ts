import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { analyseData } from "./analyse-data.ts";
import { analyseFrontmatter } from "./analyse-frontmatter.ts";
import { readYaml } from "./read-yaml.ts";

/** Reads YAML by its known shapes; the header of a SKILL.md by what headers mean. */
export function analyseYaml(source: SourceText): Analysis {
  return source.medium === "frontmatter"
    ? analyseFrontmatter(source)
    : analyseData(source, readYaml(source.text));
}
