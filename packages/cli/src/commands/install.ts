import { resolve } from "node:path";
import type { InstallRequest, Plan } from "@skillet/hub";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { allowAdvice } from "../hub/allowed-words.ts";
import { carryOut } from "../hub/carry-out.ts";
import { checkNewName } from "../hub/check-new-name.ts";
import { chooseAgents } from "../hub/choose-agents.ts";
import { chooseOffers } from "../hub/choose-offers.ts";
import { createInstallAsk } from "../hub/create-install-ask.ts";
import { loadInstalling } from "../hub/load-installing.ts";
import { planImport } from "../hub/plan-import.ts";
import { planRenamed } from "../hub/plan-renamed.ts";
import { planRestoring } from "../hub/plan-restoring.ts";
import type { ResultRow } from "../hub/result-row.ts";
import { tellShared } from "../hub/tell-shared.ts";
import { typedSource, withPickHint } from "../hub/typed-source.ts";
import { type HubWork, withHub } from "../hub/with-hub.ts";
import { writeSkillsLock } from "../hub/write-skills-lock.ts";
import { openRegistry } from "../open-registry.ts";
import { wrap } from "../ui/fit-text.ts";
import { stripControl } from "../ui/strip-control.ts";
import { trustNotice } from "../ui/trust-notice.ts";

/** What is installed, from where, for whom, and what was said beforehand. */
export interface InstallOptions {
  readonly source?: string;
  readonly ref?: string;
  readonly name?: string;
  readonly skill?: readonly string[];
  readonly all?: boolean;
  readonly project?: boolean;
  readonly agent?: readonly string[];
  readonly copy?: boolean;
  readonly link?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly tools?: boolean;
  readonly dryRun?: boolean;
  readonly acceptCapabilities?: boolean;
  readonly frozen?: boolean;
  readonly discard?: boolean;
  readonly import?: string;
  readonly skillsLock?: boolean;
}

/** Installs skills from a source, or what the lock says; everything is scanned and decided about first. */
export async function install(context: CommandContext, options: InstallOptions): Promise<ExitCode> {
  checkOptions(options);
  const { frozen = false, project = false } = options;
  // A frozen install is for machines that nobody watches: it asks nothing, also where somebody sits there.
  const ask = frozen ? undefined : { ask: createAsk(context) };
  const { dryRun = false } = options;
  return withHub(context, { project, dryRun, ...ask }, async (work) => {
    const { plan, pinned, others = [], verb, nothing } = await planFor(context, work, options);
    return carryOut(context, work, tellShared(work, plan), {
      verb,
      nothing,
      yes: options.yes === true || frozen,
      dryRun,
      others,
      discardEdits: options.discard ?? false,
      acceptCapabilities: options.acceptCapabilities ?? false,
      tools: options.tools ?? false,
      advice: async (done) => [
        ...allowAdvice(done, (words) => loadInstalling().scopedCommand(work, words)).flatMap((line) =>
          wrap(stripControl(line), { width: context.terminal.width }),
        ),
        ...(project ? await trustAdvice(context) : []),
      ],
      afterwards: async (items) => {
        for (const name of pinned)
          if (items.some((item) => item.name === name)) await work.hub.pin(name, `as in ${options.import}`);
        if (options.skillsLock === true) await writeSkillsLock(work, items);
      },
    });
  });
}

/** What is installed into a project that nobody trusts is there, but not offered. */
async function trustAdvice(context: CommandContext): Promise<readonly string[]> {
  const { terminal, environment } = context;
  const { width, colours } = terminal;
  return trustNotice(await openRegistry(context), { width, colours, environment });
}

function createAsk(context: CommandContext): Parameters<typeof withHub>[1]["ask"] & {} {
  return (progress) => createInstallAsk(context, progress);
}

interface Planned {
  readonly plan: Plan;
  readonly pinned: readonly string[];
  readonly others?: readonly ResultRow[];
  readonly verb: string;
  readonly nothing: string;
}

async function planFor(context: CommandContext, work: HubWork, options: InstallOptions): Promise<Planned> {
  const { force = false, discard = false, frozen = false } = options;
  const source = options.source && typedSource(options.source, context);
  if (source === undefined && options.import === undefined) {
    const plan = await planRestoring(work, { force, discard, frozen });
    return { plan, pinned: [], verb: "Restore", nothing: `Nothing is installed by ${work.hub.lockFile}.` };
  }
  const { signal, progress } = work;
  const yes = options.yes ?? false;
  let agents: Promise<readonly string[]> | undefined;
  // Once, however often it is planned: nobody is to pick twice.
  const choosing = (): Promise<readonly string[]> => {
    agents ??= chooseAgents(context, work, { agents: options.agent, yes, signal });
    return agents;
  };
  const agentTargets = options.copy === true ? "copy" : "link";
  const request = { agentTargets, force } as const;
  const nothing = "There was nothing to install.";
  if (options.import !== undefined) {
    const file = resolve(context.workspace, options.import);
    const asked = { ...request, agents: await choosing() };
    return { ...(await planImport(work, file, asked)), verb: "Install", nothing };
  }
  const { ref, name, skill = [], all = false, link = false } = options;
  const choose = chooseOffers(context, { source: source ?? "", progress, signal });
  const wish: InstallRequest = {
    ...request,
    agents: [],
    chooseAgents: async () => {
      progress.clear();
      return choosing();
    },
    source: source ?? "",
    names: skill,
    all,
    link,
    ...(ref !== undefined && { ref }),
    ...(name !== undefined && { as: name }),
    ...(choose && { choose }),
  };
  const plan = await withPickHint(source ?? "", () => planRenamed(context, work, wish));
  return { plan, pinned: [], verb: "Install", nothing };
}

function checkOptions(options: InstallOptions): void {
  const { source, frozen, skill = [], all, copy, link, skillsLock, project } = options;
  const imported = options.import;
  const isNew = source !== undefined || imported !== undefined;
  const of = (test: boolean, message: string): void => {
    if (test) throw new CliError("usage", message, { hints: ["See: skillet help install"] });
  };
  of(source === "", "The source is empty; name one, or leave it away to install what the lock says.");
  of(options.agent?.length === 0, "--agent names no agent; write it like --agent claude-code,codex.");
  of(source !== undefined && imported !== undefined, "A source and --import do not go together.");
  of(
    frozen === true && isNew,
    "--frozen installs what the lock says, so no source and no --import goes with it.",
  );
  of(
    frozen === true && options.discard === true,
    "--frozen changes nothing that somebody edited, so --discard does not go with it.",
  );
  of(options.discard === true && isNew, "--discard goes with an install from the lock, without a source.");
  of(all === true && skill.length > 0, "--all and --skill do not go together.");
  of(copy === true && link === true, "--copy and --link do not go together.");
  of(skillsLock === true && project !== true, "--skills-lock writes into a project, so it needs --project.");
  const needsSource = [
    ["--ref", options.ref],
    ["--name", options.name],
    ["--skill", options.skill],
    ["--all", all],
    ["--link", link],
  ].find(([, value]) => value !== undefined);
  of(source === undefined && needsSource !== undefined, `${needsSource?.[0]} needs a source.`);
  const placing = options.agent === undefined ? "--copy" : "--agent";
  of(
    !isNew && (options.agent !== undefined || copy !== undefined),
    `${placing} needs a source or --import: for whom a skill is installed without one, the lock says.`,
  );
  if (options.name !== undefined) checkNewName(options.name);
}
