import type { Diagnostic } from "../../diagnostic.ts";
import { SkilletError } from "../../skillet-error.ts";
import type { SkillSource } from "../../source/skill-source.ts";
import { isScopeName } from "../scope-prefix.ts";

const MAX_MANIFEST_BYTES = 256 * 1024;
const PLUGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

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
    const name = await readName(source, plugin.manifest);
    if (PLUGIN_NAME.test(name.text)) names.set(plugin.path, name.text);
    else diagnostics.push(invalid(source.toolPath(plugin.manifest), name.fault));
  }
  return {
    pluginOf: names.size === 0 ? () => undefined : ({ folder }) => nearest(names, folder),
    diagnostics,
  };
}

async function readName(source: SkillSource, manifest: string): Promise<{ text: string; fault: string }> {
  try {
    const { bytes, truncated } = await source.read(manifest, { maxBytes: MAX_MANIFEST_BYTES });
    if (truncated) return { text: "", fault: `is larger than ${MAX_MANIFEST_BYTES} bytes` };
    const content: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const name =
      typeof content === "object" && content !== null && "name" in content ? content.name : undefined;
    if (typeof name !== "string") return { text: "", fault: "has no name" };
    // Its skills would pass for those of the scope.
    if (isScopeName(name)) return { text: "", fault: `has the name ${name}, which is a scope's` };
    return {
      text: name,
      fault: "has a name with other characters than letters, digits, dots, hyphens and underscores",
    };
  } catch (error) {
    if (error instanceof SyntaxError) return { text: "", fault: `is not JSON: ${error.message}` };
    if (SkilletError.isInstance(error)) return { text: "", fault: `cannot be read: ${error.message}` };
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
