import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import type { Agent, AgentEvent, Turn } from "@skillet/agent";
import {
  type Activation,
  type PolicyMode,
  resolveHome,
  type ScriptRunner,
  type Session,
  type Skills,
} from "@skillet/core";
import type { ModelSettings } from "@skillet/kit/chat";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { present } from "@skillet/kit/json";
import { askPerson } from "../agent/ask-person.ts";
import { readMessage } from "../agent/read-message.ts";
import { createEventScreen } from "../agent/show-event.ts";
import { CliError, refuseUsage } from "../context/cli-error.ts";
import {
  answer,
  type CommandContext,
  type ExitCode,
  Interruption,
  type Lists,
  type Texts,
} from "../context/command-context.ts";
import { readModelSettings } from "../context/open-workspace.ts";
import { openRegistryWithPlugins } from "../hub/with-hub.ts";
import { loadAgent, loadRunning } from "../load-beside.ts";
import { count } from "../ui/text.ts";

interface AgentCommandOptions
  extends Texts<"task" | "prompt" | "cwd" | "profile" | "resume" | "replay" | "records">,
    Lists<"skill" | "allowTool" | "allowSkillScript"> {
  readonly mode?: PolicyMode;
  readonly skillCatalog?: boolean;
}

const SCRIPT_TOOL = "run_skill_script";
const CONVERSATION = "conversation.jsonl";

/** Gives the reference agent a task, or holds a conversation with it on the terminal. */
export async function agent(given: CommandContext, options: AgentCommandOptions): Promise<ExitCode> {
  // The paths in tool calls are canonical, too.
  const context: CommandContext = { ...given, workspace: canonicalPath(given.workspace) };
  const { prompt, task = prompt, replay, resume, records } = options;
  const { allowTool = [], allowSkillScript = [], skill = [] } = options;
  const { dialog } = context;
  const isTalk = task === undefined && replay === undefined;
  refuseUsage("agent", [
    [prompt !== undefined && options.task !== undefined, "Give the task once, not also with --prompt."],
    [
      allowSkillScript.length > 0 && !allowTool.includes(SCRIPT_TOOL),
      `--allow-skill-script also needs --allow-tool ${SCRIPT_TOOL}.`,
    ],
    [resume !== undefined && skill.length > 0, "With --resume, name the skill in a message."],
    [resume !== undefined && records !== undefined, "--resume keeps its own folder; leave --records out."],
    [isTalk && dialog === undefined, "Without a terminal, pass a task."],
  ]);
  // Otherwise the SDK prints warnings among the agent's output, for example about models newer than the SDK.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const { openAgent, openModel, openTranscript, readTranscript, replayModel } = loadAgent();
  const recorded = replay === undefined ? undefined : readTranscript(resolve(context.workspace, replay));
  const model = recorded === undefined ? openModel(await chooseModel(context)) : undefined;
  const skills = await openRegistryWithPlugins(context);
  const folder = runFolder(context, options);
  const transcript = await openTranscript(join(folder, CONVERSATION));
  const { session, tools, reactivated } = await openSession(context, options, { skills, folder }).catch(
    async (error: unknown) => {
      await transcript.close();
      throw error;
    },
  );
  const { agent: config } = skills.config.config;
  const screen = createEventScreen(context, config.prices);
  const events: AgentEvent[] = [];
  const own = recorded && replayModel(recorded.answers);
  const opened = await openAgent({
    session,
    tools,
    contextWindow: config.contextWindow,
    transcript,
    preload: skill,
    reactivated,
    catalog: options.skillCatalog !== false,
    model:
      model ??
      ((child) =>
        (child === undefined || own === undefined
          ? own
          : replayModel(recorded?.children[child - 1] ?? [])) as never),
    onEvent: context.json ? (event) => events.push(event) : screen.show,
  });
  try {
    const messages = task === undefined ? (recorded?.said ?? []) : [task];
    let turn: Turn | undefined;
    for (const message of messages)
      turn = await interruptible(context, screen.end, (signal) => opened.send(message, { signal }));
    const { said = [] } = transcript.earlier ?? {};
    if (isTalk && said.length > 0)
      screen.show({
        type: "notice",
        text: `Going on after ${count(said.length, "message")}; the last: ${said.at(-1)}`,
      });
    if (isTalk) await talk(context, { agent: opened, session, folder, end: screen.end });
    if (turn === undefined) return 0;
    const { use: tokens, isInterrupted, isUnfinished, text } = turn;
    const shown = events.filter(({ type }) => type !== "text");
    const document = { text, run: folder, tokens, isInterrupted, isUnfinished, events: shown };
    return answer(context, document, () => [], isInterrupted ? 130 : isUnfinished ? 1 : 0);
  } finally {
    await opened.close();
  }
}

