import { type Ask, type Config, findProjectRoot, resolveHome, type Skill, type Skills } from "@skillet/core";
import type { Hub, HubScope, HubStep } from "@skillet/hub";
import { canonicalPath } from "@skillet/kit/files";
import type { CommandContext } from "../command-context.ts";
import { openRegistry } from "../open-registry.ts";
import { deferredScan } from "../scan/deferred-scan.ts";
import { readUserRules } from "../scan/user-rules.ts";
import { showPath } from "../ui/show-path.ts";
import { loadInstalling } from "./load-installing.ts";
import { untrustedAround } from "./untrusted-around.ts";

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

/** What a command says about the hub it wants. */
export interface CommandHubOptions {
  /** For everybody who works on the project, instead of for the user. */
  readonly project: boolean;
  /** Nothing is changed, and so no cache is written either. */
  readonly dryRun?: boolean;
  readonly ask?: Ask | undefined;
  readonly onStep?: (step: HubStep) => void;
  readonly signal?: AbortSignal;
}

/** Opens the hub that a command line means, with the rules, friends and names that count there. */
export async function openCommandHub(
  context: CommandContext,
  options: CommandHubOptions,
): Promise<CommandHub> {
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
