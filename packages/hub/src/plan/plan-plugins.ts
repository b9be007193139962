import type { PluginDefinition } from "@skillet/core";
import { pluginName } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import type { Lock } from "../lock/lock-entry.ts";
import type { Plan, PlannedItem, RefusedItem } from "../plan-item.ts";
import { sourceOrNone } from "../sources/parse-source.ts";
import { showSource } from "../sources/source.ts";
import type { HubParts } from "./hub-parts.ts";
import { isSameSource, parseLockSource } from "./lock-source.ts";
import { planInstall } from "./plan-install.ts";
import { findLookAlike } from "./plan-reading.ts";
import { picksOf, withoutPick } from "./read-offer.ts";

type Homes = Pick<HubParts, "root" | "userHome">;

/** The plugins that a user's config lists and enables, but that the lock has neither by name nor by source. */
export function missingPlugins(
  { skills }: Lock,
  plugins: readonly PluginDefinition[],
  homes: Homes,
): readonly PluginDefinition[] {
  const sources = [...skills.values()].map(({ source }) => source);
  return plugins.filter(({ url, name, enabled }) => {
    const isNamed = name !== undefined && skills.has(name);
    return enabled !== false && !isNamed && !sources.some((source) => isFrom(source, url, homes));
  });
}

// The lock says which skill of a source it was; a config usually names the source alone.
function isFrom(installed: string, url: string, homes: Homes): boolean {
  const places = { ...homes, workspace: homes.root };
  const [asked, source] = [sourceOrNone(url, places), sourceOrNone(installed, places)];
  // Text that is not a source is reported when it is planned.
  if (asked === undefined || source === undefined) return false;
  const found = picksOf(asked).length > 0 ? source : withoutPick(source);
  return isSameSource(showSource(found), showSource(asked), homes);
}

const CONFIG = { place: "your config", wayOut: "give one of its plugins another `name`" };

export interface ConfiguredPlugins {
  readonly plugins: readonly PluginDefinition[];
  readonly agents: readonly string[];
}

/** Plans installs for what the config lists and the lock lacks, each on its own, so that none blocks another. */
export async function planPlugins(
  parts: HubParts,
  { plugins, agents }: ConfiguredPlugins,
  force: boolean,
): Promise<Required<Pick<Plan, "items" | "failed" | "diagnostics">>> {
  const items = new Map<string, PlannedItem>();
  const failed: RefusedItem[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const plugin of missingPlugins(parts.lock, plugins, parts)) {
    const { url, ref, name: as } = plugin;
    try {
      const source = showSource(parseLockSource(url, parts));
      const chosen = { names: [], all: false, link: false, agents, agentTargets: "link", force } as const;
      const named = { ...(ref !== undefined && { ref }), ...(as !== undefined && { as }) };
      const plan = await planInstall(parts, { source, ...chosen, ...named });
      diagnostics.push(...plan.diagnostics);
      failed.push(...plan.refusals);
      for (const item of plan.refusals.length > 0 ? [] : plan.items) {
        const merged = mergePlanned(items, item, CONFIG);
        if (merged.state === "refused") failed.push(merged);
        else items.set(item.name, merged);
      }
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      const name = pluginName(plugin);
      const reason = `${name}, which the config lists, cannot be installed: ${error.message}`;
      failed.push({ state: "refused", name, source: url, code: "unavailable", reason });
    }
  }
  return { items: [...items.values()], failed, diagnostics };
}

/**
 * Adds an item to a list whose items were planned separately and do not know each other. Two may require the
 * same third item; an item that is listed itself counts as requested.
 */
export function mergePlanned(
  items: ReadonlyMap<string, PlannedItem>,
  item: PlannedItem,
  { place, wayOut }: { readonly place: string; readonly wayOut: string },
): PlannedItem | RefusedItem {
  const { name, entry } = item;
  const refuse = (reason: string): RefusedItem => ({
    state: "refused",
    name,
    source: entry.source,
    digest: entry.digest,
    code: "name-taken",
    reason: `${reason}; ${wayOut}.`,
  });
  const known = items.get(name);
  if (known === undefined) {
    const twin = findLookAlike(name, items.keys());
    return twin === undefined
      ? item
      : refuse(`${name} is easily confused with ${twin}, which ${place} brings as well`);
  }
  if (known.entry.digest !== entry.digest) {
    const sources = `${known.entry.source} and ${entry.source}`;
    return refuse(`${name} is the name of two different skills in ${place}, from ${sources}`);
  }
  const [earlier, later] = [known.entry.requiredBy, entry.requiredBy];
  if (earlier === undefined) return known;
  if (later === undefined) return item;
  const requiredBy = [...new Set([...earlier, ...later])].sort(compareByteOrder);
  return { ...known, entry: { ...known.entry, requiredBy } };
}
