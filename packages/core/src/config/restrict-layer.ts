import type { Diagnostic } from "@skillet/kit/diagnostics";
import { showKeyPath } from "../format/key-path.ts";
import { type Config, POLICY_MODES, type PolicyMode } from "./config.ts";
import type { ConfigLayer, ConfigValues } from "./config-layer.ts";

/** Lets a project only disable, deny and lower limits; from any other layer only removes a looser mode. */
export function restrictLayer(
  layer: ConfigLayer,
  below: { readonly config: Config; readonly leastMode: PolicyMode },
): { readonly layer: ConfigLayer; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const cut: Cut = (path, why) => {
    const range = layer.locate(path);
    diagnostics.push({
      code: "config-ignored",
      severity: "warning",
      message: `${showKeyPath(path)} is ignored: ${why}`,
      file: layer.file ?? layer.kind,
      hint: "remove it here; what only you may decide belongs in your own config.yaml",
      ...(range && { range }),
    });
  };
  const values =
    layer.kind === "project"
      ? restrictProject(layer.values, below.config, cut)
      : restrictMode(layer.values, below.leastMode, cut);
  return { layer: { ...layer, values }, diagnostics };
}

/** Drops a value and reports it. */
type Cut = (path: readonly string[], why: string) => void;

function restrictProject(values: ConfigValues, config: Config, cut: Cut): ConfigValues {
  const { skills = {}, policy = {} } = values;
  // A repository must not decide whom to trust or whom to send skills to.
  for (const section of ["profiles", "scan", "hub", "eval", "agent", "mcp"] as const)
    for (const key of Object.keys(values[section] ?? {})) cut([section, key], ONLY_TIGHTEN);
  for (const key of ["plugins", "pluginsDir", "userDir", "directories", "precedence"] as const) {
    if (skills[key] !== undefined) cut(["skills", key], ONLY_TIGHTEN);
  }
  const { disabledBundled, enabledBundled } = skills;
  return {
    skills: {
      ...(disabledBundled && { disabledBundled }),
      ...(enabledBundled && { enabledBundled }),
      ...lower(
        { scriptTimeout: skills.scriptTimeout },
        { scriptTimeout: config.skills.scriptTimeout },
        ["skills"],
        cut,
      ),
      ...(skills.limits && { limits: lower(skills.limits, config.skills.limits, ["skills", "limits"], cut) }),
      ...(skills.overrides && { overrides: onlyDisabling(skills.overrides, cut) }),
    },
    policy: {
      ...restrictMode({ policy }, config.policy.mode, cut).policy,
      ...(policy.rules && { rules: withoutAllow(policy.rules, cut) }),
      ...(policy.ifHooksFail && { ifHooksFail: policy.ifHooksFail }),
    },
  };
}

const ONLY_TIGHTEN = "a project's configuration may only disable skills, deny them or lower limits";

function lower<Key extends string>(
  values: { readonly [Name in Key]?: number | undefined },
  limits: { readonly [Name in Key]: number },
  path: readonly string[],
  cut: Cut,
): { [Name in Key]?: number } {
  const kept: { [Name in Key]?: number } = {};
  for (const key of Object.keys(values) as Key[]) {
    const value = values[key];
    if (value === undefined) continue;
    if (value <= limits[key]) kept[key] = value;
    else cut([...path, key], `a project's configuration may only lower it, and it is ${limits[key]} already`);
  }
  return kept;
}

type Overrides = NonNullable<NonNullable<ConfigValues["skills"]>["overrides"]>;

function onlyDisabling(overrides: Overrides, cut: Cut): Overrides {
  const kept: Record<string, { readonly enabled?: boolean }> = Object.create(null);
  for (const [selector, override] of Object.entries(overrides)) {
    if (override.enabled === true)
      cut(["skills", "overrides", selector], "a project's configuration cannot enable a skill");
    else kept[selector] = override;
  }
  return kept;
}

type Rules = NonNullable<NonNullable<ConfigValues["policy"]>["rules"]>;

function withoutAllow(rules: Rules, cut: Cut): Rules {
  return rules.filter((rule, index) => {
    if (rule.action !== "allow") return true;
    cut(["policy", "rules", String(index)], "a project's configuration cannot allow anything");
    return false;
  });
}

function restrictMode(values: ConfigValues, least: PolicyMode, cut: Cut): ConfigValues {
  const { mode, ...policy } = values.policy ?? {};
  if (mode === undefined || POLICY_MODES.indexOf(mode) >= POLICY_MODES.indexOf(least)) return values;
  cut(["policy", "mode"], `${mode} is looser than ${least}, which is already asked for`);
  return { ...values, policy };
}
