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

/** Sub-agents: each has a window and records of its own, and gives back a summary alone. */
export interface Children {
  readonly delegate: Tool<DelegateInput, string>;
  /** Runs a child that is open, such as the one of a skill with `context: fork`, and closes it. */
  run(child: ForkSession, work: Work): Promise<string>;
  /** A person said something: what they want may take as many children again. */
  beginTurn(): void;
}

interface Work {
  readonly task: string;
  readonly signal?: AbortSignal | undefined;
}

const SUMMARY =
  "Do the task by yourself; you cannot ask. End with a summary for the agent that gave it to you: what you did, what you found, what is open. It sees nothing else.";

// Each is a conversation of its own that costs as much: a model that delegates in a loop must end by itself.
const MAX_CHILDREN_A_TURN = 32;
const MAX_AT_ONCE = 8;

export function createChildren(
  options: Pick<AgentOptions, "session" | "model" | "tools" | "onEvent">,
  given: {
    readonly keep: (line: TranscriptLine) => Promise<void>;
    readonly onUse: (use: TokenUse) => void;
    /** How many an earlier process has begun. */
    readonly before: number;
  },
): Children {
  const { session, model, tools, onEvent = () => undefined } = options;
  const { keep, onUse } = given;
  let begun = given.before;
  let ofTurn = 0;
  let running = 0;
  const waiting: (() => void)[] = [];
  /** In the order of the calls, however long each takes to open: a replay finds its answers by it. */
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
    // Names are the model's own: it is told which is wrong, and can try again.
    if (SkilletError.isInstance(error)) throw new Error(error.message);
    throw error;
  }
}
