import { testSkills } from "@skillet/core/testing";
import { describe, expect, test } from "vitest";
import { type AnthropicRunner, anthropic } from "../../packages/adapters/src/anthropic.ts";
import type { Step } from "../examples/scripted-model.ts";
import { type Conversation, contract, type SeenRequest, type StartOptions } from "./contract.ts";
import { isInstalled, loadSdk } from "./sdk-packages.ts";

interface Block {
  readonly type: string;
  readonly tool_use_id?: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
  readonly tool?: { readonly definition?: { readonly name: string } };
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

interface Body {
  readonly system?: string;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly Message[];
  readonly thread?: { readonly type: string; readonly previous_message_id?: string };
}

interface Runner extends AnthropicRunner {
  readonly params: { readonly messages: readonly Message[] };
  then: Promise<unknown>["then"];
}

interface Sdk {
  readonly Anthropic: new (
    options: object,
  ) => { readonly beta: { readonly messages: { toolRunner(params: object, options?: object): Runner } } };
}

const NATIVES = ["a tool load_skill", "skills of the container"];

/** The API by the SDK's own `fetch` option; it keeps threads, in which a request has only what is new. */
function scriptedApi(requests: SeenRequest[], next: () => Step): typeof fetch {
  const threads = new Map<string, Body>();
  return async (_url, init) => {
    const sent: Body = JSON.parse(String(init?.body));
    const before = threads.get(sent.thread?.previous_message_id ?? "");
    const body = before ? { ...before, messages: [...before.messages, ...sent.messages] } : sent;
    const added = body.messages.flatMap(({ role, content }) =>
      role === "system" && typeof content !== "string"
        ? content.flatMap(({ tool }) => tool?.definition ?? [])
        : [],
    );
    requests.push({
      system: body.system ?? "",
      tools: [...(body.tools ?? []), ...added].map((tool) => ({
        name: tool.name,
        json: JSON.stringify(tool),
      })),
      messages: body.messages.map((message) => JSON.stringify(message)),
    });
    const step = next();
    const content =
      typeof step === "string"
        ? [{ type: "text", text: step }]
        : step.map(({ name, input }, index) => ({
            type: "tool_use",
            id: `call_${requests.length}_${index}`,
            name,
            input,
          }));
    const reply = {
      id: `msg_${requests.length}`,
      type: "message",
      role: "assistant",
      model: "scripted",
      content,
      stop_reason: typeof step === "string" ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    threads.set(reply.id, { ...body, messages: [...body.messages, { role: "assistant", content }] });
    return Response.json(reply);
  };
}

async function start({ Anthropic }: Sdk, inlineTools: boolean, options: StartOptions): Promise<Conversation> {
  const { session, tools: own, sendFiles, native } = options;
  const runnable = (name: string, run: (input: unknown) => Promise<string>): object => ({
    name,
    description: name,
    input_schema: { type: "object" },
    run,
    parse: (input: unknown) => input,
  });
  const skills = await anthropic(session, {
    system: "Be brief.",
    sendFiles,
    inlineTools,
    tools: [
      ...own.map(({ name, run }) => runnable(name, run)),
      ...(native === "a tool load_skill" ? [runnable("load_skill", async () => "")] : []),
    ],
  });
  const requests: SeenRequest[] = [];
  let waiting: readonly Step[] = [];
  const fetch = scriptedApi(requests, () => {
    const [step = "There is nothing left to say.", ...rest] = waiting;
    waiting = rest;
    return step;
  });
  const client = new Anthropic({ apiKey: "none", fetch, maxRetries: 0 });
  let history: readonly Message[] = [];
  const run = (message: string, signal?: AbortSignal, max_iterations?: number): Runner => {
    const container = { skills: [{ type: "anthropic", skill_id: "pdf" }] };
    const params = {
      model: "scripted",
      max_tokens: 1000,
      messages: [...history, ...said(message)],
      ...(native === "skills of the container" && { container }),
      ...(max_iterations !== undefined && { max_iterations }),
    };
    return skills.attach(client.beta.messages.toolRunner({ ...params, ...skills.params }, { signal }));
  };
  if (native !== undefined) run("");
  return {
    requests,
    refresh: skills.refresh,
    compacted: async () => (await skills.compacted())?.content ?? "",
    close: skills.close,
    say: async (message, steps, { signal, maxSteps } = {}) => {
      waiting = steps;
      const before = history.length;
      const runner = run(message, signal, maxSteps);
      await runner;
      history = runner.params.messages;
      return readResults(history.slice(before));
    },
  };
}

/** Without a message a run goes on where the last one stopped. */
const said = (content: string): object[] => (content === "" ? [] : [{ role: "user", content }]);

function readResults(messages: readonly Message[]): string[] {
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return blocks
    .filter(({ type }) => type === "tool_result")
    .map(({ content = "" }) => (typeof content === "string" ? content : JSON.stringify(content)));
}

describe.skipIf(!isInstalled)("Anthropic SDK", async () => {
  if (!isInstalled) return;
  const sdk = await loadSdk<Sdk>("@anthropic-ai/sdk/index.mjs");
  for (const inlineTools of [false, true])
    describe(inlineTools ? "with tools added in mid-conversation" : "with all tools from the start", () =>
      contract({
        host: "anthropic",
        natives: NATIVES,
        asksBySession: true,
        start: (options) => start(sdk, inlineTools, options),
        leftOut: { 8: "its tools show nothing while they run", "13b": "the run itself throws it" },
      }),
    );

  const SKILL = {
    "notes/SKILL.md": "---\nname: notes\ndescription: Writes notes.\nallowed-tools: Read\n---\nTake notes.\n",
  };
  const LOAD: Step = [{ name: "load_skill", input: { name: "notes" } }];

  test("no request follows what the operator must fix", async () => {
    const session = await testSkills(SKILL);
    const tools = [{ name: "write", run: async () => `${await session.close()}` }];
    const { say, requests } = await start(sdk, false, { session, tools });
    const steps = [[{ name: "write", input: {} }], LOAD, "Done."];
    await expect(say("Take notes", steps)).rejects.toThrow(/session has ended/i);
    expect(requests.length).toBe(2);
  });

  test("a run that goes on where another stopped is narrowed as that was", async () => {
    const session = await testSkills(SKILL);
    const ran: string[] = [];
    const tools = [{ name: "write", run: async () => `${ran.push("write")}` }];
    const { say } = await start(sdk, false, { session, tools });
    await say("Take notes", [LOAD], { maxSteps: 1 });
    const [refused] = await say("", [[{ name: "write", input: {} }], "Done."]);
    expect(refused).toContain("notes does not cover it");
    expect(ran).toEqual([]);
  });

  test("a toolset that runs on this machine is refused, as nothing could guard it", async () => {
    const session = await testSkills(SKILL);
    const toolset = { type: "computer_toolset_20260801", run: async () => [] };
    await expect(anthropic(session, { tools: [toolset] })).rejects.toMatchObject({ code: "call-invalid" });
  });
});
