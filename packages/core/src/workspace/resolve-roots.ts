import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath, isInside, otherWriters } from "@skillet/kit/files";
import { present } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";
import { readAgentPlugins } from "../agents/agent-plugins.ts";
import {
  type AgentPlaces,
  agentHome,
  agentProjectFolders,
  agentUserFolders,
  movedAgentHomes,
} from "../agents/agents.ts";
import type { SkillsConfig } from "../config/config.ts";
import { needsTrust, type Origin, SCOPE_ORIGINS, type Scope } from "../registry/skill.ts";
import type { RootTrust, SkillRoot } from "../registry/skill-root.ts";
import type { OutsideLink } from "../source/local/follow-links.ts";
import { LocalSource } from "../source/local/local-source.ts";
import type { TraversalLimits } from "../source/local/traversal-limits.ts";
import type { SkillSource } from "../source/skill-source.ts";
import type { ToToolPath } from "../source/tool-roots.ts";
import type { LocatedWorkspace } from "./locate-workspace.ts";
import { rootTrust } from "./trusted-skills.ts";

/** Where to look: the user's, the project's and the configured folders. */
export interface RootPlan
  extends AgentPlaces,
    Pick<SkillsConfig, "pluginsDir" | "userDir" | "directories" | "precedence" | "limits">,
    Pick<LocatedWorkspace, "folders" | "trust"> {
  /** Where `skillet disable` puts skills of agents without a switch of their own; undefined if missing. */
  readonly disabledDirectory: string | undefined;
  readonly organisationDirectory: string | false;
  readonly bundledDirectory: string | false | undefined;
  /** Further places that links in the user's roots may lead to. */
  readonly linkedFolders?: readonly string[] | undefined;
  readonly projectLimits: TraversalLimits;
  readonly toToolPath: ToToolPath;
  readonly agentFolders?: readonly string[] | undefined;
  /** The untrusted project that contains a folder. */
  untrustedAround(folder: string): string | undefined;
}

const TRUSTED: RootTrust = { kind: "trusted" };

interface Place {
  readonly scope: Scope;
  readonly path: string;
  readonly layout?: "commands";
  /** The plugin, installed by another program, that owns the place: links out of it are not followed. */
  readonly plugin?: string;
  readonly refusal?: Diagnostic;
  /** Why none of its skills is enabled. */
  readonly disabled?: string;
  /** The place that a link in one of its folders creates. */
  readonly linked?: (link: OutsideLink, folder: string) => Place | undefined;
  readonly origin?: Origin;
  readonly notice?: Diagnostic;
  /** Its subfolders are not searched for further skills. */
  readonly isOneSkill?: boolean;
}

/** The default roots, highest precedence first; the folders need not exist. */
export function resolveRoots(plan: RootPlan): SkillRoot[] {
  // Explicit folders are not in the list and come first.
  const precedence: readonly Scope[] = plan.precedence;
  const rank = ({ scope }: Place): number => precedence.indexOf(scope);
  return createRoots(
    [...listPlaces(plan)].sort((left, right) => rank(left) - rank(right)),
    plan,
  );
}

/** Roots named by the host; one outside the workspace is reported, and refused in locked mode. */
export function explicitRoots(
  paths: readonly string[],
  rules: RootRules & { readonly workspace: string; readonly isLocked: boolean },
): SkillRoot[] {
  const { isLocked } = rules;
  const places = paths.map((path): Place => ({ scope: "explicit", path }));
  const inside = canonicalPath(rules.workspace);
  return createRoots(places, rules).map((root) => {
    const target = canonicalPath(root.path);
    if (isInside(target, inside)) return root;
    const told = outsideWorkspace(root.path, target, isLocked ? "error" : "warning");
    return isLocked ? { ...root, refusal: told } : { ...root, notice: told };
  });
}

function outsideWorkspace(file: string, target: string, severity: "error" | "warning"): Diagnostic {
  const consequence = severity === "error" ? ", and is not searched in locked mode" : "";
  const message = `The root is ${target}, outside the workspace${consequence}.`;
  const hint = "Keep the skills in the workspace, or make the folder that holds both the workspace.";
  return diagnostic(severity, "root-outside-workspace", file, message, hint);
}

export function sourceRoots(sources: readonly SkillSource[]): SkillRoot[] {
  return sources.map((source) => ({
    ...(source.remote === undefined
      ? ({ scope: "explicit", origin: "local" } as const)
      : ({ scope: "plugin", origin: "community", plugin: source.remote.label } as const)),
    source,
    path: source.toolPath(""),
    trust: { kind: "trusted" },
  }));
}

