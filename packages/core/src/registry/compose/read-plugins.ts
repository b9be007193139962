import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { fieldOf, parseJson } from "@skillet/kit/json";
import type { SkillSource } from "../../source/skill-source.ts";
import { isScopeName } from "../scope-prefix.ts";

/** How much of a plugin's manifest is read; a larger one names no plugin. */
const MAX_PLUGIN_MANIFEST_BYTES = 256 * 1024;

const PLUGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The name that a plugin's manifest gives to its skills, or why it gives none, to be read after "The manifest". */
export function readPluginName(manifest: Uint8Array): { readonly name: string } | { readonly fault: string } {
  if (manifest.length > MAX_PLUGIN_MANIFEST_BYTES)
    return { fault: `is larger than ${MAX_PLUGIN_MANIFEST_BYTES} bytes` };
  const content = parseJson(manifest);
  if (content === undefined) return { fault: "is not JSON" };
  const name = fieldOf(content, "name");
  if (typeof name !== "string") return { fault: "has no name" };
  // Its skills would pass for those of the scope.
  if (isScopeName(name)) return { fault: `has the name ${name}, which is a scope's` };
  return PLUGIN_NAME.test(name)
    ? { name }
    : { fault: "has a name with other characters than letters, digits, dots, hyphens and underscores" };
}

/** The plugin of a skill: the nearest folder above it with a valid manifest. */
export type PluginOf = (skill: { readonly folder: string }) => string | undefined;

/** Reads the plugin manifests of a source; an invalid one is reported and leaves its skills to the plugin around it. */
export async function readPlugins(
  source: SkillSource,
  plugins: readonly { readonly path: string; readonly manifest: string }[],
): Promise<{ readonly pluginOf: PluginOf; readonly diagnostics: readonly Diagnostic[] }> {
  const names = new Map<string, string>();
  const diagnostics: Diagnostic[] = [];
  for (const plugin of plugins) {
    const reading = await readManifest(source, plugin.manifest);
    if ("name" in reading) names.set(plugin.path, reading.name);
    else diagnostics.push(invalid(source.toolPath(plugin.manifest), reading.fault));
  }
  return {
    pluginOf: names.size === 0 ? () => undefined : ({ folder }) => nearest(names, folder),
    diagnostics,
  };
}

async function readManifest(
  source: SkillSource,
  manifest: string,
): Promise<ReturnType<typeof readPluginName>> {
  try {
    // One byte more than may be there tells that there is more.
    const { bytes } = await source.read(manifest, { maxBytes: MAX_PLUGIN_MANIFEST_BYTES + 1 });
    return readPluginName(bytes);
  } catch (error) {
    if (SkilletError.isInstance(error)) return { fault: `cannot be read: ${error.message}` };
    throw error;
  }
}

function nearest(names: ReadonlyMap<string, string>, folder: string): string | undefined {
  for (let path = folder; ; path = path.slice(0, Math.max(0, path.lastIndexOf("/")))) {
    const name = names.get(path);
    if (name !== undefined || path === "") return name;
  }
}

function invalid(file: string, fault: string): Diagnostic {
  return {
    code: "plugin-manifest-invalid",
    severity: "warning",
    message: `The plugin manifest ${fault}; its skills keep their plain names, and its commands are left out.`,
    file,
    hint: 'Give it {"name": "…"} with a short name of letters, digits and hyphens.',
  };
}
