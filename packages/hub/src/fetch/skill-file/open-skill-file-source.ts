import type { SkillFileSource } from "../../source/source.ts";
import { checkPin } from "../check-pin.ts";
import type { FetchContext } from "../fetch-context.ts";
import { showUrl } from "../http/show-url.ts";
import { openTree } from "../open-tree.ts";
import type { OpenedSource } from "../opened-source.ts";
import type { ResolvedSkillFile } from "../resolved.ts";
import { fetchSkillFile } from "./fetch-skill-file.ts";

/** Opens a SKILL.md by its address, with the files of the same site that it refers to. */
export async function openSkillFileSource(
  source: SkillFileSource,
  context: FetchContext,
  expected?: ResolvedSkillFile,
): Promise<OpenedSource> {
  const { files, digest, diagnostics } = await fetchSkillFile(source, context);
  if (expected !== undefined)
    checkPin({ what: showUrl(source.url), expected: expected.digest, found: digest });
  return openTree({ resolved: { kind: "skill-file", url: source.url, digest }, files, diagnostics });
}
