import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import type { SkillSource } from "../../source/skill-source.ts";
import { MAX_PLUGIN_MANIFEST_BYTES, readPluginName } from "./read-plugin-name.ts";

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
    message: `The plugin manifest ${fault}; its skills keep their plain names.`,
    file,
    hint: 'Give it {"name": "…"} with a short name of letters, digits and hyphens.',
  };
}