/** Returns the folder of the conversation and its records: a new one, or that of an earlier conversation. */
function runFolder(
  { environment, workspace }: CommandContext,
  { resume, records }: AgentCommandOptions,
): string {
  const { home } = resolveHome(environment);
  const runs = join(home, "runs");
  if (records !== undefined) return resolve(workspace, records);
  if (resume === undefined) {
    const moment = new Date().toISOString().replaceAll(/[-:]/g, "").replace(/\..*/, "");
    return join(runs, `${moment}-${randomBytes(3).toString("hex")}`);
  }
  const found = [
    resume === "last" ? lastOf(runs) : undefined,
    join(runs, basename(resume)),
    resolve(workspace, resume),
  ].find((place) => place !== undefined && hasConversation(place));
  if (found === undefined)
    throw new CliError("run-not-found", `There is no conversation ${resume}.`, {
      hints: [`Conversations are in ${runs}; the newest: --resume last`],
    });
  return found;
}

function hasConversation(place: string): boolean {
  const status = statSync(join(place, CONVERSATION), { throwIfNoEntry: false });
  // A conversation in which nothing was said cannot be resumed.
  return status?.isFile() === true && status.size > 0;
}

function lastOf(runs: string): string | undefined {
  const names = statSync(runs, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(runs);
  // Folder names begin with the time.
  const last = names.sort().findLast((name) => hasConversation(join(runs, name)));
  return last === undefined ? undefined : join(runs, last);
}

async function openSession(
  context: CommandContext,
  options: AgentCommandOptions,
  { skills, folder }: { readonly skills: Skills; readonly folder: string },
): Promise<{
  readonly session: Session;
  readonly tools: never;
  readonly reactivated?: readonly Activation[];
}> {
  const { commandTool, createPermissions, fileTools } = loadAgent();
  const { mode, profile, resume, allowTool = [], allowSkillScript: allow = [] } = options;
  const { workspace } = context;
  const start = startFolder(workspace, options.cwd);
  const ask = mode === "locked" ? undefined : askPerson(context);
  const rules = allowTool.filter((rule) => rule !== SCRIPT_TOOL);
  const permissions = createPermissions({ allow: rules, workspace, ...(ask && { ask }) });
  const runner = await openRunner(context, { home: skills.home, workspace });
  const scripts: ScriptRunner | undefined =
    allow.length === 0
      ? undefined
      : loadRunning().createScriptRunner({ allow, network: [], writable: [], home: skills.home });
  const how = present({
    mode,
    profile,
    ask: permissions.ask,
    interactive: ask !== undefined,
    runner: scripts,
    projectDirectory: workspace,
    hostTools: ["delegate"],
    hooks: loadRunning().createHookStarter({ home: skills.home }),
  });
  const { session, ...resumed } =
    resume === undefined
      ? { session: await skills.session({ ...how, records: folder, runId: basename(folder) }) }
      : await skills.resume(folder, { ...how, onDrift: ask === undefined ? "fail" : "reload" });
  const place = { workspace, start, permissions };
  const { Read, ...writing } = fileTools(place);
  const { runId } = session;
  const tools =
    session.mode === "plan" ? { Read } : { Read, ...writing, ...commandTool({ ...place, runner, runId }) };
  return { ...resumed, session, tools: tools as never };
}

function startFolder(workspace: string, cwd = "."): string {
  const start = canonicalPath(resolve(workspace, cwd));
  if (isInside(start, workspace) && statSync(start, { throwIfNoEntry: false })?.isDirectory() === true)
    return start;
  throw new CliError("folder-missing", `${cwd} is not a folder in the workspace ${workspace}.`, {
    hints: [isAbsolute(cwd) ? "Pass another --workspace." : "Pass a folder that is there."],
  });
}

/** Runs commands in the system's sandbox. If there is none, warns and runs them without one. */
async function openRunner(
  { terminal }: CommandContext,
  { home, workspace }: { readonly home: string; readonly workspace: string },
): Promise<ScriptRunner> {
  const choice = { allow: [], network: [], writable: [workspace], home };
  const { createScriptRunner } = loadRunning();
  const sandboxed = createScriptRunner(choice);
  const probe = await sandboxed.probe();
  if (probe.ok) return sandboxed;
  terminal.warn(`Commands run without a sandbox here: ${probe.reason}`);
  return createScriptRunner({ ...choice, sandbox: "none" });
}

async function interruptible(
  context: CommandContext,
  end: () => void,
  action: (signal: AbortSignal) => Promise<Turn | undefined>,
): Promise<Turn | undefined> {
  const interruption = new Interruption(context);
  try {
    return await action(interruption.signal);
  } catch (error) {
    if (!interruption.explains(error)) throw error;
    return { text: "", isInterrupted: true, isUnfinished: false, use: { input: 0, cached: 0, output: 0 } };
  } finally {
    interruption.release();
    end();
  }
}

async function talk(
  context: CommandContext,
  given: {
    readonly agent: Agent;
    readonly session: Session;
    readonly folder: string;
    readonly end: () => void;
  },
): Promise<void> {
  const { agent, session, folder, end } = given;
  const { dialog, terminal } = context;
  if (dialog === undefined) return;
  terminal.warn("Ctrl-C stops an answer; /compact shortens the conversation; /exit or Ctrl-D ends it.");
  const history: string[] = [];
  for (;;) {
    const message = await readMessage(dialog, { session, history });
    if (message === undefined || message === "/exit") break;
    if (message === "") continue;
    try {
      const turn = await interruptible(context, end, async (signal) => {
        if (message !== "/compact") return agent.send(message, { signal });
        await agent.compact({ signal });
        return undefined;
      });
      if (turn?.isInterrupted === true) terminal.warn("Stopped.");
    } catch (error) {
      // The model's server failed; the user can try again in the same conversation.
      if ((error as { readonly code?: unknown }).code !== "model-failed") throw error;
      terminal.warn(`! ${(error as Error).message}`);
    }
  }
  terminal.warn(`To go on later: skillet agent --resume ${basename(folder)}`);
}

const PROVIDERS = [
  { protocol: "anthropic", prefix: "ANTHROPIC", endpoint: "https://api.anthropic.com/v1" },
  { protocol: "openai", prefix: "OPENAI", endpoint: "https://api.openai.com/v1" },
] as const;

/** Returns the model from the user's own config, or else from the variables that other agents read, too. */
async function chooseModel(
  context: CommandContext,
): Promise<ModelSettings & { readonly protocol: "openai" | "anthropic" }> {
  const { environment } = context;
  const configured = await readModelSettings(context, "agent.model");
  if (configured !== undefined) return { protocol: "openai", ...configured };
  for (const { protocol, prefix, endpoint } of PROVIDERS) {
    const [apiKey, model] = [environment[`${prefix}_API_KEY`] ?? "", environment[`${prefix}_MODEL`] ?? ""];
    const base = environment[`${prefix}_BASE_URL`] ?? "";
    if (apiKey === "" && base === "") continue;
    if (model === "")
      throw noModel(`${prefix}_API_KEY is set, but not which model to ask.`, [
        `Set ${prefix}_MODEL to its name, or: skillet config set agent.model.model NAME`,
      ]);
    return {
      protocol,
      model,
      endpoint: base === "" ? endpoint : withVersion(base),
      ...(apiKey !== "" && { apiKey }),
    };
  }
  throw noModel("The agent needs a model, and none is configured.", [
    "With a key: set ANTHROPIC_API_KEY and ANTHROPIC_MODEL, or OPENAI_API_KEY and OPENAI_MODEL.",
    "With a server of your own, for example:",
    "  skillet config set agent.model.endpoint http://127.0.0.1:11434/v1",
    "  skillet config set agent.model.model qwen3",
    "Without a model, a recorded conversation can be played again: --replay FILE",
  ]);
}

const noModel = (message: string, hints: readonly string[]): CliError =>
  new CliError("agent-model-not-configured", message, { hints });

// These variables usually lack the version, because that is what the vendors' own libraries expect.
function withVersion(base: string): string {
  return /\/v\d+\/?$/.test(base) ? base : `${base.replace(/\/$/, "")}/v1`;
}
