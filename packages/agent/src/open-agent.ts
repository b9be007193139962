import { type AiSdkSkills, aiSdk } from "@skillet/adapters/ai-sdk";
import { SkilletError } from "@skillet/core";
import type { ModelMessage } from "ai";
import type { Agent, AgentEvent, AgentOptions, TokenUse, Turn } from "./conversation/agent-options.ts";
import { type Children, createChildren } from "./conversation/children.ts";
import { MAX_STEPS, NO_TOKENS, runSteps, type StepsResult, sumTokens } from "./conversation/run-steps.ts";
import type { OpenTranscript } from "./conversation/transcript.ts";

const INSTRUCTIONS =
  "You are an agent that works in a folder of the user's, with tools to read and change files, to run commands and to use skills. Do what is asked, check it, and say briefly what you did.";
const SUMMARISE =
  "Summarise this conversation for yourself, so that you can go on without it: what the user wants, what was done and found, with names of files, what is decided, and what is open. Only the summary.";
const GO_ON = "Go on with the task from where the summary ends.";
const DEFAULT_WINDOW = 200_000;
// The share of the context window from which the conversation is compacted.
const FULL = 0.8;

/**
 * Opens the reference agent: a loop on the AI SDK with skills, and only what the adapter offers everyone.
 *
 * @example
 * const agent = await openAgent({ session, model, tools: fileTools });
 * const { text } = await agent.send("Which licence do we use?");
 */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  try {
    return await startAgent(options);
  } catch (error) {
    await options.session.close().finally(() => options.transcript?.close());
    throw error;
  }
}

