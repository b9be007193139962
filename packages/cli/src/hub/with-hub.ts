import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Ask, type Config, resolveHome, type Skill, type Skills } from "@skillet/core";
import { findProjectRoot, readTrust, trustOf } from "@skillet/core/internal";
import type { Hub, HubScope, HubStep } from "@skillet/hub";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { Interruption } from "../context/interruption.ts";
import { deferredScan, openRegistry } from "../context/open-registry.ts";
import { readUserRules } from "../context/user-rules.ts";
import { loadInstalling } from "../load-beside.ts";
import { createProgressLine, type ProgressLine } from "../ui/progress-bar.ts";
import { showPath } from "../ui/text.ts";

/** What the work of a hub command gets. */
export interface HubWork extends CommandHub {
  readonly progress: ProgressLine;
  readonly signal: AbortSignal;
}

/** Opens the hub, does a command's work with it, and ends it properly when somebody interrupts. */
export async function withHub(
  context: CommandContext,
  options: {
    readonly project: boolean;
    readonly dryRun?: boolean;
    readonly ask?: (progress: ProgressLine) => Ask | undefined;
  },
  work: (hub: HubWork) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { terminal, json } = context;
  const progress = createProgressLine({ terminal, json });
  const interruption = new Interruption({ ...context, terminal: { ...terminal, isErrorTerminal: false } });
  const { signal } = interruption;
  try {
    const opened = await openCommandHub(context, {
      project: options.project,
      dryRun: options.dryRun ?? false,
      ask: options.ask?.(progress),
      onStep: (step) => progress.show(step),
      signal,
    });
    return await work({ ...opened, progress, signal });
  } catch (error) {
    if (SkilletError.isInstance(error) && isNo(error)) throw noOf(error);
    if (interruption.exitCode === undefined || !interruption.explains(error)) throw error;
    progress.clear();
    terminal.warn("Stopped. Whatever was begun is undone or completed by the next command.");
    return interruption.exitCode;
  } finally {
    progress.clear();
    interruption.release();
  }
}

// Something is in the way, or not there, which is a no and nothing that broke.
const NOS: ReadonlySet<string> = new Set([
  "edited",
  "lock-changed",
  "not-installed",
  "no-earlier-version",
  "version-ambiguous",
  "plugin-changed",
  "target-occupied",
]);

// Nothing can be had from a source: the same answer, whether one command asks for it or another.
const UNAVAILABLE: ReadonlySet<string> = new Set([
  "address-refused",
  "archive-refused",
  "digest-mismatch",
  "offer-not-found",
  "nothing-to-install",
  "source-changed",
  "source-not-found",
  "source-outside-project",
  "source-too-large",
  "source-unreadable",
]);

// What was written wrong is no matter of the source.
const MISWRITTEN: ReadonlySet<string> = new Set(["npm-name-invalid", "oci-reference-malformed"]);

function isNo({ code }: SkilletError): boolean {
  if (NOS.has(code) || UNAVAILABLE.has(code)) return true;
  return /^(?:git|http|index|npm|oci)-/.test(code) && !MISWRITTEN.has(code);
}

function noOf({ code, message, data }: SkilletError): CliError {
  const hints = code === "edited" ? ["Pass --discard to lose the edits."] : [];
  return new CliError(code, message, { exitCode: 1, hints, details: data });
}

/** A hub and what the command that opened it knows besides. */
export interface CommandHub {
  readonly hub: Hub;
  readonly scope: HubScope;
  readonly home: string;
  readonly userHome: string;
  readonly config: Config;
  /** As they were when the command began. */
  readonly skills: Skills;
  /** Whether somebody is there who can be asked. */
  readonly canAsk: boolean;
  /** The skill of that name which the other scope holds: a project's for a user, a person's own for a project. */
  readonly holderElsewhere: (name: string) => string | undefined;
}

interface CommandHubOptions {
  /** For everybody who works on the project, instead of for the user. */
  readonly project: boolean;
  /** Nothing is changed, and so no cache is written either. */
  readonly dryRun?: boolean;
  readonly ask?: Ask | undefined;
  readonly onStep?: (step: HubStep) => void;
  readonly signal?: AbortSignal;
}

