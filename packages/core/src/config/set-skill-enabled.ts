import type { Document } from "yaml";
import { loadYaml } from "../format/load-yaml.ts";
import type { Scope } from "../registry/skill.ts";
import { SkilletError } from "../skillet-error.ts";
import type { ConfigLayer } from "./config-layer.ts";
import { createEnablement, type Enablement } from "./create-enablement.ts";
import { type ConfigChange, type ConfigDraft, type ConfigTarget, editConfig } from "./edit-config.ts";
import { pluginName } from "./merge-layer.ts";
import { addToList, removeFromList, removeValue, setValue } from "./yaml-edit.ts";

/** Which skill is switched, and where that is written. */
export interface SetSkillEnabledOptions extends ConfigTarget {
  readonly name: string;
  readonly scope: Scope;
  /** The plugin that brings the skill along, where it is one of a bundle. */
  readonly plugin?: string;
  readonly enabled: boolean;
}

const DISABLED = ["skills", "disabledBundled"];
const ENABLED = ["skills", "enabledBundled"];
const OVERRIDES = ["skills", "overrides"];

/**
 * Switches a skill on or off in a config file: bundled skills by `skills.disabledBundled`, installed plugins by their
 * entry, all others, and what those lists cannot say, by `skills.overrides`.
 *
 * A project can only take back its own disabling. Layers above this one may still decide otherwise.
 *
 * @example
 * await setSkillEnabled({ home, layer: "user", name: "gh", scope: "bundled", enabled: false });
 */
export async function setSkillEnabled(options: SetSkillEnabledOptions): Promise<ConfigChange> {
  return editConfig(options, (draft) => switchSkill(draft, options));
}

function switchSkill(draft: ConfigDraft, options: SetSkillEnabledOptions): void {
  const { document, file, read } = draft;
  const { name, scope, enabled, layer } = options;
  const before = verdictOf(read(), options);
  if (enabled && before.by?.key === "policy.rules") {
    throw new SkilletError(
      "config-not-allowed",
      `${name} stays disabled: ${before.reason}. Change that rule first.`,
      { data: { file, name } },
    );
  }
  if (before.by !== undefined && before.enabled === enabled) return;

  const selector = `${options.plugin ?? scope}:${name}`;
  removeValue(document, [...OVERRIDES, selector, "enabled"]);
  if (scope === "bundled") switchBundled(document, name, enabled);
  // One skill of a bundle must not take the others with it.
  if (scope === "plugin" && options.plugin === undefined) switchPlugin(draft, name, enabled);

  const after = verdictOf(read(), options);
  const saysSo = after.by !== undefined && after.enabled === enabled;
  const tookBack = enabled && before.by !== undefined && after.by === undefined;
  if (saysSo || tookBack) return;
  if (enabled && layer === "project") throw cannotEnable(file, name, after);
  setValue(document, [...OVERRIDES, selector, "enabled"], enabled);
}

function verdictOf(layer: ConfigLayer, { name, scope, plugin }: SetSkillEnabledOptions): Enablement {
  return createEnablement([layer])({
    name,
    scope,
    qualifiedName: `${plugin ?? scope}:${name}`,
    directory: "",
  });
}

function switchBundled(document: Document.Parsed, name: string, enabled: boolean): void {
  const only = document.getIn(ENABLED, true);
  const restricts = loadYaml().isSeq(only) && only.items.length > 0;
  if (enabled) {
    removeFromList(document, DISABLED, name);
    if (restricts) addToList(document, ENABLED, name);
    return;
  }
  addToList(document, DISABLED, name);
  // An empty list would mean "all", so its last entry stays; being disabled goes before it.
  if (restricts && only.items.length > 1) removeFromList(document, ENABLED, name);
}

function switchPlugin(draft: ConfigDraft, name: string, enabled: boolean): void {
  const plugins = draft.read().values.skills?.plugins ?? [];
  const index = plugins.findIndex((plugin) => pluginName(plugin) === name);
  if (index !== -1) setValue(draft.document, ["skills", "plugins", String(index), "enabled"], enabled);
}

function cannotEnable(file: string, name: string, verdict: Enablement): SkilletError {
  const why = verdict.reason ?? "it does not disable the skill";
  const message = `A project's configuration cannot enable ${name}, only take back what it disables itself (${why}). Enable it in your own configuration.`;
  return new SkilletError("config-not-allowed", message, { data: { file, name } });
}
