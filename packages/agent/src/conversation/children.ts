import { aiSdk } from "@skillet/adapters/ai-sdk";
import type { ForkSession, Session } from "@skillet/core";
import { SkilletError } from "@skillet/core";
import { type ModelMessage, type Tool, type ToolSet, tool } from "ai";
import type { AgentEvent, TokenUse } from "../agent-event.ts";
import { checkedInput } from "../tools/checked-input.ts";
import type { AgentOptions } from "./agent-options.ts";
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
  run(
    child: ForkSession,
    options: { readonly task: string; readonly signal?: AbortSignal | undefined },
  ): Promise<string>;
}

const SUMMARY =
  "Do the task by yourself; you cannot ask. End with a summary for the agent that gave it to you: what you did, what you found, what is open. It sees nothing else.";

export function createChildren(
  {
    session,
    model,
    tools,
    onEvent = () => undefined,
  }: Pick<AgentOptions, "session" | "model" | "tools" | "onEvent">,
  {
    keep,
    onUse,
  }: { readonly keep: (line: TranscriptLine) => Promise<void>; readonly onUse: (use: TokenUse) => void },
): Children {
  let opened = 0;
  const run: Children["run"] = async (child, { task, signal }) => {
    opened += 1;
    const number = opened;
    const tell = (event: AgentEvent): void => onEvent({ ...event, child: number });
    tell({ type: "child", task });
    const skills = await aiSdk(child, { tools, instructions: SUMMARY });
    const message: ModelMessage = {
      role: "user",
      content: [child.activation?.text, child.context, task]
        .filter((part) => part !== undefined && part !== "")
        .join("\n\n"),
    };
    try {
      const { text, use } = await runSteps({
        ...{ model: typeof model === "function" ? model(number) : model, messages: [message] },
        ...{ settings: skills.settings, signal, onEvent: tell },
        onStep: (messages) => keep({ type: "step", child: number, messages }),
      });
      onUse(use);
      signal?.throwIfAborted();
      return await child.finish(text);
    } finally {
      await skills.close().finally(() => child.close());
    }
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
    execute: async ({ task, skills = [] }, { abortSignal: signal }) =>
      run(await openChild(session, { skills, tools }), { task, signal }),
  });
  return { delegate, run };
}

async function openChild(
  session: Session,
  { skills, tools }: { readonly skills: readonly string[]; readonly tools: ToolSet },
): Promise<ForkSession> {
  try {
    return await session.fork({ skills, tools: Object.keys(tools) });
  } catch (error) {
    // Names are the model's own: it is told which is wrong, and can try again.
    if (SkilletError.isInstance(error)) throw new Error(error.message);
    throw error;
  }
}
