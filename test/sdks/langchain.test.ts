import { testSkills } from "@skillet/core/testing";
import { describe, expect, test } from "vitest";
import { langchain } from "../../packages/adapters/src/langchain.ts";
import type { Step } from "../examples/scripted-model.ts";
import { type Conversation, contract, type SeenRequest, type StartOptions } from "./contract.ts";
import { hasExamples, loadExampleSdk } from "./sdk-packages.ts";

interface Message {
  readonly content: string | readonly object[];
  readonly text: string;
  readonly tool_call_id?: string;
  getType(): string;
}

interface State {
  readonly messages: readonly Message[];
  readonly __interrupt__?: readonly {
    readonly value: {
      readonly actionRequests: readonly { readonly name: string; readonly description: string }[];
    };
  }[];
}

interface Agent {
  invoke(input: object, config: object): Promise<State>;
  stream(input: object, config: object): Promise<AsyncIterable<readonly [string, unknown]>>;
  getState(config: object): Promise<{ readonly values: State }>;
}

type Make<Made> = new (given?: object) => Made;

interface Sdk {
  createAgent(settings: object): Agent;
  createMiddleware(config: object): object;
  tool(run: (input: unknown) => Promise<string>, fields: object): object;
  readonly AIMessage: Make<Message>;
  readonly FakeToolCallingModel: Make<object>;
  readonly MemorySaver: Make<object>;
  readonly Command: Make<object>;
}

/** The double of LangChain's own tests, which answers with calls and remembers what it was bound to and asked. */
function scriptedModel(sdk: Sdk, requests: SeenRequest[], next: () => Step): object {
  class Scripted extends sdk.FakeToolCallingModel {
    bound: readonly { readonly name: string }[] = [];
    bindTools(tools: readonly { readonly name: string }[]): object {
      return Object.assign(new Scripted({}), { bound: tools });
    }
    async _generate(messages: readonly Message[]): Promise<object> {
      const isSystem = (message: Message): boolean => message.getType() === "system";
      const said = messages.filter((message) => !isSystem(message));
      requests.push({
        system: messages
          .filter(isSystem)
          .map(({ text }) => text)
          .join("\n"),
        tools: this.bound.map((tool) => ({ name: tool.name, json: JSON.stringify(tool) })),
        messages: said.map((message) => JSON.stringify([message.getType(), message.content])),
      });
      const step = next();
      const calls = typeof step === "string" ? [] : step;
      const tool_calls = calls.map(({ name, input: args }, index) => ({
        type: "tool_call",
        id: `call_${requests.length}_${index}`,
        name,
        args,
      }));
      const text = typeof step === "string" ? step : "";
      return { generations: [{ text, message: new sdk.AIMessage({ content: text, tool_calls }) }] };
    }
  }
  return new Scripted({});
}

async function start(sdk: Sdk, options: StartOptions): Promise<Conversation> {
  const { session, tools: own, sendFiles, native } = options;
  const schema = { type: "object", properties: {}, additionalProperties: true };
  const skills = await langchain(session, { sendFiles });
  const requests: SeenRequest[] = [];
  let waiting: readonly Step[] = [];
  const model = scriptedModel(sdk, requests, () => {
    const [step = "There is nothing left to say.", ...rest] = waiting;
    waiting = rest;
    return step;
  });
  const runs = [...own, ...(native === undefined ? [] : [{ name: native, run: async () => "" }])];
  const agent = sdk.createAgent({
    model,
    systemPrompt: "Be brief.",
    checkpointer: new sdk.MemorySaver(),
    tools: runs.map(({ name, run }) => sdk.tool(run, { name, description: name, schema })),
    middleware: [sdk.createMiddleware(skills.middleware)],
  });
  const thread = { configurable: { thread_id: "1" } };
  const conversation: Conversation = {
    requests,
    refresh: skills.refresh,
    compacted: async () => (await skills.compacted())?.content ?? "",
    close: skills.close,
    say: async (message, steps, { signal, answer, onShown, maxSteps = 40 } = {}) => {
      waiting = steps;
      const before = (await agent.getState(thread)).values.messages?.length ?? 0;
      // The graph's steps: the beginning, then a model and its tools in turn.
      const config = { ...thread, signal, recursionLimit: 1 + 2 * maxSteps };
      const invoke = async (input: object): Promise<State> => {
        if (onShown === undefined) return agent.invoke(input, config);
        const stream = await agent.stream(input, { ...config, streamMode: ["custom", "values"] });
        for await (const [mode, chunk] of stream)
          if (mode === "custom") onShown((chunk as { readonly text: string }).text);
        return (await agent.getState(thread)).values;
      };
      let state = await invoke({ messages: [{ role: "user", content: message }] });
      for (
        let asked = state.__interrupt__;
        asked !== undefined && asked.length > 0;
        asked = state.__interrupt__
      ) {
        const decisions = asked
          .flatMap(({ value }) => value.actionRequests)
          .map(({ name, description: reason }) => ({
            type: answer?.({ name, reason }) ? "approve" : "reject",
          }));
        state = await invoke(new sdk.Command({ resume: { decisions } }));
      }
      return state.messages.slice(before).flatMap((one) => (one.getType() === "tool" ? [one.text] : []));
    },
  };
  if (native !== undefined)
    await conversation.say("", []).catch((error: Error) => {
      throw error.cause; // the SDK wraps what a middleware throws
    });
  return conversation;
}

describe.skipIf(!hasExamples)("LangChain", async () => {
  if (!hasExamples) return;
  const sdk: Sdk = {
    ...(await loadExampleSdk<Sdk>("langchain/dist/index.js")),
    ...(await loadExampleSdk<Sdk>("langchain/dist/agents/tests/utils.js")),
    ...(await loadExampleSdk<Sdk>("@langchain/langgraph/dist/index.js")),
  };
  contract({
    host: "langchain",
    natives: ["load_skill", "read_skill_resource"],
    start: (options) => start(sdk, options),
  });

  test("a refused call is a failed one, and arguments that are not JSON are answered by the tool", async () => {
    const header = "name: notes\ndescription: Writes notes.\nallowed-tools: Read";
    const session = await testSkills({ "notes/SKILL.md": `---\n${header}\n---\nTake notes.\n` });
    const { middleware } = await langchain(session);
    const answered = await middleware.wrapModelCall(
      { messages: [], tools: [], systemMessage: { concat: (text) => text } },
      async () => ({
        tool_calls: [],
        invalid_tool_calls: [{ id: "1", name: "load_skill" }, { name: "write" }],
      }),
    );
    expect(answered.tool_calls).toEqual([{ id: "1", name: "load_skill", args: {} }]);
    const call = (name: string, args: unknown) =>
      middleware.wrapToolCall({ toolCall: { id: "2", name, args }, runtime: {} }, async (request) => {
        const { tool } = request as { readonly tool: { invoke(): Promise<string> } };
        return { content: await tool.invoke(), status: "success" };
      });
    expect(await call("load_skill", {})).toMatchObject({ status: "error" });
    expect(await call("load_skill", { name: "notes" })).toMatchObject({ status: "success" });
    const content = expect.stringContaining("notes does not cover it");
    expect(await call("write", {})).toEqual({ content, status: "error" });
  });
});
