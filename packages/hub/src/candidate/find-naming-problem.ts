import { readPluginName, type TreeFile } from "@skillet/core";
import { PLUGIN_FOLDERS, pluginManifests } from "../discover/plugin-manifests.ts";
import type { Candidate } from "./candidate.ts";

/**
 * Why the skills of a candidate would be offered under other names than those it was checked for; undefined where they
 * would not.
 *
 * Discovery names skills by the nearest manifest above them, and leaves them plain names where that is no good: a plugin
 * could take the place of any skill by a manifest that only an installer understands, or by one more of them.
 */
export function findNamingProblem({
  kind,
  name,
  files,
}: Pick<Candidate, "kind" | "name" | "files">): string | undefined {
  const own = files.filter(({ path }) => pluginManifests("").includes(path.toLowerCase()));
  if (kind === "skill")
    return own[0] === undefined
      ? undefined
      : `it carries the plugin manifest ${own[0].path}, which would change its name; install the plugin instead, or have the manifest taken away`;
  const nested = files.find((file) => isManifest(file) && !own.includes(file));
  if (nested !== undefined)
    return `it carries a further plugin manifest, ${shown(nested.path)}, which would change the names of its skills`;
  // Of several folders discovery reads the first alone.
  const first = PLUGIN_FOLDERS.find((folder) => files.some(({ path }) => path.startsWith(`${folder}/`)));
  if (first === undefined || !own.some(({ path }) => path === `${first}/plugin.json`))
    return `it has no manifest ${first ?? PLUGIN_FOLDERS[0]}/plugin.json, by which its skills would be named`;
  for (const { path, bytes } of own) {
    const reading = readPluginName(bytes);
    if ("fault" in reading) return `its plugin manifest ${path} ${reading.fault}; ${HELP}`;
    if (reading.name !== name)
      return `its plugin manifest ${path} calls it ${reading.name}, and it would be installed as ${shown(name)}; ${HELP}`;
  }
  return undefined;
}

const HELP = "pass --name with a short one of letters, digits and hyphens, or have the manifest mended";

// File systems and agents differ in whether they mind the case.
function isManifest({ path }: TreeFile): boolean {
  const lower = path.toLowerCase();
  return pluginManifests("").some((own) => lower === own || lower.endsWith(`/${own}`));
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
