import { dirname, relative, resolve } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { isInside } from "@skillet/kit/files";
import type { Document } from "yaml";
import { loadYaml } from "../format/load-yaml.ts";
import { addToList, removeFromList, removeValue, setValue } from "../format/yaml-edit.ts";
import type { Scope, Skill } from "../registry/skill.ts";
import type { ConfigLayer } from "./config-layer.ts";
import { expandSelector } from "./config-schema.ts";
import { createEnablement, type Enablement } from "./create-enablement.ts";
import {
  type ConfigChange,
  type ConfigDraft,
  type ConfigPlace,
  type ConfigTarget,
  editConfig,
} from "./edit-config.ts";
import { pluginName } from "./merge-layer.ts";

export interface SetSkillEnabledOptions extends ConfigTarget {
  readonly name: string;
  readonly scope: Scope;
  /** The plugin that contains the skill, if it is one of a bundle. */
  readonly plugin?: string | undefined;
  /** A command shares its folder with others, so settings of the folder are kept. */
  readonly kind?: Skill["kind"];
  readonly directory?: string;
  /** How a new override names the skill; `folder` if another skill in the same scope has its name. */
  readonly selectBy?: "name" | "folder";
  readonly enabled: boolean;
  /** Removes settings that disable the skill, but enables nothing: for a skill that is being removed. */
  readonly takeBackOnly?: boolean;
}

const DISABLED = ["skills", "disabledBundled"];
const ENABLED = ["skills", "enabledBundled"];
const OVERRIDES = ["skills", "overrides"];

/**
 * Switches a skill on or off in a config file: bundled skills in `skills.disabledBundled`, installed plugins
 * in their entry, and everything else in `skills.overrides`.
 *
 * Removes a contrary entry for the skill's folder. A project can only take back its own disabling. Stronger
 * layers may still decide differently.
 */
export async function setSkillEnabled(options: SetSkillEnabledOptions): Promise<ConfigChange> {
  return editConfig(options, (draft) => switchSkill(draft, options));
}

function switchSkill(draft: ConfigDraft, options: SetSkillEnabledOptions): void {
  const { document, file, read } = draft;
  const { name, scope, enabled, layer } = options;
  const before = verdictOf(read(), options);
  const { takeBackOnly = false } = options;
  if (enabled && !takeBackOnly && before.by?.key === "policy.rules") {
    throw stays(file, name, { enabled, reason: before.reason ?? "denied by policy" });
  }
  if (before.by !== undefined && before.enabled === enabled) return;

  const { directory, kind } = options;
  const folder = directory === undefined || kind === "command" ? undefined : resolve(directory);
  const qualified = `${options.plugin ?? scope}:${name}`;
  const byFolder = folder !== undefined && options.selectBy === "folder";
  const selector = byFolder ? folderSelector(folder, draft.place, layer) : qualified;
  if (folder !== undefined) removeFolder(draft, folder);
  if (!byFolder) {
    removeValue(document, [...OVERRIDES, qualified, "enabled"]);
    if (scope === "bundled") switchBundled(document, name, enabled);
    // Switching one skill of a bundle must not affect the others.
    if (scope === "plugin" && options.plugin === undefined) switchPlugin(draft, name, enabled);
  }

  const after = verdictOf(read(), options);
  const saysSo = after.by !== undefined && after.enabled === enabled;
  const tookBack = enabled && before.by !== undefined && after.by === undefined;
  if (saysSo || tookBack || takeBackOnly) return;
  if (enabled && layer === "project") throw cannotEnable(file, name, after);
  setValue(document, [...OVERRIDES, selector, "enabled"], enabled);
  const { enabled: isEnabled, reason = "its folder is enabled" } = verdictOf(read(), options);
  if (isEnabled !== enabled) throw stays(file, name, { enabled, reason });
}

function stays(file: string, name: string, why: { enabled: boolean; reason: string }): SkilletError {
  const message = `${name} stays ${why.enabled ? "disabled" : "enabled"}: ${why.reason}. Change that first.`;
  return new SkilletError("config-not-allowed", message, { data: { file, name } });
}

function verdictOf(layer: ConfigLayer, options: SetSkillEnabledOptions): Enablement {
  const { name, scope, plugin, directory = NO_FOLDER } = options;
  return createEnablement([layer])({ name, scope, qualifiedName: `${plugin ?? scope}:${name}`, directory });
}

// No path contains a NUL, so this matches no folder in a config.
const NO_FOLDER = "\0";

// A folder has several spellings: `~/x`, `../x` and the full path.
function removeFolder({ document, place }: ConfigDraft, folder: string): void {
  const { isMap, isScalar } = loadYaml();
  const overrides = document.getIn(OVERRIDES, true);
  if (!isMap(overrides)) return;
  const spellings = overrides.items.flatMap(({ key }) =>
    isScalar(key) && typeof key.value === "string" ? [key.value] : [],
  );
  for (const spelling of spellings) {
    if (expandSelector(spelling, place).normalize() === folder.normalize())
      removeValue(document, [...OVERRIDES, spelling, "enabled"]);
  }
}

// Written as users would: a project's config must work on other machines too.
function folderSelector(folder: string, { baseDirectory, userHome }: ConfigPlace, layer: string): string {
  if (layer === "project" && isInside(folder, dirname(baseDirectory))) {
    const path = relative(baseDirectory, folder);
    return path.startsWith("..") ? path : `./${path}`;
  }
  const home = resolve(userHome);
  return folder !== home && isInside(folder, home) ? `~/${relative(home, folder)}` : folder;
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
  // An empty list would mean "all", so its last entry stays; `disabledBundled` wins over it.
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
