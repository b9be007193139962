import { dirname } from "node:path";
import type { KnownScan, Skill, Skills } from "@skillet/core";
import { mayUse, type UseRules } from "@skillet/core/internal";
import { canonicalPath, isInside } from "@skillet/kit/files";
import type { HookSkill, Stop } from "./hook-view.ts";

export interface Judged {
  readonly isRead: boolean;
  readonly isHeld: boolean;
  readonly readAt: string;
  /** The agent also reads another skill of the same name, which takes precedence. */
  readonly isNamesake: boolean;
  readonly stamp: string | undefined;
  readonly facts: (KnownScan & { readonly changed?: string }) | undefined;
  readonly rules: UseRules;
}

export function describeHookSkill(skill: Skill, judged: Judged): HookSkill {
  const { description, whenToUse, tags, triggers, invocation, tools } = skill.manifest;
  const { bins, anyBins, commands } = skill.manifest.gating;
  const { isNamesake, facts: _facts, rules: _rules, ...found } = judged;
  const folders = [skill.directory, ...skill.alsoAt.map((one) => dirname(one))];
  return {
    ...pick(skill, "name", "qualifiedName", "directoryName", "kind", "scope", "origin", "plugin"),
    ...pick(skill, "path", "directory", "digest", "settingsDigest", "alsoAt", "source"),
    ...found,
    state: skill.state === "shadowed" && !isNamesake ? "enabled" : skill.state,
    manifest: {
      description,
      whenToUse,
      tags,
      triggers,
      tools,
      gating: { bins, anyBins, commands },
      invocation: { model: invocation.model, paths: invocation.paths },
    },
    stop: stopOf(skill, judged, "model"),
    userStop: stopOf(skill, judged, "user"),
    folders: [...new Set([...folders, ...folders.map(canonicalPath)])],
  };
}

function pick<Key extends keyof Skill>(skill: Skill, ...keys: readonly Key[]): Pick<Skill, Key> {
  return Object.fromEntries(keys.map((key) => [key, skill[key]])) as Pick<Skill, Key>;
}

/**
 * Skillet's objection to a skill that an agent would otherwise load. Who may start it, and what it lacks, is
 * up to the agent and the user. The user decides on an untrusted folder; everything else is decided already.
 */
function stopOf(skill: Skill, { facts, rules }: Judged, source: "model" | "user"): Stop | undefined {
  if (facts === undefined) return { outcome: "ask", reason: "it could not be scanned; see: skillet doctor" };
  const { reasons } = mayUse(skill, { source, byFullName: true, scan: facts, rules });
  const stops = reasons.filter(
    ({ step, cause }) => cause !== undefined && ["enabled", "trusted", "scanned", "policy"].includes(step),
  );
  // A user who is asked about trust may overlook other objections.
  const against = stops.find(({ step }) => step !== "trusted") ?? stops[0];
  if (against !== undefined)
    return { outcome: against.step === "trusted" ? "ask" : "deny", reason: against.reason };
  if (facts.changed !== undefined) return { outcome: "deny", reason: facts.changed };
  const asks = reasons.find(({ step, outcome }) => step === "policy" && outcome === "asks");
  return asks && { outcome: "ask", reason: asks.reason };
}

/** A file that changed a moment ago may change again with the same time. */
const SETTLED_MS = 2_000;

export function settledStamp(skills: Skills, skill: Skill): string | undefined {
  const stamp = skills.reader.stamp(skill);
  return stamp === undefined || Date.now() - stamp.changedMs < SETTLED_MS ? undefined : stamp.text;
}

/** Its SKILL.md, its folder, and the folders up to its root: a new skill changes one of them. */
export function skillPlaces({ snapshot }: Skills, skill: Skill): readonly string[] {
  const root = snapshot.roots.find(({ sourceId }) => sourceId === skill.source.id)?.path ?? skill.directory;
  const places = [skill.path];
  for (let folder = dirname(skill.path); isInside(folder, root); folder = dirname(folder))
    places.push(folder);
  return places;
}
