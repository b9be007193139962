import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { Resource, ResourceIndex, ScriptFacts } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SkillReader } from "../skill-reader.ts";
import { refuse, type ScriptRefusal, type ScriptRefusalCode } from "./script-refusal.ts";

/** A file that its skill's index knows as a script. */
export type IndexedScript = Resource & { readonly script: ScriptFacts };

/** Finds a script in its skill's index and looks whether it is a file inside the skill; or says why not. */
export async function findScript(
  skill: Skill,
  path: string,
  index: ResourceIndex,
  reader: SkillReader,
): Promise<IndexedScript | ScriptRefusal> {
  const shown = showName(path);
  const indexed = index.resources.find((resource) => resource.path === path);
  if (indexed === undefined)
    return refuse("script_not_indexed", `${shown} is not a file of ${showName(skill.qualifiedName)}.`);
  if (indexed.contentKind === "link") return await refuseLink(skill, path, reader);
  const { script } = indexed;
  if (script === undefined || isData(script))
    return refuse(
      "resource_not_script",
      `${shown} is no script: it has no shebang, no ending that names an interpreter, and is not executable.`,
    );
  return (await probe(skill, path, reader)) ?? { ...indexed, script };
}

function isData({ executable, shebang, runtime }: ScriptFacts): boolean {
  return !executable && shebang === undefined && runtime === "unknown";
}

async function refuseLink(skill: Skill, path: string, reader: SkillReader): Promise<ScriptRefusal> {
  const outside = await probe(skill, path, reader);
  if (outside?.code === "script_outside_root") return outside;
  return refuse(
    "script_not_file",
    `${showName(path)} is a link, and links are not followed; put the file there.`,
  );
}

// Opened for its place only: the bytes that run are read, and compared, later.
async function probe(skill: Skill, path: string, reader: SkillReader): Promise<ScriptRefusal | undefined> {
  try {
    await reader.readFile(skill, path, { maxBytes: 0 });
    return undefined;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const code = PLACE_FAULTS.get(error.code);
    // What is gone is a difference to the snapshot, and found there.
    // Not the error's own words: where a link leads is no business of a model.
    return code === undefined ? undefined : refuse(code, `${showName(path)} ${PLACE_TEXTS[code]}`);
  }
}

type PlaceFault = Extract<ScriptRefusalCode, "script_outside_root" | "script_not_file" | "permission_denied">;

const PLACE_FAULTS: ReadonlyMap<string, PlaceFault> = new Map([
  ["path-outside-root", "script_outside_root"],
  ["path-changed", "script_outside_root"],
  ["link-refused", "script_not_file"],
  ["not-a-file", "script_not_file"],
  ["permission-denied", "permission_denied"],
]);

const PLACE_TEXTS: Readonly<Record<PlaceFault, string>> = {
  script_outside_root: "leads out of the skill, and was not opened; put the file there itself.",
  script_not_file: "is not a regular file; put the file there itself.",
  permission_denied: "may not be read; check its permissions.",
};
