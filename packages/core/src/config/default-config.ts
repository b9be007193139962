import { join } from "node:path";
import { DEFAULT_LIMITS } from "../source/local/traversal-limits.ts";
import { type Config, RANKED_SCOPES } from "./config.ts";

const SCRIPT_TIMEOUT_MS = 60_000;

/** Sources that are trusted unless the configuration names others. */
export const DEFAULT_TRUSTED_SOURCES: readonly string[] = [
  "openai/skills",
  "anthropics/skills",
  "huggingface/skills",
  "NVIDIA/skills",
];

/** What holds when no layer says otherwise. */
export function defaultConfig(home: string): Config {
  return {
    skills: {
      plugins: [],
      pluginsDir: join(home, "plugins"),
      userDir: join(home, "skills"),
      disabledBundled: [],
      enabledBundled: [],
      scriptTimeout: SCRIPT_TIMEOUT_MS,
      directories: [],
      precedence: RANKED_SCOPES,
      limits: DEFAULT_LIMITS,
      overrides: {},
    },
    policy: { mode: "default", rules: [] },
    profiles: {},
    scan: { trustedSources: DEFAULT_TRUSTED_SOURCES, rules: [], judge: {} },
    hub: { privateHosts: [], agents: [], signatures: [] },
    eval: { model: {} },
  };
}
