import { existsSync } from "node:fs";
import { rmdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { HOOK_AGENTS, type HookAgent } from "@skillet/adapters/hooks";
import { resolveHome } from "@skillet/core";
import { blankJsonComments, detectAgents, suggestNames } from "@skillet/core/internal";
import {
  type EditRecord,
  type HookItems,
  isHookCommand,
  readSwitchRecords,
  type SwitchRecord,
  type SwitchStep,
  settingsStep,
  Uncertain,
} from "@skillet/hub";
import { undefinedOn } from "@skillet/kit/errors";
import { canonicalPath, isInside, readBoundedFile } from "@skillet/kit/files";
import { fieldOf, locateJson, parseJson, textOf } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";
import { CliError, didYouMean, onSkilletError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { changeLines } from "../hub/agent-changes.ts";
import { withHub } from "../hub/with-hub.ts";
import type { Terminal } from "../ui/terminal.ts";
import { hang, showPath, showSentence } from "../ui/text.ts";

type HookOptions = Flags<"yes" | "dryRun"> & { readonly agents: readonly string[] };

export const installHooks = (context: CommandContext, options: HookOptions): Promise<ExitCode> =>
  changeHooks(context, options, "hook");

export const removeHooks = (context: CommandContext, options: HookOptions): Promise<ExitCode> =>
  changeHooks(context, options, "unhook");

/** Shows the exact changes to agents' settings and makes them once approved; the undo is recorded first. */
async function changeHooks(
  context: CommandContext,
  { agents: ids, yes = false, dryRun = false }: HookOptions,
  action: "hook" | "unhook",
): Promise<ExitCode> {
  const { terminal, environment, json } = context;
  const agents = [...new Set(ids)].map(agentCalled);
  const places = { ...resolveHome(environment), environment };
  const found = new Set(detectAgents(places).map(({ id }) => id));
  return withHub(context, { dryRun }, async ({ hub, home }) => {
    const planned = await Promise.all(
      agents.map(async (agent) => ({
        agent,
        file: agent.settings(places),
        step: await planHooks(home, agent, context, action),
      })),
    );
    const steps = planned.flatMap(({ step }) => step ?? []);
    const isInstall = action === "hook";
    const report = (changed: "changed" | "dry-run" | "declined", last = ""): ExitCode => {
      const results = planned.map(({ agent: { id, title }, agent, file, step }) => {
        const absent = found.has(id) ? undefined : `${title} was not found on this machine.`;
        const problem = isInstall ? (hookState(context, agent).problem ?? absent) : undefined;
        const done = changed === "changed" ? (isInstall ? "installed" : "removed") : changed;
        return { agent: id, title, file, outcome: step === undefined ? "unchanged" : done, problem };
      });
      const lines = results.flatMap((result) => resultLines(result, isInstall, terminal));
      const exitCode = changed === "declined" ? 1 : 0;
      return answer(context, { results }, () => [...lines, ...hang(last, terminal)], exitCode);
    };
    if (steps.length === 0) return report("changed");
    if (!json) terminal.print(changeLines(steps, terminal));
    if (dryRun) return report("dry-run", "Nothing was changed: this was a dry run.");
    const files = planned.flatMap(({ file, step }) => (step === undefined ? [] : [file]));
    const shown = files.map((file) => showPath(file, environment)).join(" and ");
    const question = `Change ${shown}? \`skillet hook remove ${ids.join(" ")}\` takes it back.`;
    const isAgreed =
      action === "unhook" ||
      yes ||
      (await confirmChange(context, question, { details: { agents: ids, files } }));
    if (!isAgreed) return report("declined", "Nothing was changed.");
    await hub.applySwitch({ action, steps });
    if (action === "unhook") for (const file of files) await removeEmptyFolders(file, places.userHome);
    return report("changed");
  });
}

type HookResult = Readonly<
  Record<"agent" | "title" | "outcome", string> & Record<"problem", string | undefined>
>;

function resultLines(
  { agent, title, outcome, problem }: HookResult,
  isInstall: boolean,
  terminal: Terminal,
): readonly string[] {
  const { green, yellow } = terminal.colours;
  const next = problem ?? "Sessions that begin from now on have them.";
  const texts: Readonly<Record<string, string>> = {
    unchanged: `Skillet's hooks are ${isInstall ? "already" : "not"} installed in ${title}; nothing was changed. ${problem ?? ""}`,
    installed: `Hooks are installed in ${title}. ${next} To take them back: skillet hook remove ${agent}`,
    removed: `Hooks are removed in ${title}.`,
  };
  const mark = problem === undefined ? green("✓") : yellow("!");
  const lead = outcome === "unchanged" ? {} : { indent: 2, lead: `${mark} ` };
  return hang(showSentence(texts[outcome] ?? "", terminal.environment), terminal, lead);
}

/** Removes folders made for a hooks file: if they stayed, their agent would count as in use. */
async function removeEmptyFolders(file: string, userHome: string): Promise<void> {
  const folder = dirname(file);
  if (folder === userHome || !isInside(folder, userHome)) return;
  await rmdir(folder).catch(undefinedOn("ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"));
  await removeEmptyFolders(folder, userHome);
}

async function planHooks(
  home: string,
  agent: HookAgent,
  { environment }: CommandContext,
  action: "hook" | "unhook",
): Promise<SwitchStep | undefined> {
  const file = agent.settings({ ...resolveHome(environment), environment });
  const skill = `hooks of ${agent.id}`;
  const made = (await readSwitchRecords(home)).find(
    (one): one is Extract<SwitchRecord, EditRecord> =>
      one.kind === "edit" && one.skill === skill && one.file === file,
  );
  const record: Extract<SwitchRecord, EditRecord> = {
    kind: "edit",
    skill,
    agents: [agent.id],
    file,
    names: [],
    skillFile: file,
    changes: [],
    hooks: { agent: agent.id, ...hooksOf(agent), empty: agent.empty ?? "{}\n" },
  };
  try {
    if (action === "unhook") return settingsStep(made ?? record, undefined, false);
    const step = settingsStep(record, undefined, true);
    // Replaces what an earlier version wrote; a removal then undoes both changes.
    if (step?.record.kind !== "edit" || made === undefined) return step;
    const changes = [...made.changes, ...step.record.changes];
    return { ...step, record: { ...step.record, changes, ...(made.created && { created: true }) } };
  } catch (error) {
    if (!(error instanceof Uncertain)) throw error;
    throw new CliError("settings-unclear", `${file} is not edited: ${error.message}.`, {
      hints: ["Repair the file, and run the command again."],
      details: { file },
    });
  }
}

/** Uses absolute paths: a project's folder must not decide which program is started. */
function hooksOf(agent: HookAgent): Pick<HookItems, "items" | "plugin"> {
  const { item } = agent;
  const find = createRequire(import.meta.url).resolve;
  const command = [process.execPath, find("../bin/load-bundle.cjs"), agent.id].map(shellArgument).join(" ");
  if (item === undefined) return { items: {}, plugin: pluginOf(command, find("../bin/opencode-plugin.mjs")) };
  const events = Object.keys(agent.events);
  return {
    items: Object.fromEntries(
      events.map((event) => [event, JSON.stringify(item(event, `${command} ${shellArgument(event)}`))]),
    ),
  };
}

const pluginOf = (
  command: string,
  file: string,
): string => `// To take this away: skillet hook remove opencode
// It runs: ${command} EVENT
import { createPlugin } from ${JSON.stringify(file)};

export const Skillet = createPlugin(${JSON.stringify(process.execPath)});
`;

function agentCalled(id: string): HookAgent {
  const agent = HOOK_AGENTS.find((one) => one.id === id);
  if (agent !== undefined) return agent;
  const ids = HOOK_AGENTS.map((one) => one.id);
  throw new CliError("agent-unknown", `There are no hooks for an agent called ${id}.`, {
    hints: didYouMean(suggestNames(id, ids), `There are for ${ids.join(", ")}.`),
    details: { agent: id },
  });
}

interface HookStatus {
  readonly agent: string;
  readonly title: string;
  readonly file: string;
  readonly state: "installed" | "incomplete" | "not installed" | "broken" | "unreadable";
  readonly problem?: string;
}

const PROBLEMS: Readonly<Partial<Record<HookStatus["state"], string>>> = {
  broken: "PATH is gone; install the hooks again",
  incomplete: "some events are missing; install the hooks again",
};

const MAX_SETTINGS_BYTES = 1024 * 1024;

/** Reports which agents have the hooks, and what keeps them from being run. */
export function hookStates(context: CommandContext): readonly HookStatus[] {
  return HOOK_AGENTS.map((agent) => hookState(context, agent));
}

function hookState(context: CommandContext, agent: HookAgent): HookStatus {
  const { environment } = context;
  const { id, title } = agent;
  const file = agent.settings({ ...resolveHome(environment), environment });
  const text = readText(file) ?? "";
  const read = locateJson(blankJsonComments(text));
  if (agent.item !== undefined && "fault" in read && text.trim() !== "") {
    const { problem, range } = read.fault;
    const fault = `line ${range.line}: ${problem}, so ${title} may not read it; repair the file`;
    return { agent: id, title, file, state: "unreadable", problem: fault };
  }
  const settings = readSettings(file);
  const lists = agent.item
    ? Object.keys(agent.events).map((event) => commandsOf(fieldOf(fieldOf(settings, "hooks"), event)))
    : [text.split(/^(?=import )/m)];
  const events = lists.map((commands) => commands.filter((command) => isHookCommand(command, id)));
  const own = events.flat();
  const missing = own
    .flatMap((command) =>
      Array.from(command.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? ""),
    )
    .find((word) => word.startsWith("/") && !existsSync(word));
  const isWhole = events.every(({ length }) => length > 0);
  const state =
    own.length === 0 ? "not installed" : missing ? "broken" : isWhole ? "installed" : "incomplete";
  const problem =
    state === "installed"
      ? (turnedOff(context, agent, file) ?? (isReviewed(agent, file) ? undefined : toReview(agent)))
      : PROBLEMS[state]?.replace("PATH", missing ?? "");
  return { agent: id, title, file, state, ...(problem !== undefined && { problem }) };
}

// The agent may know its folder by another path.
const isReviewed = (agent: HookAgent, file: string): boolean =>
  [file, canonicalPath(file)].some(
    (path) => agent.isReviewed?.(path, (other) => readText(other) ?? "") ?? true,
  );

const toReview = ({ title }: HookAgent): string =>
  `${title} skips them until you trust them there: start it once, and say yes when it asks.`;

const readSettings = (file: string): unknown => parseJson(blankJsonComments(readText(file) ?? ""));

function readText(file: string): string | undefined {
  try {
    const bytes = readBoundedFile(file, { maxBytes: MAX_SETTINGS_BYTES });
    return bytes && new TextDecoder().decode(bytes);
  } catch (error) {
    return onSkilletError(() => undefined)(error);
  }
}

/** Some agents nest the command in a group, others list it directly. */
function commandsOf(list: unknown): readonly string[] {
  const groups: readonly unknown[] = Array.isArray(list) ? list : [];
  const hooks = groups.flatMap((group) => fieldOf(group, "hooks") ?? group);
  return hooks.flatMap((hook) => textOf(hook, "command") ?? textOf(hook, "bash") ?? []);
}

// Claude Code starts hooks with the variables from its settings.
const TURN_OFF = [
  ...["disableAllHooks", "hooksConfig.enabled"],
  ...["SKILLET_HOME", "HOME", "NODE_OPTIONS", "CLAUDE_CONFIG_DIR"].map((name) => `env.${name}`),
];

/** Returns the setting that stops an agent from running its hooks; the nearest file that has it decides. */
function turnedOff(context: CommandContext, agent: HookAgent, own: string): string | undefined {
  const project = agent.id === "claude-code" ? openWorkspace(context).project?.root : undefined;
  const local = project === undefined ? [] : ["settings.local.json", "settings.json"];
  const files = [...local.map((name) => join(project ?? "", ".claude", name)), own];
  for (const path of TURN_OFF) {
    const valueIn = (file: string): unknown => path.split(".").reduce(fieldOf, readSettings(file));
    const file = files.find((one) => valueIn(one) !== undefined);
    if (file !== undefined && Boolean(valueIn(file)) !== path.endsWith(".enabled"))
      return `${showPath(file, context.environment)} sets ${path}, so ${agent.title} does not run them here.`;
  }
  return undefined;
}

export async function showHooks(context: CommandContext): Promise<ExitCode> {
  const states = hookStates(context);
  const { terminal, environment } = context;
  const { colours } = terminal;
  return answer(context, { agents: states }, () =>
    states.flatMap(({ title, file, state, problem }) => {
      const done = state === "installed" ? colours.green("✓") : colours.dim("○");
      const mark = problem === undefined ? done : colours.yellow("!");
      const text = `${title}: ${state}${state === "not installed" ? "" : ` in ${showPath(file, environment)}`}${problem === undefined ? "" : `; ${problem}`}`;
      return hang(showSentence(text, environment), terminal, { indent: 2, lead: `${mark} ` });
    }),
  );
}