async function startAgent(options: AgentOptions): Promise<Agent> {
  const { session, model, tools, transcript, contextWindow = DEFAULT_WINDOW } = options;
  const onEvent = options.onEvent ?? (() => undefined);
  const keep: OpenTranscript["keep"] = transcript?.keep ?? (async () => undefined);
  const earlier = transcript?.earlier;
  let messages: ModelMessage[] = [...(earlier?.messages ?? [])];
  const said: string[] = [...(earlier?.said ?? [])];
  let use: TokenUse = NO_TOKENS;
  const children = createChildren(options, {
    keep,
    before: earlier?.children.length ?? 0,
    onUse: (more) => {
      use = sumTokens(use, more);
    },
  });
  const all = { ...tools, delegate: children.delegate };
  const instructions = options.instructions ?? INSTRUCTIONS;
  let opened: Promise<AiSdkSkills<typeof all>> | undefined;
  // Opened with the first message, which decides what a full list leaves out; asks for missing dependencies.
  const skillsOf = (message?: string): Promise<AiSdkSkills<typeof all>> => {
    opened ??= aiSdk(session, {
      tools: all,
      instructions,
      dependencies: "ask",
      conversation: message === undefined ? said : [...said, message],
      toolbox: { onFork: (child, { signal }) => children.run(child, { task: "", signal }) },
    }).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const alone = [instructions, ...session.startContext].join("\n\n");
  const own = typeof model === "function" ? model(undefined) : model;
  const context = [...(await preloaded(options, onEvent))];
  for (const { name, text } of options.reactivated ?? []) {
    onEvent({ type: "notice", text: `${name} has changed since then, and was loaded again.` });
    context.push(text);
  }
  const maxInput = contextWindow * FULL;

  const compact: Agent["compact"] = async ({ signal } = {}) => {
    const { text, ending, ...ended } = await runSteps({
      // As text: some providers refuse tool calls in a request that offers no tools.
      messages: [{ role: "user", content: `${SUMMARISE}\n\n${toSummarise(messages, contextWindow)}` }],
      model: own,
      settings: {},
      signal,
      onStep: async () => undefined,
      onEvent: () => undefined,
    });
    use = sumTokens(use, ended.use);
    if (ending === "interrupted") return;
    // An empty summary would lose the whole conversation.
    if (text.trim() === "")
      throw new SkilletError(
        "model-failed",
        "The model gave no summary, so the conversation stays as it is.",
      );
    const restored = await (await skillsOf()).compacted();
    const count = messages.length;
    messages = [
      { role: "user", content: `Summary of the conversation so far:\n\n${text}` },
      ...(restored ? [restored] : []),
    ];
    await keep({ type: "compacted", messages });
    onEvent({ type: "compacted", messages: count });
  };
  const answer = async (signal: AbortSignal | undefined): Promise<StepsResult> => {
    const { settings: given } = await skillsOf();
    const settings = options.catalog === false ? { ...given, instructions: alone, system: alone } : given;
    for (let maxSteps = MAX_STEPS; ; ) {
      const done = MAX_STEPS - maxSteps;
      // The turn goes on after a summary: a new turn would lift the narrowing by its skills.
      const prepareStep: typeof settings.prepareStep = (step) =>
        settings.prepareStep({ ...step, stepNumber: step.stepNumber + done });
      const ended = await runSteps({
        model: own,
        messages,
        settings: { ...settings, prepareStep },
        signal,
        onEvent,
        maxInput,
        maxSteps,
        onStep: async (added) => {
          messages.push(...added);
          await keep({ type: "step", messages: added });
        },
      });
      use = sumTokens(use, ended.use);
      maxSteps -= ended.steps;
      if (ended.ending !== "full") return ended;
      await compact({ signal });
      const goOn: ModelMessage = { role: "user", content: GO_ON };
      messages.push(goOn);
      await keep({ type: "step", messages: [goOn] });
    }
  };
  let isFull = false;
  return {
    send: async (message, { signal } = {}): Promise<Turn> => {
      use = NO_TOKENS;
      children.beginTurn();
      const skills = await skillsOf(message);
      if (isFull) await compact({ signal });
      await skills.refresh();
      const parts = await skillsFor(options, { message, children, signal, onEvent });
      const content = [...context.splice(0), ...parts, message].join("\n\n");
      const added: ModelMessage = { role: "user", content };
      said.push(message);
      messages.push(added);
      await keep({ type: "said", text: message, messages: [added] });
      const { text, ending, lastInput } = await answer(signal);
      isFull = lastInput > maxInput;
      onEvent({ type: "tokens", use });
      return { text, isInterrupted: ending === "interrupted", isUnfinished: ending === "unfinished", use };
    },
    compact,
    close: async () => {
      try {
        await (await opened)?.close();
      } finally {
        await session.close().finally(() => transcript?.close());
      }
    },
  };
}

// Assumes three characters per token, with room for the summary. Cuts the middle: mostly old tool results.
function toSummarise(messages: readonly ModelMessage[], contextWindow: number): string {
  const text = JSON.stringify(messages);
  const most = Math.floor(contextWindow * 3 * FULL);
  if (text.length <= most) return text;
  return `${text.slice(0, most / 4)}\n(…)\n${text.slice((-3 * most) / 4)}`;
}

/** The operator's skills, in order and without duplicates; a skill that cannot be loaded is an error. */
async function preloaded(
  { session, preload = [], transcript }: AgentOptions,
  onEvent: (event: AgentEvent) => void,
): Promise<readonly string[]> {
  if (transcript?.earlier !== undefined || preload.length === 0) return [];
  await session.askForDependencies(preload);
  const texts: string[] = [];
  for (const name of new Set(preload)) {
    const { text, name: loaded } = await session.activate(name, { source: "preload" });
    onEvent({ type: "skill", name: loaded, by: "preload" });
    texts.push(text);
  }
  return texts;
}

/**
 * Loads skills for a user's message: those it names, else those that local selection is sure of. If selection
 * is unsure, the model gets a line about the candidates and decides.
 */
async function skillsFor(
  { session, catalog = true }: AgentOptions,
  given: {
    readonly message: string;
    readonly children: Children;
    readonly signal: AbortSignal | undefined;
    readonly onEvent: (event: AgentEvent) => void;
  },
): Promise<readonly string[]> {
  const { message, children, signal, onEvent } = given;
  const { skills: named, diagnostics } = session.mentions(message);
  for (const { message: text } of diagnostics) onEvent({ type: "notice", text });
  const texts: string[] = [];
  const load = async (name: string, by: "message" | "selection", words?: string): Promise<void> => {
    const source = by === "message" ? "user" : "model";
    const skill = session.snapshot.skills.find(({ qualifiedName }) => qualifiedName === name);
    const how = { source, signal, ...(words !== undefined && words !== "" && { arguments: words }) } as const;
    try {
      if (skill?.manifest.execution.context === "fork") {
        const child = await session.fork({ activate: name, ...how });
        onEvent({ type: "skill", name, by });
        const summary = await children.run(child, { task: message, signal });
        texts.push(`The skill ${name} was carried out in a sub-agent. Its summary:\n\n${summary}`);
        return;
      }
      const { text, duplicate } = await session.activate(name, how);
      if (!duplicate) onEvent({ type: "skill", name, by });
      texts.push(text);
    } catch (error) {
      if (!SkilletError.isInstance(error) || signal?.aborted === true) throw error;
      onEvent({ type: "notice", text: `${name} was not loaded: ${error.message}` });
    }
  };
  for (const { skill, mention } of named)
    await load(skill.qualifiedName, "message", message.slice(mention.end).trim());
  if (named.length > 0 || !catalog) return texts;
  const { activate, suggest } = await session.decide(message, { signal });
  for (const { skill } of activate) await load(skill.qualifiedName, "selection");
  if (activate.length === 0 && suggest.length > 0) {
    const hints = suggest
      .slice(0, 3)
      .map(({ skill, score }) => `${skill.qualifiedName} (${Math.round(score * 100)} %)`);
    texts.push(`(Skills that may fit: ${hints.join(", ")}. Load one if it does.)`);
  }
  return texts;
}
