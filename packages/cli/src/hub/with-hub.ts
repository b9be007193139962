import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AllowedPlugin, Ask, Config, Skill, Skills } from "@skillet/core";
import { AGENTS, createAgentsLoading, needsTrust, untrustedAround } from "@skillet/core/internal";
import type { Hub, HubScope } from "@skillet/hub";
import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { DEFAULT_SCAN_LIMITS } from "@skillet/scan";
import { CliError, didYouMean, onSkilletError, refusalError } from "../context/cli-error.ts";
import { type CommandContext, type ExitCode, Interruption } from "../context/command-context.ts";
import { openReader, type Reader } from "../context/open-judge.ts";
import { lookUpSkill, openRegistry, openScan } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { loadInstalling } from "../load-beside.ts";
import { createProgressLine } from "../ui/progress-bar.ts";
import { showPath, showSentence } from "../ui/text.ts";

export interface HubWork {
  readonly hub: Hub;
  readonly signal: AbortSignal;
  readonly scope: HubScope;
  readonly home: string;
  readonly userHome: string;
  readonly config: Config;
  readonly skills: Skills;
  readonly canAsk: boolean;
  readonly privateHosts: readonly string[];
  /** The skill of that name in the other scope: the project's for the user, the user's own for a project. */
  readonly holderElsewhere: (name: string) => string | undefined;
}

interface HubOptions {
  readonly project?: boolean;
  /** Changes nothing and therefore writes no cache either. */
  readonly dryRun?: boolean;
  readonly servers?: boolean;
  /** An empty folder in place of the user's home, without lock and taken names; the caller removes it. */
  readonly trialHome?: string;
  /** No reader from `scan.judge` is used: only the rules judge. */
  readonly rulesOnly?: boolean;
  /** Whether the user is asked questions that no flag such as `--yes` answers. */
  readonly asks?: boolean;
  /** Hosts on the local network to allow just this once; `hub.privateHosts` allows them permanently. */
  readonly privateHost?: readonly string[];
}

export async function withHub(
  context: CommandContext,
  options: HubOptions,
  work: (hub: HubWork) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { terminal } = context;
  const interruption = new Interruption(context, { hasStatus: true });
  const { signal } = interruption;
  let hub: HubWork | undefined;
  try {
    hub = await openCommandHub(context, options, signal);
    return await work(hub);
  } catch (error) {
    if (SkilletError.isInstance(error) && isNo(error.code)) {
      const { code, message, data: details } = error;
      const unlisted = hub && notInstalled(context, hub, error);
      const hints = code === "edited" ? ["Pass --discard to lose the edits."] : (unlisted?.hints ?? []);
      throw refusalError(code, unlisted?.message ?? message, details, hints);
    }
    if (interruption.exitCode === undefined || !interruption.explains(error)) throw error;
    terminal.warn("Stopped. The next command undoes or completes unfinished changes.");
    return interruption.exitCode;
  } finally {
    terminal.status();
    interruption.release();
  }
}

/** Opens the registry with the plugin parts that the user allowed, for sessions that run their hooks. */
export async function openRegistryWithPlugins(context: CommandContext): Promise<Skills> {
  const skills = await openRegistry(context, { servers: true });
  const { signal } = new AbortController();
  const plugins: AllowedPlugin[] = [];
  for (const project of [false, true])
    plugins.push(...(await (await openCommandHub(context, { project }, signal, skills)).hub.plugins()));
  return plugins.length === 0 ? skills : openRegistry(context, { plugins, servers: true });
}

/** In the wrong folder, a pipeline would otherwise do nothing and succeed. */
export function requireLock({ hub, scope }: HubWork, verb: "install" | "verify"): void {
  const { lockFile: file } = hub;
  if (existsSync(file)) return;
  const hint =
    scope.kind === "project"
      ? "Run it where the lock is, or name the folder with --workspace."
      : "This is your own lock; for that of a project pass --project.";
  throw refusalError("lock-missing", `There is no ${file}, so there is nothing to ${verb}.`, { file }, [
    hint,
  ]);
}

/** Says why an existing skill is not installed, and what to do; undefined if none or for other errors. */
export function notInstalled(
  { environment, workspace }: CommandContext,
  { skills }: Pick<HubWork, "skills">,
  { code, message: unlisted, data: { name } }: SkilletError,
): { readonly message: string; readonly hints: readonly string[] } | undefined {
  const found = code === "not-installed" ? lookUpSkill(skills, String(name), workspace) : undefined;
  // The error has no suggestion from the lock.
  if (found?.kind === "unknown" && !unlisted.includes("did you mean"))
    return { message: unlisted, hints: didYouMean(found.suggestions, "See what there is: skillet show") };
  if (found?.kind !== "found") return undefined;
  const { scope, plugin, qualifiedName, directory } = found.skill;
  const argument = shellArgument(qualifiedName);
  const owner = scope === "bundled" ? "Skillet" : plugin && `the plugin ${plugin}`;
  const message = owner
    ? `${name} comes with ${owner} and is not installed by itself.`
    : `${name} is in ${showPath(directory, environment)}, but Skillet did not install it.`;
  const hint = owner
    ? `To stop it being offered: skillet disable ${argument}`
    : `To let Skillet manage it where it is: skillet adopt ${argument}`;
  return { message, hints: owner || scope === "user" ? [hint] : [] };
}

