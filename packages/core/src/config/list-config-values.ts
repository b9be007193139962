import { fieldOf } from "@skillet/kit/json";
import { formatKeyPath } from "../format/key-path.ts";
import { originIn, type ValueOrigin } from "./config-layer.ts";
import type { LoadedConfig } from "./load-config.ts";

export interface ConfigEntry {
  /** As for `setConfigValue`. */
  readonly key: string;
  /** `null` if it is not set and has no default. */
  readonly value: unknown;
  /** More than one if the layers' values add up. */
  readonly origins: readonly ValueOrigin[];
}

// The keys below these are listed one by one.
const SECTIONS: ReadonlySet<string> = new Set(
  "skills skills.limits skills.overrides policy profiles scan scan.judge hub eval eval.model agent agent.model agent.prices mcp mcp.servers".split(
    " ",
  ),
);

// The values of several layers add up for these keys.
const ADDED: ReadonlySet<string> = new Set(
  (
    "skills.plugins skills.disabledBundled skills.enabledBundled skills.directories policy.rules scan.rules " +
    "hub.privateHosts hub.sources hub.signatures"
  ).split(" "),
);

const MODEL = "endpoint model apiKeyEnv protocol";
// Keys without a default, which can still be set.
const OPTIONAL: Readonly<Record<string, string>> = {
  "scan.judge": `${MODEL} command lowersCaution`,
  "eval.model": MODEL,
  "agent.model": MODEL,
  "agent.prices": "input cached output",
};

/** Lists every value in a fixed order, with its origins. */
export function listConfigValues({
  config,
  layers,
}: Pick<LoadedConfig, "config" | "layers">): readonly ConfigEntry[] {
  const list = (value: unknown, path: readonly string[]): readonly ConfigEntry[] => {
    const key = path.join(".");
    if (key === "" || SECTIONS.has(key)) {
      const unset = OPTIONAL[key]?.split(" ").map((name) => [name, null]) ?? [];
      const entries = Object.entries({ ...Object.fromEntries(unset), ...(value as object) });
      if (entries.length > 0) return entries.flatMap(([name, inner]) => list(inner, [...path, name]));
    }
    const setters = layers.filter(({ values }) => path.reduce<unknown>(fieldOf, values) !== undefined);
    const origins = setters.slice(ADDED.has(key) ? 0 : -1).map((layer) => originIn(layer, path));
    const shown = key === "policy.rules" ? config.policy.rules.map(({ from: _, ...rule }) => rule) : value;
    return [
      {
        key: formatKeyPath(path),
        value: shown,
        origins: origins.length > 0 ? origins : [{ layer: "defaults" }],
      },
    ];
  };
  return list(config, []);
}
