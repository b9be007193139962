import type { Config, PluginDefinition } from "./config.ts";
import type { ConfigValues } from "./config-layer.ts";

/**
 * Lays a layer over what is in force: single values replace, lists of plugins, folders, rules and bundled skills add
 * up, maps merge by key.
 */
export function mergeLayer(config: Config, values: ConfigValues): Config {
  const {
    skills: { limits, plugins, directories, disabledBundled, enabledBundled, overrides, ...single } = {},
  } = values;
  const { skills, policy } = config;
  return {
    skills: {
      ...skills,
      ...single,
      plugins: mergePlugins(skills.plugins, plugins ?? []),
      directories: [...skills.directories, ...(directories ?? [])],
      disabledBundled: unite(skills.disabledBundled, disabledBundled),
      enabledBundled: unite(skills.enabledBundled, enabledBundled),
      limits: { ...skills.limits, ...limits },
      overrides: mergeRecords(skills.overrides, overrides),
    },
    policy: {
      mode: values.policy?.mode ?? policy.mode,
      rules: [...policy.rules, ...(values.policy?.rules ?? [])],
    },
    profiles: mergeRecords(config.profiles, values.profiles),
  };
}

/** What a plugin is called: its own name, or the last part of its address. */
export function pluginName(plugin: PluginDefinition): string {
  const parts = plugin.url.split(/[\\/:]/).filter((part) => part !== "");
  return plugin.name ?? parts.at(-1)?.replace(/\.git$/, "") ?? plugin.url;
}

function mergePlugins(
  lower: readonly PluginDefinition[],
  upper: readonly PluginDefinition[],
): readonly PluginDefinition[] {
  const replaced = new Set(upper.map(pluginName));
  return [...lower.filter((plugin) => !replaced.has(pluginName(plugin))), ...upper];
}

function unite(lower: readonly string[], upper: readonly string[] = []): readonly string[] {
  return [...new Set([...lower, ...upper])];
}

// Keys are the user's: `__proto__` must stay an ordinary one.
function mergeRecords<Value>(
  lower: Readonly<Record<string, Value>>,
  upper: Readonly<Record<string, Value>> = {},
): Readonly<Record<string, Value>> {
  const merged: Record<string, Value> = Object.create(null);
  for (const [key, value] of [...Object.entries(lower), ...Object.entries(upper)]) merged[key] = value;
  return merged;
}
