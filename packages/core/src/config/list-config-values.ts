import { fieldOf } from "@skillet/kit/json";
import { formatKeyPath } from "../format/key-path.ts";
import { type ConfigLayer, originIn, type ValueOrigin } from "./config-layer.ts";
import type { LoadedConfig } from "./load-config.ts";

export interface ConfigEntry {
  /** As `setConfigValue` takes it. */
  readonly key: string;
  readonly value: unknown;
  /** More than one where layers add up. */
  readonly origins: readonly ValueOrigin[];
}

/** Lists every value in a fixed order, with where it was set. */
export function listConfigValues({
  config,
  layers,
}: Pick<LoadedConfig, "config" | "layers">): readonly ConfigEntry[] {
  const { skills, policy, profiles, scan, hub, eval: evaluation } = config;
  const entry = (
    path: readonly string[],
    value: unknown,
    merge: "replace" | "add" = "replace",
  ): ConfigEntry => {
    const setters = layers.filter((layer) => sets(layer, path)).map((layer) => originIn(layer, path));
    const origins = merge === "add" ? setters : setters.slice(-1);
    return {
      key: formatKeyPath(path),
      value,
      origins: origins.length > 0 ? origins : [{ layer: "defaults" }],
    };
  };
  return [
    entry(["skills", "plugins"], skills.plugins, "add"),
    entry(["skills", "pluginsDir"], skills.pluginsDir),
    entry(["skills", "userDir"], skills.userDir),
    entry(["skills", "disabledBundled"], skills.disabledBundled, "add"),
    entry(["skills", "enabledBundled"], skills.enabledBundled, "add"),
    entry(["skills", "scriptTimeout"], skills.scriptTimeout),
    entry(["skills", "directories"], skills.directories, "add"),
    entry(["skills", "precedence"], skills.precedence),
    ...Object.entries(skills.limits).map(([name, value]) => entry(["skills", "limits", name], value)),
    ...Object.entries(skills.overrides).map(([selector, value]) =>
      entry(["skills", "overrides", selector], value),
    ),
    entry(["policy", "mode"], policy.mode),
    entry(
      ["policy", "rules"],
      policy.rules.map(({ from: _from, ...rule }) => rule),
      "add",
    ),
    ...Object.entries(profiles).map(([name, value]) => entry(["profiles", name], value)),
    entry(["scan", "trustedSources"], scan.trustedSources),
    entry(["scan", "rules"], scan.rules, "add"),
    entry(["scan", "falseAlarms"], scan.falseAlarms),
    ...Object.entries(scan.judge).map(([key, value]) => entry(["scan", "judge", key], value)),
    entry(["hub", "privateHosts"], hub.privateHosts, "add"),
    entry(["hub", "sources"], hub.sources, "add"),
    entry(["hub", "agents"], hub.agents),
    entry(["hub", "signatures"], hub.signatures, "add"),
    ...Object.entries(evaluation.model).map(([key, value]) => entry(["eval", "model", key], value)),
  ];
}

function sets({ values }: ConfigLayer, path: readonly string[]): boolean {
  return path.reduce<unknown>(fieldOf, values) !== undefined;
}
