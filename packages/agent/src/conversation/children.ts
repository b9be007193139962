import { aiSdk, type LoopSkills } from "@skillet/adapters/ai-sdk";
import type { ForkSession, Session } from "@skillet/core";
import { SkilletError } from "@skillet/core";
import { type Tool, tool } from "ai";
import { checkedInput } from "../tools/checked-input.ts";
import type { AgentEvent, AgentOptions, TokenUse } from "./agent-options.ts";
import { runSteps } from "./run-steps.ts";
import type { TranscriptLine } from "./transcript.ts";

interface DelegateInput {
  readonly task: string;
  readonly skills?: readonly string[];
}

/** Sub-agents: each has its own context window and records, and returns only a summary. */
export interface Children {
  readonly delegate: Tool<DelegateInput, string>;
  /** Runs an open child, such as that of a skill with `context: fork`, and closes it. */
  run(child: ForkSession, work: Work): Promise<string>;
  /** The user sent a message: resets the limit of children per turn. */
  beginTurn(): void;
}

interface Work {
  readonly task: string;
  readonly signal?: AbortSignal | undefined;
}

const SUMMARY =
  "Do the task by yourself; you cannot ask. End with a summary for the agent that gave it to you: what you did, what you found, what is open. It sees nothing else.";

// A child costs as much as a conversation: a model that delegates in a loop must be stopped.
const MAX_CHILDREN_A_TURN = 32;
const MAX_AT_ONCE = 8;

export function createChildren(
  options: Pick<AgentOptions, "session" | "model" | "tools" | "onEvent">,
  given: {
    readonly keep: (line: TranscriptLine) => Promise<void>;
    readonly onUse: (use: TokenUse) => void;
    /** How many children earlier processes of this conversation have begun. */
    readonly before: number;
  },
): Children {
  const { session, model, tools, onEvent = () => undefined } = options;
  const { keep, onUse } = given;
  let begun = given.before;
  let ofTurn = 0;
  let running = 0;
  const waiting: (() => void)[] = [];
  /** Numbers follow the order of the calls, not of opening: a replay finds its answers by number. */
  const begin = (): number => {
    if (ofTurn >= MAX_CHILDREN_A_TURN)
      throw new Error(`${ofTurn} sub-agents have worked on this message. Do the rest yourself.`);
    ofTurn += 1;
    begun += 1;
    return begun;
  };
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
  const work = async (child: ForkSession, number: number, { task, signal }: Work): Promise<string> => {
    const tell = (event: AgentEvent): void => onEvent({ ...event, child: number });
    let skills: LoopSkills | undefined;
    try {
      tell({ type: "child", task });
      const { settings, ...loop } = await aiSdk(child, { tools, instructions: SUMMARY });
      skills = loop;
      const content = [child.activation?.text, child.context, task]
        .filter((part) => part !== undefined && part !== "")
        .join("\n\n");
      const { text, use, ending } = await runSteps({
        model: typeof model === "function" ? model(number) : model,
        settings,
        signal,
        onEvent: tell,
        messages: [{ role: "user", content }],
        onStep: (messages) => keep({ type: "step", child: number, messages }),
      });
      onUse(use);
      signal?.throwIfAborted();
      return await child.finish(ending === "answered" ? text : `${text}\n\n(It did not finish.)`);
    } finally {
      await Promise.resolve(skills?.close()).finally(() => child.close());
    }
  };
  const start = async (open: () => Promise<ForkSession>, how: Work): Promise<string> => {
    const number = begin();
    return inTurn(async () => work(await open(), number, how));
  };
  const delegate = tool({
    description:
      "Gives a task to a sub-agent with its own context; you get its summary. Several at once run side by side. Name the skills that it needs.",
    inputSchema: checkedInput<DelegateInput>(
      {
        task: {
          type: "string",
          description: "Everything that it must know: it sees nothing of this conversation.",
        },
        skills: { type: "array", items: { type: "string" } },
      },
      ["task"],
    ),
    execute: ({ task, skills = [] }, { abortSignal: signal }) =>
      start(() => openChild(session, { skills, tools: Object.keys(tools) }), { task, signal }),
  });
  return {
    delegate,
    beginTurn: () => {
      ofTurn = 0;
    },
    run: (child, how) => start(async () => child, how).finally(() => child.close()),
  };
}

async function openChild(
  session: Session,
  { skills, tools }: { readonly skills: readonly string[]; readonly tools: readonly string[] },
): Promise<ForkSession> {
  try {
    return await session.fork({ skills, scripts: "inherit", tools: [...tools, "run_skill_script"] });
  } catch (error) {
    // The model made up the names: tell it which one is wrong, so that it can try again.
    if (SkilletError.isInstance(error)) throw new Error(error.message);
    throw error;
  }
}