function* listPlaces(plan: RootPlan): Generator<Place> {
  if (plan.organisationDirectory)
    yield { scope: "organisation", path: join(plan.organisationDirectory, "skills") };
  yield { scope: "plugin", path: plan.pluginsDir };
  yield* agentPlugins(plan);
  for (const folder of plan.folders) {
    const own = [".skillet/skills", ".agents/skills", ".agent/skills"].map((name) => join(folder, name));
    const claude = join(folder, ".claude/skills");
    for (const path of new Set([...own, ...agentProjectFolders(folder)]))
      if (path !== claude) yield { scope: "project", path };
  }
  for (const folder of plan.folders) {
    yield { scope: "claude", path: join(folder, ".claude/skills") };
    yield { scope: "claude", path: join(folder, ".claude/commands"), layout: "commands" };
  }
  const claude = agentHome("CLAUDE_CONFIG_DIR", plan);
  const own = [plan.userDir, join(plan.userHome, ".agents/skills"), join(claude, "skills")];
  // A repository's shell settings may set a variable so that a project folder passes for the user's own.
  const borrowed = isProject(plan)
    ? movedAgentHomes(plan).filter((folder) => isInside(canonicalPath(folder), plan.trust.root))
    : [];
  const scopeOf = (path: string): Scope =>
    borrowed.some((folder) => isInside(path, folder)) ? "project" : "user";
  for (const path of new Set([...own, ...agentUserFolders(plan)])) {
    const scope = scopeOf(path);
    // A link further down may have come with a skill from elsewhere.
    const linked: Place["linked"] = (link, folder) =>
      folder === "" ? linkedPlace(plan, join(path, link.name), link) : undefined;
    yield { scope, path, ...(scope === "user" && { linked }) };
  }
  const commands = join(claude, "commands");
  yield { scope: scopeOf(commands), path: commands, layout: "commands" };
  yield* plan.directories;
  if (plan.disabledDirectory !== undefined) {
    const { disabledDirectory: path } = plan;
    const disabled = "disabled by skillet disable";
    // Each disabled skill is in a folder of its own.
    const linked: Place["linked"] = (link, folder) => {
      const place = /^[^/]+$/.test(folder)
        ? linkedPlace(plan, join(path, folder, link.name), link)
        : undefined;
      return place && { ...place, disabled };
    };
    yield { scope: "user", path, disabled, linked };
  }
  if (plan.bundledDirectory) yield { scope: "bundled", path: plan.bundledDirectory };
}

function isProject({ userHome, folders, trust }: RootPlan): boolean {
  return folders.length > 0 && !isInside(canonicalPath(userHome), trust.root);
}

function* agentPlugins(plan: RootPlan): Generator<Place> {
  const { root: projectRoot, trusted } = plan.trust;
  const { folders, file, fault } = readAgentPlugins(plan, projectRoot);
  if (fault !== undefined) yield { scope: "plugin", path: file, refusal: pluginsUnread(file, fault) };
  for (const { plugin, path, skills, byProject, off } of folders) {
    const disabled = off && `the plugin ${plugin} is turned off in Claude Code`;
    if (byProject === true && !trusted) continue;
    const place = (folder: string): Place => {
      const target = canonicalPath(folder);
      // A plugin inside the project comes with it and waits for trust, however it was installed.
      const scope = isProject(plan) && isInside(target, projectRoot) ? "project" : "plugin";
      const isOwn = isInside(target, canonicalPath(path));
      const refusal = isOwn ? undefined : outside(folder, target, "plugin");
      return { scope, path: folder, plugin, ...present({ refusal, disabled }) };
    };
    for (const folder of skills) yield place(folder);
    yield { ...place(join(path, "commands")), layout: "commands" };
  }
}

function pluginsUnread(file: string, fault: string): Diagnostic {
  const message = `The list of Claude Code's plugins ${fault}, so not all of their skills are shown.`;
  const hint = "Let Claude Code write it again: claude plugin list";
  return diagnostic("warning", "agent-plugins-unread", file, message, hint);
}

/** The rules for roots; `trust` and `projectLimits` matter only for a project's scopes. */
type RootRules = Pick<RootPlan, "limits" | "linkedFolders" | "toToolPath" | "agentFolders"> &
  Partial<Pick<RootPlan, "projectLimits" | "trust">>;

