import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Config, POLICY_MODES, type PolicyMode } from "./config.ts";
import type { ConfigLayer, ConfigValues } from "./config-layer.ts";
import { showKeyPath } from "./key-path.ts";

export interface RestrictedLayer {
  readonly layer: ConfigLayer;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Below {
  readonly config: Config;
  readonly leastMode: PolicyMode;
}

/** Keeps of a project's layer only what disables, denies or lowers a limit, and of any other layer all but a looser mode. */
export function restrictLayer(layer: ConfigLayer, below: Below): RestrictedLayer {
  const cut = new Cutter(layer);
  const values =
    layer.kind === "project"
      ? restrictProject(layer.values, below.config, cut)
      : restrictMode(layer.values, below.leastMode, cut);
  return { layer: { ...layer, values }, diagnostics: cut.diagnostics };
}

class Cutter {
  readonly diagnostics: Diagnostic[] = [];
  readonly #layer: ConfigLayer;

  constructor(layer: ConfigLayer) {
    this.#layer = layer;
  }

  remove(path: readonly string[], why: string): void {
    const range = this.#layer.locate(path);
    this.diagnostics.push({
      code: "config-ignored",
      severity: "warning",
      message: `${showKeyPath(path)} is ignored: ${why}`,
      file: this.#layer.file ?? this.#layer.kind,
      hint: "remove it here; what only you may decide belongs in your own config.yaml",
      ...(range && { range }),
    });
  }
}

function restrictProject(values: ConfigValues, config: Config, cut: Cutter): ConfigValues {
  const { skills = {}, policy = {} } = values;
  if (values.profiles !== undefined) {
    for (const name of Object.keys(values.profiles)) cut.remove(["profiles", name], ONLY_TIGHTEN);
  }
  // Whom to believe, and whom to send skills to, is not for a repository to say.
  for (const key of Object.keys(values.scan ?? {})) cut.remove(["scan", key], ONLY_TIGHTEN);
  for (const key of Object.keys(values.hub ?? {})) cut.remove(["hub", key], ONLY_TIGHTEN);
  for (const key of Object.keys(values.eval ?? {})) cut.remove(["eval", key], ONLY_TIGHTEN);
  for (const key of ["plugins", "pluginsDir", "userDir", "directories", "precedence"] as const) {
    if (skills[key] !== undefined) cut.remove(["skills", key], ONLY_TIGHTEN);
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
    },
  };
}

const ONLY_TIGHTEN = "a project's configuration may only disable skills, deny them or lower limits";

function lower<Key extends string>(
  values: { readonly [Name in Key]?: number | undefined },
  limits: { readonly [Name in Key]: number },
  path: readonly string[],
  cut: Cutter,
): { [Name in Key]?: number } {
  const kept: { [Name in Key]?: number } = {};
  for (const key of Object.keys(values) as Key[]) {
    const value = values[key];
    if (value === undefined) continue;
    if (value <= limits[key]) kept[key] = value;
    else
      cut.remove(
        [...path, key],
        `a project's configuration may only lower it, and it is ${limits[key]} already`,
      );
  }
  return kept;
}

type Overrides = NonNullable<NonNullable<ConfigValues["skills"]>["overrides"]>;

function onlyDisabling(overrides: Overrides, cut: Cutter): Overrides {
  const kept: Record<string, { readonly enabled?: boolean }> = Object.create(null);
  for (const [selector, override] of Object.entries(overrides)) {
    if (override.enabled === true)
      cut.remove(["skills", "overrides", selector], "a project's configuration cannot enable a skill");
    else kept[selector] = override;
  }
  return kept;
}

type Rules = NonNullable<NonNullable<ConfigValues["policy"]>["rules"]>;

function withoutAllow(rules: Rules, cut: Cutter): Rules {
  return rules.filter((rule, index) => {
    if (rule.action !== "allow") return true;
    cut.remove(["policy", "rules", String(index)], "a project's configuration cannot allow anything");
    return false;
  });
}

function restrictMode(values: ConfigValues, least: PolicyMode, cut: Cutter): ConfigValues {
  const { mode, ...policy } = values.policy ?? {};
  if (mode === undefined || POLICY_MODES.indexOf(mode) >= POLICY_MODES.indexOf(least)) return values;
  cut.remove(["policy", "mode"], `${mode} is looser than ${least}, which is already asked for`);
  return { ...values, policy };
}
