import { describe } from "vitest";
import { openaiAgents } from "../../packages/adapters/src/openai-agents.ts";
import type { Step } from "../examples/scripted-model.ts";
import { type Conversation, contract, type SeenRequest, type StartOptions } from "./contract.ts";
import { isInstalled, isNode22, loadSdk } from "./sdk-packages.ts";

interface Interruption {
  readonly rawItem: { readonly name: string; readonly callId: string };
}

interface Result {
  readonly interruptions: readonly Interruption[];
  readonly state: { approve(item: Interruption): void; reject(item: Interruption): void };
  readonly history: readonly Item[];
}

interface Item {
  readonly type?: string;
  readonly callId?: string;
  readonly output?: string | { readonly text?: string } | readonly { readonly text?: string }[];
}

interface Sdk {
  readonly Agent: new (settings: object) => object;
  readonly Runner: new (
    settings: object,
  ) => { run(agent: object, input: unknown, options?: object): Promise<Result> };
  readonly Usage: new () => object;
  tool(definition: object): object;
}

interface Request {
  readonly systemInstructions?: string;
  readonly input: readonly object[];
  readonly tools: readonly { readonly name: string }[];
}

const NATIVES = ["a tool load_skill", "the shell tool with skills", "the sandbox's skills"];

async function start(sdk: Sdk, options: StartOptions): Promise<Conversation> {
  const { session, tools: own, sendFiles, native } = options;
  const parameters = { type: "object", properties: {}, required: [], additionalProperties: true };
  const functionTool = (name: string, execute: (input: unknown) => Promise<string>): object =>
    sdk.tool({ name, description: name, parameters, strict: false, execute });
  const skills = await openaiAgents(session, {
    instructions: "Be brief.",
    sendFiles,
    tools: [
      ...own.map(({ name, run }) => functionTool(name, run)),
      ...(native === "a tool load_skill" ? [functionTool("load_skill", async () => "")] : []),
      ...(native === "the shell tool with skills"
        ? [{ type: "shell", name: "shell", environment: { type: "local", skills: [{ name: "pdf" }] } }]
        : []),
    ],
  });
  const requests: SeenRequest[] = [];
  let waiting: readonly Step[] = [];
  const model = {
    getResponse: async ({ systemInstructions = "", input, tools }: Request) => {
      requests.push({
        system: systemInstructions,
        tools: tools.map((tool) => ({ name: tool.name, json: JSON.stringify(tool) })),
        messages: input.map((item) => JSON.stringify(item)),
      });
      const [step = "There is nothing left to say.", ...rest] = waiting;
      waiting = rest;
      const content = [{ type: "output_text", text: step }];
      const output =
        typeof step === "string"
          ? [{ type: "message", role: "assistant", status: "completed", content }]
          : step.map(({ name, input: given }, index) => ({
              type: "function_call",
              callId: `call_${requests.length}_${index}`,
              name,
              status: "completed",
              arguments: typeof given === "string" ? given : JSON.stringify(given),
            }));
      return { usage: new sdk.Usage(), output };
    },
  };
  const runner = new sdk.Runner({ modelProvider: { getModel: () => model }, tracingDisabled: true });
  const agent = new sdk.Agent({ name: "Assistant", model: "scripted", ...skills.agent });
  if (native === "the sandbox's skills") {
    const { skills: capability } = await loadSdk<{ skills(given: object): object }>(
      "@openai/agents/dist/sandbox/index.mjs",
    );
    const pdf = { name: "pdf", description: "Fills.", content: "Fill." };
    Object.assign(agent, { capabilities: [capability({ skills: [pdf] })] });
    await runner.run(agent, "Hello", { ...skills.run });
  }
  let history: readonly Item[] = [];
  return {
    requests,
    refresh: skills.refresh,
    compacted: async () => (await skills.compacted())?.content ?? "",
    close: skills.close,
    say: async (message, steps, { signal, answer, maxSteps: maxTurns = 20 } = {}) => {
      waiting = steps;
      const before = history.length;
      const given = { ...skills.run, ...(signal && { signal }), maxTurns };
      let result = await runner.run(agent, [...history, { role: "user", content: message }], given);
      while (result.interruptions.length > 0) {
        for (const item of result.interruptions) {
          const { name, callId } = item.rawItem;
          const reason = skills.questionOf(callId)?.reason ?? "";
          if (answer?.({ name, reason })) result.state.approve(item);
          else result.state.reject(item);
        }
        result = await runner.run(agent, result.state, given);
      }
      history = result.history;
      return readResults(history.slice(before));
    },
  };
}

function readResults(items: readonly Item[]): string[] {
  return items
    .filter(({ type }) => type === "function_call_result")
    .sort((left, right) => ((left.callId ?? "") < (right.callId ?? "") ? -1 : 1))
    .map(({ output = "" }) => {
      if (typeof output === "string") return output;
      return "text" in output ? (output.text ?? "") : JSON.stringify(output);
    });
}

// Its declared Node is 22.
describe.skipIf(!isInstalled || !isNode22)("OpenAI Agents SDK", async () => {
  if (!isInstalled || !isNode22) return;
  const sdk = await loadSdk<Sdk>("@openai/agents/dist/index.mjs");
  contract({
    host: "openai-agents",
    natives: NATIVES,
    start: (options) => start(sdk, options),
    leftOut: { 8: "its function tools show nothing while they run" },
  });
});