function createRoots(places: readonly Place[], rules: RootRules): SkillRoot[] {
  const { limits, projectLimits = limits, trust } = rules;
  const projectTrust = trust === undefined ? TRUSTED : rootTrust(trust);
  const projectRoot = trust?.root;
  const linkedFolders = (rules.linkedFolders ?? []).map((folder) => canonicalPath(folder));
  const agentFolders = (rules.agentFolders ?? []).map((folder) => canonicalPath(folder));
  const roots: SkillRoot[] = [];
  const canonical = places.map(({ scope, path }) => ({ scope, path: canonicalPath(path) }));
  // Links are followed within a repository and among the user's own folders, never between the two: a project
  // may not borrow the user's skills, and a link does not turn a project's skill into the user's.
  const projectFolders = projectRoot === undefined ? [] : [projectRoot];
  const ownFolders = [
    ...canonical.filter(({ scope }) => !needsTrust(scope)).map(({ path }) => path),
    ...linkedFolders,
  ];
  const linkTargets = ({ scope, plugin }: Place): readonly string[] => {
    if (plugin !== undefined) return [];
    return needsTrust(scope) ? projectFolders : ownFolders;
  };
  const createRoot = (place: Place, target: string, allowedRoots: readonly string[]): SkillRoot => {
    const { scope, path, layout, plugin, disabled, notice, origin = SCOPE_ORIGINS[scope] } = place;
    const toolRoot = rules.toToolPath(path);
    const source = new LocalSource(path, {
      limits: { ...(needsTrust(scope) ? projectLimits : limits), ...(place.isOneSkill && { depth: 0 }) },
      allowedRoots,
      ...present({ layout, toolRoot }),
    });
    const refusal = place.refusal ?? (leaves(scope, target, projectRoot) ? outside(path, target) : undefined);
    return {
      scope,
      origin,
      source,
      path: source.root,
      // The agent did not write what a plugin or an organisation brought, wherever it is.
      ...(origin === "local" && agentFolders.length > 0 && { agentFolders }),
      trust: needsTrust(scope) ? projectTrust : TRUSTED,
      ...present({ plugin, refusal, disabled, notice }),
      ...(place.linked && {
        linkedRoot: (link, folder) => {
          const linked = place.linked?.(link, folder);
          return linked && createRoot({ ...linked, isOneSkill: true }, link.canonical, []);
        },
      }),
    };
  };
  const seen = new Set<string>();
  for (const [index, place] of places.entries()) {
    const root = createRoot(place, canonical[index]?.path ?? place.path, linkTargets(place));
    // If a folder has two names, the higher precedence gets it, unless it is refused.
    if (root.refusal === undefined && seen.has(root.source.id)) continue;
    if (root.refusal === undefined) seen.add(root.source.id);
    roots.push(root);
  }
  return roots;
}

/**
 * A root for a link to a skill in one of the user's folders: agents follow it, so Skillet must see it too. No
 * link in it may leave it, and nothing below it is searched. In the project it counts as the project's and
 * waits for trust, in an untrusted repository as the community's. What other users can write is ignored.
 */
function linkedPlace(plan: RootPlan, path: string, { canonical, stats }: OutsideLink): Place | undefined {
  const isOwn = stats.uid === process.getuid?.() && otherWriters(stats) !== "everyone";
  // A link to the home, or above it, would search all of the user's files.
  if (!isOwn || isInside(canonicalPath(plan.userHome), canonical)) return undefined;
  // A folder of skills may hold others' repositories, and `skillet disable` must not move skills out of it.
  const skill = lstatSync(join(canonical, "SKILL.md"), { throwIfNoEntry: false });
  if (skill?.isFile() !== true || otherWriters(skill) === "everyone") return undefined;
  if (isProject(plan) && isInside(canonical, plan.trust.root)) return { scope: "project", path };
  const untrusted = plan.untrustedAround(canonical);
  if (untrusted === undefined) return { scope: "user", path };
  const message = `The link leads into ${untrusted}, which is not trusted, so it counts as the community's.`;
  const hint = `If that is yours: skillet trust ${shellArgument(untrusted)}`;
  const notice = diagnostic("info", "link-into-untrusted", path, message, hint);
  return { scope: "user", path, origin: "community", notice };
}

// A project root that links out of the project would claim other people's folders.
function leaves(scope: Scope, target: string, projectRoot: string | undefined): boolean {
  return needsTrust(scope) && projectRoot !== undefined && !isInside(target, projectRoot);
}

function outside(file: string, target: string, owner: "project" | "plugin" = "project"): Diagnostic {
  const message = `The root leads to ${target}, outside its ${owner}, and was not searched.`;
  const hint = `Keep a ${owner}'s skills in the ${owner}, or add that folder to skills.directories in the user's config.`;
  return diagnostic("warning", "link-outside-root", file, message, hint);
}
