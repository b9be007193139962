import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { InstallRequest, OfferedItem, Plan, PlannedItem, RefusedItem } from "@skillet/hub";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { present } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";
import { onSkilletError, refuseUsage } from "../context/cli-error.ts";
import type { CommandContext, ExitCode, Flags, Lists, Texts } from "../context/command-context.ts";
import { heldWords, listingWords, MAX_SCANNED, wordsHere } from "../context/describe-here.ts";
import { openRegistry } from "../context/open-registry.ts";
import { type CarryOutFlags, carryOut, placedDigests } from "../hub/carry-out.ts";
import { agentsFor, narrowAgents, readerLines } from "../hub/choose-agents.ts";
import { pick } from "../hub/picker.ts";
import { checkNewName, planImport, planRenamed, writeSkillsLock } from "../hub/plan-import.ts";
import { allowAdvice } from "../hub/report-results.ts";
import { type HubWork, requireLock, withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { trustPlaced } from "../trust/trust-placed.ts";
import { trustNotice } from "../ui/skill-notices.ts";
import { hang, showSentence } from "../ui/text.ts";

export type InstallOptions = CarryOutFlags &
  Flags<"user" | "all" | "list" | "copy" | "link" | "frozen" | "skillsLock" | "skipExisting"> &
  Texts<"source" | "ref" | "name" | "import"> &
  Lists<"skill" | "agent" | "privateHost">;

/** Whether a skill of the project is byte for byte one that was placed. */
function isOneOf(
  items: readonly PlannedItem[],
): (path: string, skill: { readonly tree?: Digest | undefined }) => boolean {
  const placed = new Set(items.flatMap(placedDigests));
  const targets = items.flatMap(({ entry }) => entry.targets.map(({ path }) => path));
  return (path, { tree }) =>
    tree !== undefined && placed.has(tree) && targets.some((target) => `${path}/`.startsWith(`${target}/`));
}

export async function install(context: CommandContext, options: InstallOptions): Promise<ExitCode> {
  const { frozen = false, project = false } = options;
  // A frozen install is for unattended machines, so it asks nothing, even on a terminal.
  return withHub(context, { ...options, asks: !frozen }, async (work) => {
    const { plan: found, pinned, agents, picked, ...planned } = await planFor(context, work, options);
    if (picked?.length === 0) {
      context.terminal.print(hang(NOTHING_CHOSEN, context.terminal));
      return 1;
    }
    const argv = [...context.argv, ...(picked ?? []).flatMap((name) => ["--skill", name])];
    const { withoutExisting, withoutRefused } = loadInstalling();
    const wanted = options.skipExisting === true ? withoutExisting(found) : found;
    const isRest = picked !== undefined && (await isRestWanted(context, wanted));
    const keepGoing = (options.keepGoing ?? planned.keepGoing ?? isRest) === true;
    const plan = options.keepGoing === true || isRest ? withoutRefused(wanted) : wanted;
    return carryOut({ ...context, argv }, work, plan, {
      ...options,
      ...planned,
      keepGoing,
      yes: options.yes === true || frozen,
      advice: async (done) => {
        const command = (words: string): string => loadInstalling().scopedCommand(work, words);
        return allowAdvice(done, command).flatMap((line) => hang(line, context.terminal));
      },
      // Skills in an untrusted project are not offered, even those that were there before.
      notice: async (done) => [
        ...(agents === undefined ? [] : await readerLines(context, work, done, agents)),
        ...(project ? trustNotice(await openRegistry(context), context.terminal) : []),
      ],
      afterwards: async (items) => {
        // Agreeing to these bytes also trusts them. A frozen install asks nobody, and nobody is asked about
        // unchanged items: trusting those would trust a clone that brings its own lock.
        const placed = items.filter(({ action }) => action !== "unchanged");
        if (project && !frozen) await trustPlaced(context, work.hub.root, isOneOf(placed));
        for (const name of pinned)
          if (items.some((item) => item.name === name)) await work.hub.pin(name, `as in ${options.import}`);
        if (options.skillsLock === true) await writeSkillsLock(work, items);
      },
    });
  });
}

/** If some of the ticked skills cannot be installed, asks whether to install the rest. */
async function isRestWanted(
  { terminal, environment, confirm }: CommandContext,
  { items, refusals }: Plan,
): Promise<boolean> {
  if (confirm === undefined || items.length === 0 || refusals.length === 0) return false;
  const lead = { indent: 2, lead: `${terminal.errors.colours.red("✗")} ` };
  // The results say how to fix it.
  const reasons = refusals.map(({ reason }) => showSentence(reason.replace(/(?<=\.) .*/, ""), environment));
  for (const reason of reasons) terminal.warn(hang(reason, terminal.errors, lead));
  return confirm(`Go on without ${refusals.length === 1 ? "it" : "these"}, with ${heldWords(items)}?`);
}

const NOTHING_CHOSEN =
  "Nothing was chosen, so nothing was installed. Space ticks what is under the cursor, and enter takes what is ticked.";

interface Planned {
  readonly plan: Plan;
  readonly pinned: readonly string[];
  /** The names that were picked from several; a command that repeats this one has to name them. */
  readonly picked?: readonly string[] | undefined;
  /** Absent if there were no agents to choose. */
  readonly agents?: ReturnType<typeof agentsFor>;
  readonly keepGoing?: true;
  readonly verb: string;
  readonly nothing: string;
}

async function planFor(context: CommandContext, work: HubWork, options: InstallOptions): Promise<Planned> {
  const { force = false, discard = false, frozen = false, yes = false, ref, name, skill = [] } = options;
  const source = options.source && typedSource(options.source, context);
  if (source === undefined && options.import === undefined) {
    if (frozen) requireLock(work, "install");
    const { skills } = work.config;
    const { ids: agents } = agentsFor(context, work);
    // The user's config is about the user's own skills, and a frozen install is about the lock alone.
    const isListed = !frozen && options.project !== true;
    const plan = await work.hub.planRestore({
      names: [],
      force,
      frozen,
      keepEdits: !discard,
      ...(isListed && { configured: { plugins: skills.plugins, agents } }),
    });
    const nothing = "Nothing installed yet. Try: skillet install OWNER/REPO";
    // A skill that nobody is there to approve does not stop the others.
    const verb = plan.items.some(({ action }) => action === "install") ? "Install" : "Restore";
    return { plan, pinned: [], keepGoing: true, verb, nothing };
  }
  const agents = agentsFor(context, work, options.agent);
  const isAsked = !agents.isNamed && !yes && options.dryRun !== true;
  let chosen: Promise<readonly string[]> | undefined;
  let picked: readonly string[] | undefined;
  const goesOn = (): boolean => picked !== undefined || (options.keepGoing ?? options.skipExisting) === true;
  const choosing: InstallRequest["chooseAgents"] = async (found) => {
    const stopping = found.filter((item) => item.state === "refused" && item.code !== "present");
    const isStopped = stopping.length > 0 && !(goesOn() && stopping.length < found.length);
    if (isStopped || !isAsked) return agents.ids;
    // Asked only once, however often the install is planned.
    chosen ??= narrowAgents(context, work, agents.ids, found);
    return chosen;
  };
  const request = { agentTargets: options.copy === true ? "copy" : "link", force } as const;
  const told = { verb: "Install", nothing: "There was nothing to install.", agents };
  if (options.import !== undefined) {
    const file = resolve(context.workspace, options.import);
    return { ...(await planImport(work, file, { ...request, agents: await choosing([]) })), ...told };
  }
  const choose = chooseOffers(context, work, source ?? "", (names) => {
    picked = names;
  });
  const wish: InstallRequest = {
    ...request,
    agents: agents.ids,
    chooseAgents: choosing,
    source: source ?? "",
    names: skill,
    all: options.all ?? false,
    link: options.link ?? false,
    ...present({ ref, as: name, choose }),
  };
  const { plan } = await withPickHint(context, source ?? "", () =>
    loadInstalling().planPart(wish, (one) => planRenamed(context, work, one)),
  );
  return { plan, pinned: [], picked, ...told };
}

export function checkOptions(options: InstallOptions): void {
  const { source, frozen, skill = [], all, copy, link, skillsLock, project, agent, discard } = options;
  const isImport = options.import !== undefined;
  const isNew = source !== undefined || isImport;
  const needsSource = (["ref", "name", "skill", "all", "list", "link"] as const).find(
    (name) => options[name] !== undefined,
  );
  const placing = agent === undefined ? "--copy" : "--agent";
  refuseUsage("install", [
    [source === "", "The source is empty; name one, or leave it out to install what the lock says."],
    [agent?.length === 0, "--agent names no agent; write it like --agent claude-code,codex."],
    [agent !== undefined && agent.length > 1 && agent.includes("none"), "--agent none stands alone."],
    [source !== undefined && isImport, "A source and --import cannot be combined."],
    [
      frozen === true && isNew,
      "--frozen installs what the lock says, so it cannot be combined with a source or --import.",
    ],
    [
      frozen === true && discard === true,
      "--frozen keeps edited files, so it cannot be combined with --discard.",
    ],
    [
      frozen === true && (options.keepGoing ?? options.skipExisting) === true,
      "--frozen installs all of the lock or nothing, so it takes neither --keep-going nor --skip-existing.",
    ],
    [options.user === true && isNew, "--user works only without a source."],
    [all === true && skill.length > 0, "--all and --skill cannot be combined."],
    [copy === true && link === true, "--copy and --link cannot be combined."],
    [skillsLock === true && project !== true, "--skills-lock writes into a project, so it needs --project."],
    [source === undefined && needsSource !== undefined, `--${needsSource} needs a source.`],
    [
      !isNew && (agent !== undefined || copy !== undefined),
      `${placing} needs a source or --import: without one, the lock says for which agents to install.`,
    ],
  ]);
  if (options.name !== undefined) checkNewName(options.name);
}

/** Adds `./` to a bare file name only: with a slash it could be a repository, which takes precedence. */
export function typedSource(text: string, { workspace }: Pick<CommandContext, "workspace">): string {
  const isBare = /^[^/\\:@~.-][^/\\:@]*\.(?:skill|zip|tar\.gz|tgz)$/i.test(text);
  if (!isBare) return text;
  const isFile = statSync(resolve(workspace, text), { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? `./${text}` : text;
}

/**
 * If nothing was found at a source, adds a hint: how to pick a skill from an address when its name was just
 * written after `@`, or how to name a folder that is here, because a repository takes precedence.
 */
export async function withPickHint<T>(
  { workspace }: Pick<CommandContext, "workspace">,
  source: string,
  plan: () => Promise<T>,
): Promise<T> {
  try {
    return await plan();
  } catch (error) {
    // Only after a lookup: an address that was refused earlier may contain a password and is not repeated.
    if (!SkilletError.isInstance(error) || !/^(?:git|http|index|host)-/.test(error.code)) throw error;
    const [, place, name = ""] = PICKED_ADDRESS.exec(source) ?? [];
    const isFolder = !/^[./~]|:/.test(source) && existsSync(resolve(workspace, source));
    const hint = isFolder
      ? ` For the folder of this name here, write ${shellArgument(`./${source}`)}.`
      : place &&
        ` To pick ${name} of an address, write ${shellArgument(`${place}#@${name}`)}, or pass --skill ${name}.`;
    throw new SkilletError(error.code, `${error.message}${hint ?? ""}`, { data: error.data, cause: error });
  }
}

const PICKED_ADDRESS = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^#@]*\/[^#@]*)@([\p{L}\p{N}_][\p{L}\p{N}._:-]*)$/u;

/** Lets the user choose from a source that contains several skills; undefined without a terminal. */
function chooseOffers(
  context: CommandContext,
  { signal, skills: registry }: HubWork,
  source: string,
  onPicked: (names: readonly string[]) => void,
): InstallRequest["choose"] {
  const { dialog } = context;
  if (dialog === undefined) return undefined;
  return async (offers, judge) => {
    const planned = new Map<OfferedItem, PlannedItem | RefusedItem>();
    // Skills that are elsewhere would have to be fetched first.
    const near = offers.filter(({ elsewhere }) => elsewhere === undefined).slice(0, MAX_SCANNED);
    for (const offer of near) {
      const one = await judge(offer).catch(onSkilletError(() => undefined));
      if (one !== undefined) planned.set(offer, one);
    }
    context.terminal.status();
    const title = `${source} holds ${heldWords(offers)}. Which ones?`;
    const here = await wordsHere(context, registry, offers, planned);
    const items = offers.map((offer) => {
      const { name, description } = offer;
      const one = planned.get(offer);
      const blocked = one?.state === "refused" && one.judged !== undefined ? ", blocked" : "";
      return { name, description, note: `${listingWords(offer, one, here.get(offer))}${blocked}` };
    });
    const indexes = (await pick(context.terminal, dialog, { title, items, signal })) ?? [];
    const picked = indexes.flatMap((index) => offers[index] ?? []);
    onPicked(picked.map(({ name }) => name));
    return picked;
  };
}
