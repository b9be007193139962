import { type TestSkillsOptions, testSkills } from "@skillet/core/testing";
import { describe, expect, test } from "vitest";
import { aiSdk } from "../../packages/adapters/src/ai-sdk.ts";
import type { Step } from "../examples/scripted-model.ts";
import { type Conversation, contract, type Driver, type SeenRequest, type StartOptions } from "./contract.ts";
import { isInstalled, isNode22, loadSdk } from "./sdk-packages.ts";

interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly approvalId?: string;
  readonly reason?: string;
  readonly toolCall?: { readonly toolName: string };
  readonly output?: { readonly value?: unknown; readonly reason?: string };
}

interface Result {
  readonly content: readonly Part[] | PromiseLike<readonly Part[]>;
  /** Of all steps; AI SDK 6 has them in `response`. */
  readonly responseMessages?: readonly Message[] | PromiseLike<readonly Message[]>;
  readonly response: { readonly messages: Message[] } | PromiseLike<{ readonly messages: Message[] }>;
  readonly fullStream?: AsyncIterable<{
    readonly type: string;
    readonly preliminary?: boolean;
    readonly output?: { readonly text: string };
  }>;
}

interface Sdk {
  generateText(settings: object): Promise<Result & { readonly steps?: unknown }>;
  streamText(settings: object): Result;
  stepCountIs(count: number): unknown;
  readonly ToolLoopAgent: new (
    settings: object,
  ) => { generate(asked: object): Promise<{ readonly text: string; readonly steps: unknown }> };
}

type Model = new (options: {
  doGenerate(asked: Asked): Promise<object>;
  doStream(asked: Asked): Promise<object>;
}) => object;

interface Asked {
  readonly prompt: readonly Message[];
  readonly tools?: readonly { readonly name: string }[];
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const STANDARD = { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) };
const JSON_SCHEMA = { input: () => ({ type: "object" }), output: () => ({ type: "object" }) };
const NATIVE_TOOLS: Readonly<Record<string, object>> = {
  "a tool load_skill": { load_skill: { description: "Loads.", inputSchema: { "~standard": {} } } },
  "the skill tool of bash-tool": { skill: { description: "Loads.", inputSchema: { "~standard": {} } } },
  "OpenAI's shell": {
    shell: { type: "provider", id: "openai.shell", args: { environment: { type: "local", skills: [{}] } } },
  },
};
const CONTAINER = { anthropic: { container: { skills: [{ type: "anthropic", skillId: "pdf" }] } } };

