import type { Config, PluginDefinition } from "./config.ts";
import type { ConfigLayer } from "./config-layer.ts";

/**
 * Merges a layer over the lower ones: single values replace; lists of plugins, folders, rules, rule packs and
 * bundled skills add up; maps merge by key. A project's list of enabled bundled skills only narrows.
 */
export function mergeLayer(config: Config, layer: Pick<ConfigLayer, "kind" | "values">): Config {
  const { kind, values } = layer;
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
      ...mergeBundled(skills, { disabledBundled, enabledBundled }, kind),
      limits: { ...skills.limits, ...limits },
      overrides: mergeRecords(skills.overrides, overrides),
    },
    policy: {
      mode: values.policy?.mode ?? policy.mode,
      rules: [...policy.rules, ...(values.policy?.rules ?? [])],
      ifHooksFail:
        policy.ifHooksFail === "deny" ? "deny" : (values.policy?.ifHooksFail ?? policy.ifHooksFail),
    },
    profiles: mergeRecords(config.profiles, values.profiles),
    scan: {
      ...config.scan,
      ...values.scan,
      // A user must not drop an organisation's rule packs.
      rules: unite(config.scan.rules, values.scan?.rules),
      judge: {
        ...config.scan.judge,
        ...values.scan?.judge,
        ...(config.scan.judge.lowersCaution === false && { lowersCaution: false }),
      },
      falseAlarms: config.scan.falseAlarms && values.scan?.falseAlarms !== false,
    },
    hub: {
      privateHosts: unite(config.hub.privateHosts, values.hub?.privateHosts),
      sources: unite(config.hub.sources, values.hub?.sources),
      agents: values.hub?.agents ?? config.hub.agents,
      // A user must not drop an organisation's signature requirements.
      signatures: [...config.hub.signatures, ...(values.hub?.signatures ?? [])],
    },
    eval: { model: { ...config.eval.model, ...values.eval?.model } },
    agent: {
      ...config.agent,
      ...values.agent,
      model: { ...config.agent.model, ...values.agent?.model },
      prices: { ...config.agent.prices, ...values.agent?.prices },
    },
    mcp: { servers: mergeRecords(config.mcp.servers, values.mcp?.servers) },
  };
}

/** The name of a plugin, or else the last part of its address. */
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

type BundledLists = Pick<Config["skills"], "disabledBundled" | "enabledBundled">;
type BundledValues = { readonly [List in keyof BundledLists]: BundledLists[List] | undefined };

function mergeBundled(lower: BundledLists, upper: BundledValues, kind: ConfigLayer["kind"]): BundledLists {
  const wanted = upper.enabledBundled ?? [];
  const disabledBundled = unite(lower.disabledBundled, upper.disabledBundled);
  const all = lower.enabledBundled;
  if (kind !== "project" || all.length === 0 || wanted.length === 0)
    return { disabledBundled, enabledBundled: unite(all, wanted) };
  const enabledBundled = all.filter((name) => wanted.includes(name));
  if (enabledBundled.length > 0) return { disabledBundled, enabledBundled };
  // An empty list would mean "all", so if nothing is left, the list stays and its entries are disabled.
  return { disabledBundled: unite(disabledBundled, all), enabledBundled: all };
}

// Users choose the keys: `__proto__` must be an ordinary one.
function mergeRecords<Value>(
  lower: Readonly<Record<string, Value>>,
  upper: Readonly<Record<string, Value>> = {},
): Readonly<Record<string, Value>> {
  const merged: Record<string, Value> = Object.create(null);
  for (const [key, value] of [...Object.entries(lower), ...Object.entries(upper)]) merged[key] = value;
  return merged;
}
