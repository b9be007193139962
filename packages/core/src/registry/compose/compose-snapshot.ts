import { createPause } from "@skillet/kit/async";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { sortByByteOrder } from "@skillet/kit/order";
import type { Availability } from "../availability/create-availability.ts";
import type { DiscoveredSkill } from "../scan/discovered-skill.ts";
import type { SourceScan } from "../scan/scan-source.ts";
import { hostFileOf, type MissingRequirement, type Skill } from "../skill.ts";
import { type SkillRoot, trustedAs } from "../skill-root.ts";
import { type RootReport, type Snapshot, versionOf } from "../snapshot.ts";
import { assignNames, groupByName } from "./assign-names.ts";
import { collapseCopies } from "./collapse-copies.ts";
import { type Plugins, readPlugins } from "./read-plugins.ts";

/** Whether configuration lets a skill be offered; `reason` names the file and line that forbids it. */
export type IsEnabled = (skill: Pick<Skill, "name" | "qualifiedName" | "scope" | "origin" | "directory">) => {
  readonly enabled: boolean;
  readonly reason?: string;
  readonly by?: { readonly layer: string };
};

export interface ScannedRoot {
  readonly root: SkillRoot;
  readonly state: RootReport["state"];
  readonly scan: SourceScan;
  /** Set for a plugin's commands: the plugin's folder and its root, which comes before this one. */
  readonly commandsOf?: { readonly root: SkillRoot; readonly folder: string };
}

/** Turns scans, highest precedence first, into one snapshot. */
export async function composeSnapshot(
  roots: readonly ScannedRoot[],
  context: { readonly availability: Availability; readonly enablement: IsEnabled | undefined },
): Promise<Snapshot> {
  // Nested lists, because there can be more diagnostics than a call can have arguments.
  const diagnostics: (readonly Diagnostic[])[] = [];
  const found: DiscoveredSkill[] = [];
  const asking: DiscoveredSkill[] = [];
  const pluginsOf = new Map<SkillRoot, Plugins<unknown>["pluginOf"]>();
  const reports: RootReport[] = [];
  const pause = createPause();
  for (const { root, state, scan, commandsOf } of roots) {
    const plugins = await readPlugins(root.source, scan.plugins, scan.skills);
    const { skills: offered } = plugins;
    pluginsOf.set(root, plugins.pluginOf);
    diagnostics.push(scan.diagnostics, plugins.diagnostics);
    reports.push(report({ root, state, scan: { ...scan, skills: offered } }));
    const owner = commandsOf && pluginsOf.get(commandsOf.root)?.(commandsOf);
    // A command without the name of its plugin would get a bare name.
    for (const skill of commandsOf !== undefined && owner === undefined ? [] : offered) {
      skill.claimName(owner ?? plugins.pluginOf(skill) ?? root.plugin);
      const { gating } = skill;
      if (gating !== undefined) {
        skill.missing = context.availability(gating);
        if (gating.skills.length > 0) asking.push(skill);
      }
      exclude(skill, context.enablement);
      found.push(skill);
      await pause();
    }
  }
  const groups = groupByName(collapseLinks(found));
  await pause();
  diagnostics.push(await collapseCopies(groups, found));
  await pause();
  const skills = assignNames(groups);
  requireSkills(asking, skills);
  await pause();
  sortByByteOrder(skills, ({ qualifiedName }) => qualifiedName);
  return {
    // A hash over all skills, computed on demand because few callers need it.
    get version() {
      return versionOf(skills);
    },
    roots: reports,
    skills,
    diagnostics: diagnostics.flat(),
  };
}

function exclude(skill: DiscoveredSkill, enablement: IsEnabled | undefined): void {
  const { plugin, scope, origin, name } = skill;
  if (skill.root.disabled !== undefined) {
    skill.excluded = { state: "disabled", reason: skill.root.disabled, byProject: false };
    return;
  }
  if (enablement !== undefined) {
    const qualifiedName = `${plugin ?? scope}:${name}`;
    const directory = skill.hostDirectory ?? skill.directory;
    const answer = enablement({ name, qualifiedName, scope, origin, directory });
    if (!answer.enabled) {
      const { reason = "disabled by configuration", by } = answer;
      skill.excluded = { state: "disabled", reason, byProject: by?.layer === "project" };
      return;
    }
  }
  const { held, untrusted, isOwn } = trustedAs(skill.root.trust, skill);
  if (untrusted !== undefined) skill.excluded = { state: "untrusted", reason: untrusted, byProject: false };
  else if (held !== undefined && held.digest !== skill.digest && isOwn !== true)
    skill.notes = [...skill.notes, changedSinceTrust(skill.path)];
}

function changedSinceTrust(file: string): Diagnostic {
  const message = "The skill was edited after its folder was trusted.";
  const hint = "Read the change, then run skillet trust to record it.";
  return diagnostic("info", "changed-since-trust", file, message, hint);
}

// A skill may require other skills by name; this comes last, because all names must be known.
function requireSkills(asking: readonly DiscoveredSkill[], skills: readonly DiscoveredSkill[]): void {
  if (asking.length === 0) return;
  // Disabled and untrusted skills do not count.
  const offered = skills.filter(({ excluded }) => excluded === undefined);
  const names = new Set(offered.flatMap(({ name, qualifiedName }) => [name, qualifiedName]));
  for (const skill of asking) {
    const absent = (skill.gating?.skills ?? []).filter((name) => !names.has(name));
    if (absent.length === 0) continue;
    const lacks: MissingRequirement = {
      kind: "skill",
      names: absent,
      message: `missing skills: ${absent.join(", ")}`,
    };
    skill.missing = [...skill.missing, lacks];
  }
}

function report({ root, state, scan }: ScannedRoot): RootReport {
  return {
    scope: root.scope,
    path: root.path,
    sourceId: root.source.id,
    state,
    trusted: root.trust.kind !== "untrusted",
    skills: scan.skills.length,
    failed: scan.failed,
  };
}

/** Lists a skill with several links or roots once; the first root keeps it, at its real path if possible. */
export function collapseLinks(skills: readonly DiscoveredSkill[]): readonly DiscoveredSkill[] {
  const byFile = new Map<string, number>();
  const kept: DiscoveredSkill[] = [];
  for (const skill of skills) {
    const file = skill.canonicalFile;
    const place = byFile.get(file);
    const first = place === undefined ? undefined : kept[place];
    if (place === undefined || first === undefined) {
      byFile.set(file, kept.length);
      kept.push(skill);
    } else if (skill.root === first.root && hostFileOf(skill) === file) {
      skill.fold(first);
      kept[place] = skill;
    } else first.fold(skill);
  }
  return kept;
}