async function openCommandHub(context: CommandContext, options: CommandHubOptions): Promise<CommandHub> {
  const { environment, workspace } = context;
  const skills = await openRegistry(context, { cached: options.dryRun !== true });
  const { config } = skills.config;
  const { home, userHome } = resolveHome(environment);
  const scope = scopeOf(context, { home, userHome, config, project: options.project });
  const { ask, onStep, signal } = options;
  const scan = deferredScan(await readUserRules({ home, packs: config.scan.rules }));
  const hub = await loadInstalling().openHubWith({
    home,
    userHome,
    workspace,
    scope,
    environment,
    clock: Date.now,
    scan: (files, scanOptions) => scan.run(files, scanOptions),
    trustedSources: config.scan.trustedSources,
    signatures: config.hub.signatures,
    allowedPrivateHosts: config.hub.privateHosts,
    holders: findHolders(skills, { environment, isMeant: (holder) => !isElsewhere(holder, scope) }),
    untrustedAround: (path) => untrustedAround(path, { home, userHome, workspace }),
    ...(ask && { ask }),
    ...(onStep && { onStep }),
    ...(signal && { signal }),
  });
  const elsewhere = findHolders(skills, { environment, isMeant: (holder) => isElsewhere(holder, scope) });
  const holderElsewhere = (name: string): string | undefined => elsewhere.get(name);
  const canAsk = ask !== undefined;
  return { hub, scope, home, userHome, config, skills, canAsk, holderElsewhere };
}

function scopeOf(
  { workspace }: CommandContext,
  options: {
    readonly home: string;
    readonly userHome: string;
    readonly config: Config;
    readonly project: boolean;
  },
): HubScope {
  const { home, userHome, config, project } = options;
  if (!project) return { kind: "user", home, pluginsDirectory: config.skills.pluginsDir };
  const { root } = findProjectRoot(canonicalPath(workspace), canonicalPath(userHome));
  return { kind: "project", root };
}

function findHolders(
  { snapshot }: Skills,
  {
    environment,
    isMeant,
  }: Pick<CommandContext, "environment"> & { readonly isMeant: (holder: Skill) => boolean },
): ReadonlyMap<string, string> {
  const holders = new Map<string, string>();
  for (const skill of snapshot.skills)
    if (isHolder(skill) && isMeant(skill) && !holders.has(skill.name))
      holders.set(skill.name, `the ${skill.scope} skill ${showPath(skill.path, environment)}`);
  return holders;
}

// What a team has in its lock must not depend on what each of them has at home, nor the other way round.
function isElsewhere({ scope: holder }: Skill, scope: HubScope): boolean {
  const isProjects = holder === "project" || holder === "claude";
  return scope.kind === "project" ? holder === "user" || holder === "plugin" : isProjects;
}

// What a project brings that nobody trusts has no say, also not about names.
function isHolder({ name, qualifiedName, state }: Skill): boolean {
  return qualifiedName === name && state !== "untrusted" && state !== "shadowed";
}

/**
 * The project that a folder lies in and nobody trusts, so that it cannot count as the user's own; undefined where there is none.
 *
 * Projects are what the workspace belongs to, and any repository around the folder; whatever lies in them may have come
 * with a clone.
 */
function untrustedAround(
  path: string,
  options: { readonly home: string; readonly userHome: string; readonly workspace: string },
): string | undefined {
  const folder = canonicalPath(path);
  const userHome = canonicalPath(options.userHome);
  const workspace = findProjectRoot(canonicalPath(options.workspace), userHome);
  const around = findProjectRoot(folder, userHome).root;
  const projects = [
    ...(workspace.folders.length > 0 && isInside(folder, workspace.root) ? [workspace.root] : []),
    ...(existsSync(join(around, ".git")) ? [around] : []),
  ];
  const store = readTrust(options.home);
  return projects.find((root) => !trustOf(store, root).trusted);
}