// These mean "no" rather than a failure: something is in the way or missing.
const NOS: ReadonlySet<string> = new Set(
  `edited lock-changed not-installed no-earlier-version version-ambiguous plugin-changed target-occupied
  address-refused archive-refused digest-mismatch offer-not-found nothing-to-install source-changed
  source-not-found source-outside-project source-too-large source-unreadable`.split(/\s+/),
);

// A typing mistake is not the source's fault.
const MISWRITTEN: ReadonlySet<string> = new Set(["npm-name-invalid", "oci-reference-malformed"]);

function isNo(code: string): boolean {
  // A source that provides nothing is the same answer in every command.
  return NOS.has(code) || (/^(?:git|http|index|npm|oci)-/.test(code) && !MISWRITTEN.has(code));
}

/** Asks the user questions that no flag answers; undefined without a terminal and with `--json`. */
function createHubAsk({ confirm, environment }: CommandContext): Ask | undefined {
  if (confirm === undefined) return undefined;
  return async ({ kind, skill, reason }) => {
    const sentence = showSentence(`${skill}: ${reason}`, environment);
    const question = kind === "dependencies" ? "Run it?" : "Use it anyway?";
    return { choice: (await confirm(`${sentence}. ${question}`)) ? "yes" : "no" };
  };
}

async function openCommandHub(
  context: CommandContext,
  options: HubOptions,
  signal: AbortSignal,
  opened?: Skills,
): Promise<HubWork> {
  const { environment, workspace, terminal } = context;
  let reader: Promise<Reader | undefined> | undefined;
  const { dryRun, servers = false, project = false, trialHome } = options;
  const skills = opened ?? (await openRegistry(context, { cached: dryRun !== true, servers }));
  const { config } = skills.config;
  const { home, userHome, root } = openWorkspace(context);
  const own = { kind: "user", home, pluginsDirectory: config.skills.pluginsDir } as const;
  const trial = trialHome && { ...own, home: trialHome, pluginsDirectory: join(trialHome, "plugins") };
  const scope: HubScope = trial || (project ? { kind: "project", root } : own);
  const ask = options.asks === true ? createHubAsk(context) : undefined;
  const scan = await openScan(home, config.scan.rules);
  // A team's lock must not depend on what each member has at home, nor the other way round.
  const isElsewhere = ({ scope: holder }: Skill): boolean =>
    scope.kind === "user" ? needsTrust(holder) : holder === "user" || holder === "plugin";
  const holders = (isMeant: (holder: Skill) => boolean): ReadonlyMap<string, string> =>
    new Map(
      skills.snapshot.skills
        .filter((skill) => isHolder(skill) && isMeant(skill))
        // The first skill of a name holds it.
        .toReversed()
        .map(({ name, scope: of, path }) => [name, `the ${of} skill ${showPath(path, environment)}`]),
    );
  const privateHosts = [...config.hub.privateHosts, ...(options.privateHost ?? [])];
  const hub = await loadInstalling().openHubWith({
    home: trialHome ?? home,
    userHome,
    workspace,
    scope,
    environment,
    clock: Date.now,
    signal,
    scan: async (files, { origin, ...scanOptions }) => {
      const report = await scan.run(files, scanOptions);
      // Nothing vouches for these skills, and a reader sees what rules miss.
      if (origin !== "community" || options.rulesOnly === true) return report;
      reader ??= openReader(context, { keeps: options.dryRun !== true }).catch((error) => {
        if (!(error instanceof CliError)) throw error;
        terminal.warn(`${error.message} The rules alone judge what is installed.`);
        return undefined;
      });
      const read = await (await reader)?.read({ files, report }, signal);
      for (const { message } of read?.diagnostics ?? []) terminal.warn(message);
      return read?.report ?? report;
    },
    trustedSources: config.scan.trustedSources,
    falseAlarms: config.scan.falseAlarms,
    signatures: config.hub.signatures,
    allowedPrivateHosts: privateHosts,
    ...(trialHome === undefined && { holders: holders((holder) => !isElsewhere(holder)) }),
    heldFor: async (name, digest) => {
      const projectRoot = scope.kind === "project" ? scope.root : undefined;
      const where = { agents: AGENTS, places: { userHome, environment }, projectRoot };
      const isMeant = (one: Skill): boolean =>
        (isHolder(one) || one.plugin !== undefined) && !isElsewhere(one);
      // A plugin's own copy of the skill counts, too.
      const named = skills.snapshot.skills.filter((one) => one.name === name && isMeant(one));
      for (const holder of trialHome === undefined ? named : []) {
        const reading = skills.reader.readContent(holder, DEFAULT_SCAN_LIMITS);
        if ((await reading.catch(onSkilletError(() => undefined)))?.digest === digest)
          return createAgentsLoading(where)(holder).loading.map(({ id }) => id);
      }
      return undefined;
    },
    projectTrusted: skills.project?.trusted === true,
    untrustedAround: (path) => untrustedAround(path, { home, userHome }),
    onStep: createProgressLine(context),
    ...(ask && { ask }),
  });
  const elsewhere = holders(isElsewhere);
  return {
    hub,
    signal,
    scope,
    home,
    userHome,
    config,
    skills,
    canAsk: ask !== undefined,
    privateHosts,
    holderElsewhere: (name) => elsewhere.get(name),
  };
}

// Skills of an untrusted project hold no names.
function isHolder({ name, qualifiedName, state }: Skill): boolean {
  return qualifiedName === name && state !== "untrusted" && state !== "shadowed";
}
