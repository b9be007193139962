import { resolve } from "node:path";
import type { Skill } from "../registry/skill.ts";
import { POLICY_MODES, POLICY_SOURCES, type PolicyRule } from "./config.ts";
import { type ConfigLayer, describeOrigin, originIn, type ValueOrigin } from "./config-layer.ts";
import { pluginName } from "./merge-layer.ts";
import { createPolicyMatcher, ownNames, type PolicyMatcher, policyNames } from "./policy-matcher.ts";

export type SkillIdentity = Pick<Skill, "name" | "qualifiedName" | "scope" | "directory"> &
  Partial<Pick<Skill, "origin">>;

/** Whether configuration lets a skill be offered; if not, `reason` names the file and line. */
export interface Enablement {
  readonly enabled: boolean;
  readonly reason?: string;
  /** The setting that decided; absent if none mentions the skill. */
  readonly by?: ValueOrigin & { readonly key: string };
}

/**
 * Compiles all layers' settings about single skills. An answer takes few look-ups, even for 100,000 skills.
 *
 * The strongest layer with a setting decides. Within it a folder wins over a qualified name, that over a bare
 * name, and each of these over the lists of plugins and bundled skills. A project never enables. Policy rules
 * that deny a skill for everyone in every mode override all else.
 */
export function createEnablement(layers: readonly ConfigLayer[]): (skill: SkillIdentity) => Enablement {
  const strongestFirst = layers
    .map(compileLayer)
    .filter((decide) => decide !== undefined)
    .reverse();
  const matchPolicy = createPolicyMatcher(layers);
  return (skill) => {
    const names = policyNames(skill);
    const rule = alwaysDenied(matchPolicy, names, skill);
    if (rule !== undefined) {
      const reason = `denied by policy (${describeOrigin(rule.from)})`;
      return { enabled: false, reason, by: { ...rule.from, key: "policy.rules" } };
    }
    for (const decide of strongestFirst) {
      const verdict = decide(skill, names);
      if (verdict !== undefined) return verdict;
    }
    return { enabled: true };
  };
}

function alwaysDenied(
  match: PolicyMatcher,
  names: readonly string[],
  { origin }: SkillIdentity,
): PolicyRule | undefined {
  let denial: PolicyRule | undefined;
  for (const source of POLICY_SOURCES) {
    for (const mode of POLICY_MODES) {
      const rule = match(names, { source, mode, ...(origin && { origin }) });
      if (rule?.action !== "deny") return undefined;
      denial ??= rule;
    }
  }
  return denial;
}

type Decide = (skill: SkillIdentity, names: readonly string[]) => Enablement | undefined;

function compileLayer(layer: ConfigLayer): Decide | undefined {
  const parts = [compileOverrides(layer), compilePlugins(layer), compileBundled(layer)].filter(
    (part) => part !== undefined,
  );
  if (parts.length === 0) return undefined;
  return (skill, names) => {
    for (const part of parts) {
      const verdict = part(skill, names);
      if (verdict !== undefined && !(verdict.enabled && layer.kind === "project")) return verdict;
    }
    return undefined;
  };
}

function compileOverrides(layer: ConfigLayer): Decide | undefined {
  const verdicts = new Map<string, Enablement>();
  for (const [selector, { enabled }] of Object.entries(layer.values.skills?.overrides ?? {})) {
    if (enabled === undefined) continue;
    verdicts.set(selector.normalize(), verdict(layer, ["skills", "overrides", selector], enabled));
  }
  if (verdicts.size === 0) return undefined;
  const folders = new Map([...verdicts].filter(([selector]) => resolve(selector) === selector));
  return ({ directory }, names) => {
    const folder = folders.size > 0 ? folders.get(resolve(directory).normalize()) : undefined;
    if (folder !== undefined) return folder;
    const own = ownNames(names);
    for (const name of names) {
      const found = verdicts.get(name);
      if (found !== undefined && (!found.enabled || own.includes(name))) return found;
    }
    return undefined;
  };
}

function compilePlugins(layer: ConfigLayer): Decide | undefined {
  const verdicts = new Map<string, Enablement>();
  layer.values.skills?.plugins?.forEach((plugin, index) => {
    if (plugin.enabled === undefined) return;
    const said = verdict(layer, ["skills", "plugins", index], plugin.enabled);
    verdicts.set(pluginName(plugin).normalize(), said);
  });
  if (verdicts.size === 0) return undefined;
  return ({ name, qualifiedName, scope }) => {
    if (scope !== "plugin") return undefined;
    // Skills of a bundle are qualified by the plugin's name.
    const bundle = qualifiedName.slice(0, Math.max(0, qualifiedName.indexOf(":")));
    return verdicts.get(bundle.normalize()) ?? verdicts.get(name.normalize());
  };
}

function compileBundled(layer: ConfigLayer): Decide | undefined {
  const { disabledBundled = [], enabledBundled = [] } = layer.values.skills ?? {};
  if (disabledBundled.length === 0 && enabledBundled.length === 0) return undefined;
  const verdicts = new Map<string, Enablement>();
  for (const [key, names] of Object.entries({ enabledBundled, disabledBundled }))
    names.forEach((name, index) => {
      verdicts.set(name.normalize(), verdict(layer, ["skills", key, index], key === "enabledBundled"));
    });
  const unlisted =
    enabledBundled.length === 0 ? undefined : verdict(layer, ["skills", "enabledBundled"], false, "not in");
  return ({ name, scope }) =>
    scope === "bundled" ? (verdicts.get(name.normalize()) ?? unlisted) : undefined;
}

function verdict(
  layer: ConfigLayer,
  path: readonly (string | number)[],
  enabled: boolean,
  how = "disabled by",
): Enablement {
  const origin = originIn(layer, path);
  const key = path.slice(0, 2).join(".");
  const by = { ...origin, key };
  if (enabled) return { enabled, by };
  const reason =
    layer.kind === "environment"
      ? "disabled by SKILLET_DISABLED"
      : `${how} ${key} (${describeOrigin(origin)})`;
  return { enabled, reason, by };
}