async function start(sdk: Sdk, Mock: Model, options: StartOptions): Promise<Conversation> {
  const { session, tools: own, sendFiles, native = "" } = options;
  const tools = Object.fromEntries(
    own.map(({ name, run }) => [
      name,
      {
        description: name,
        inputSchema: { "~standard": { ...STANDARD, jsonSchema: JSON_SCHEMA } },
        execute: run,
      },
    ]),
  );
  const skills = await aiSdk(session, {
    tools: { ...tools, ...NATIVE_TOOLS[native] },
    instructions: "Be brief.",
    sendFiles,
    ...(native === "Anthropic's container" && { providerOptions: CONTAINER }),
  });
  const requests: SeenRequest[] = [];
  const history: object[] = [];
  let waiting: readonly Step[] = [];
  const answer = ({ prompt, tools: given = [] }: Asked): { content: object[]; finishReason: object } => {
    const [system, messages] = [prompt.filter(isSystem), prompt.filter((message) => !isSystem(message))];
    requests.push({
      system: system.map(({ content }) => String(content)).join("\n"),
      tools: given.map((tool) => ({ name: tool.name, json: JSON.stringify(tool) })),
      messages: messages.map((message) => JSON.stringify(message)),
    });
    const [step = "There is nothing left to say.", ...rest] = waiting;
    waiting = rest;
    return answerOf(step, requests.length);
  };
  const model = new Mock({
    doGenerate: async (asked) => ({ ...answer(asked), usage, warnings: [] }),
    doStream: async (asked) => {
      const { content, finishReason } = answer(asked);
      const parts = [
        { type: "stream-start", warnings: [] },
        ...content.flatMap((part) =>
          "text" in part
            ? [
                { type: "text-start", id: "1" },
                { type: "text-delta", id: "1", delta: part.text },
                { type: "text-end", id: "1" },
              ]
            : [part],
        ),
        { type: "finish", finishReason, usage },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  });
  return {
    requests,
    refresh: skills.refresh,
    compacted: async () => (await skills.compacted())?.content ?? "",
    close: skills.close,
    say: async (message, steps, how = {}) => {
      const { signal: abortSignal, answer: decide, onShown, maxSteps = 20 } = how;
      waiting = steps;
      const before = history.length;
      history.push({ role: "user", content: message });
      for (;;) {
        const settings = {
          model,
          messages: [...history],
          stopWhen: sdk.stepCountIs(maxSteps),
          abortSignal,
          ...skills.settings,
        };
        const result = onShown ? sdk.streamText(settings) : await sdk.generateText(settings);
        for await (const part of result.fullStream ?? [])
          if (part.type === "tool-result" && part.preliminary === true) onShown?.(part.output?.text ?? "");
        history.push(...((await result.responseMessages) ?? (await result.response).messages));
        const answers = (await result.content).flatMap(({ type, approvalId, reason = "", toolCall }) =>
          type === "tool-approval-request" && decide !== undefined
            ? [{ approvalId, approved: decide({ name: toolCall?.toolName ?? "", reason }) }]
            : [],
        );
        if (answers.length === 0) return readResults(history.slice(before) as Message[]);
        history.push({
          role: "tool",
          content: answers.map((given) => ({ type: "tool-approval-response", ...given })),
        });
      }
    },
  };
}

function answerOf(step: Step, turn: number): { content: object[]; finishReason: object } {
  if (typeof step === "string")
    return { content: [{ type: "text", text: step }], finishReason: { unified: "stop", raw: "stop" } };
  const content = step.map(({ name, input }, index) => ({
    type: "tool-call",
    toolCallId: `call_${turn}_${index}`,
    toolName: name,
    input: typeof input === "string" ? input : JSON.stringify(input),
  }));
  return { content, finishReason: { unified: "tool-calls", raw: "tool_calls" } };
}

function isSystem({ role }: Message): boolean {
  return role === "system";
}

/** In the order of the calls. */
function readResults(messages: readonly Message[]): string[] {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const order = parts.filter(({ type }) => type === "tool-call").map(({ toolCallId }) => toolCallId);
  return parts
    .filter(({ type }) => type === "tool-result")
    .sort((left, right) => order.indexOf(left.toolCallId) - order.indexOf(right.toolCallId))
    .map(({ output }) => {
      const value = output?.reason ?? output?.value ?? "";
      return typeof value === "string" ? value : JSON.stringify(value);
    });
}

async function loadMajor(major: 6 | 7): Promise<{ readonly sdk: Sdk; readonly Mock: Model }> {
  const [extension, mock] = major === 6 ? ["mjs", "MockLanguageModelV3"] : ["js", "MockLanguageModelV4"];
  const sdk = await loadSdk<Sdk>(`ai-${major}/dist/index.${extension}`);
  const { [mock]: Mock } = await loadSdk<Record<string, Model>>(`ai-${major}/dist/test/index.${extension}`);
  if (Mock === undefined) throw new Error(`ai ${major} has no ${mock}.`);
  return { sdk, Mock };
}

async function driverOf(major: 6 | 7): Promise<Driver> {
  const { sdk, Mock } = await loadMajor(major);
  return {
    host: "ai-sdk",
    natives: [...Object.keys(NATIVE_TOOLS), "Anthropic's container"],
    start: (options) => start(sdk, Mock, options),
    ...(major === 6 && { partly: { "6b": "without the reason in the request" } }),
  };
}

const WRITING: readonly Step[] = [
  [{ name: "load_skill", input: { name: "notes" } }],
  [{ name: "write", input: { path: "a.md" } }],
  "Done.",
];

async function openWriter(options: TestSkillsOptions = {}) {
  const header = "name: notes\ndescription: Writes notes.\nallowed-tools: Read";
  const session = await testSkills({ "notes/SKILL.md": `---\n${header}\n---\nTake notes.\n` }, options);
  const ran: unknown[] = [];
  const inputSchema = { "~standard": { ...STANDARD, jsonSchema: JSON_SCHEMA } };
  const execute = async (input: unknown): Promise<string> => `${ran.push(input)} is done`;
  const { settings } = await aiSdk(session, { tools: { write: { inputSchema, execute } } });
  return { settings, ran };
}

function scripted(Mock: Model, steps: readonly Step[]): object {
  let turn = 0;
  const doGenerate = async (): Promise<object> => ({
    ...answerOf(steps[turn++] ?? "", turn),
    usage,
    warnings: [],
  });
  return new Mock({ doGenerate, doStream: doGenerate });
}

// AI SDK 7 declares Node 22.
for (const major of [6, 7] as const)
  describe.skipIf(!isInstalled || (major === 7 && !isNode22))(`AI SDK ${major}`, async () => {
    if (!isInstalled) return;
    contract(await driverOf(major));
    const { sdk, Mock } = await loadMajor(major);

    test("the same settings hold in ToolLoopAgent", async () => {
      const { settings, ran } = await openWriter();
      const agent = new sdk.ToolLoopAgent({ model: scripted(Mock, WRITING), ...settings });
      const { text, steps } = await agent.generate({ prompt: "Take notes" });
      expect(text).toBe("Done.");
      expect(JSON.stringify(steps)).toContain("notes does not cover it");
      const byGate = '"type":"tool-approval-response"';
      if (major === 7) expect(JSON.stringify(steps)).toContain(byGate);
      expect(ran).toEqual([]);
    });

    test("where an agent replaces the gate, what must be asked about is refused", async () => {
      const rules = [{ tool: "write", action: "ask" as const }];
      const { settings, ran } = await openWriter({
        interactive: true,
        open: { config: { policy: { rules } } },
      });
      const tools = Object.fromEntries(
        Object.entries(settings.tools).map(([name, tool]) => [name, { ...tool, needsApproval: undefined }]),
      );
      const model = scripted(Mock, WRITING.slice(1));
      const stopWhen = sdk.stepCountIs(9);
      const given = { model, prompt: "Write", stopWhen, ...settings, tools, toolApproval: () => undefined };
      const { steps } = await sdk.generateText(given);
      expect(JSON.stringify(steps)).toContain("waits for approval");
      expect(ran).toEqual([]);
      const request = { type: "tool-approval-request", approvalId: "a", toolCallId: "another" };
      const response = { type: "tool-approval-response", approvalId: "a", approved: true };
      const messages = [{ content: [request] }, { content: [response] }];
      const call = async (toolCallId: string): Promise<void> => {
        const execute = settings.tools.write.execute as unknown as (
          input: object,
          how: object,
        ) => AsyncIterable<unknown>;
        for await (const _ of execute({ path: "a.md" }, { toolCallId, messages }));
      };
      await expect(call("this")).rejects.toThrow("waits for approval");
      expect(ran).toEqual([]);
      await call("another");
      expect(ran.length).toBe(1);
    });
  });
