import type { AgentToolResult, ObjectSchema, ScriptOutputListener, Session } from "@skillet/core";
import { SkilletError } from "@skillet/core";
import { fieldOf, isJsonObject } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { removeHidden } from "@skillet/kit/text";
import {
  type BindOptions,
  type BoundCall,
  type BoundSession,
  type BoundTool,
  bindSession,
  filesOf,
  findNativeTool,
  type LoopSkills,
  listsSkills,
  refuseNativeSkills,
} from "./bind/bind-session.ts";

export { type HarnessSkill, type HarnessSkills, harnessSkills } from "./ai-sdk/harness-skills.ts";
export {
  type AiSdkSandbox,
  type SandboxOptions,
  type SandboxSession,
  sandboxOf,
} from "./ai-sdk/sandbox-of.ts";
export type { BindOptions, LoopSkills } from "./bind/bind-session.ts";

/** Options for skills in an agent of the AI SDK. */
export interface AiSdkOptions<Tools extends object> extends BindOptions {
  /** Your own tools: a call that a loaded skill does not cover is refused, or asked about, before it runs. */
  readonly tools?: Tools | undefined;
  /** Your own instructions; the catalogue comes after them. */
  readonly instructions?: string | undefined;
  /** Yours, for inspection only: skills of a provider next to these are refused. */
  readonly providerOptions?: object | undefined;
  /**
   * Passes the bytes of images and other files in results to the model; default: a line about them.
   * Anthropic, Google and OpenAI's Responses API accept them; others get base64 as text.
   */
  readonly sendFiles?: boolean | undefined;
}

/** Settings for `generateText`, `streamText` and `ToolLoopAgent`, of AI SDK 6 and 7 alike. */
export interface AiSdkSettings<Tools extends object> {
  /** Your tools, guarded, and the tools for skills, which are dynamic. */
  readonly tools: Tools;
  readonly instructions?: string;
  /** The same as `instructions`, for `generateText` of AI SDK 6. */
  readonly system?: string;
  /** Shows a skill's own tools once it is loaded, and reports changed skills in one message. */
  prepareStep<Message>(step: { readonly stepNumber: number; readonly messages: Message[] }): Promise<{
    activeTools: (keyof Tools & string)[];
    toolOrder: (keyof Tools & string)[];
    messages: Message[];
  }>;
  /** The gate of AI SDK 7 for every tool; in 6 the tools contain it. Undefined: no objection to the call. */
  toolApproval(asked: {
    readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
    readonly messages: readonly unknown[];
  }): Promise<undefined | { type: "denied" | "user-approval"; reason?: string }>;
}

/** Skills in an agent of the AI SDK. */
export interface AiSdkSkills<Tools extends object> extends LoopSkills {
  /** Spread this into the settings of a call or of an agent. */
  readonly settings: AiSdkSettings<Tools>;
}

/** The output of a skill tool for your code; a model gets `text`. */
export interface SkillToolOutput {
  readonly text: string;
  readonly isError: boolean;
  readonly code?: string;
  /** True while a script runs; `text` is then the end of its output so far. */
  readonly isRunning?: boolean;
  readonly files?: readonly Readonly<Record<"mediaType" | "base64" | "filename", string>>[];
}

const HOST = "ai-sdk";

/**
 * Skills for Vercel's AI SDK 6 and 7: the catalogue, the tools, the gate for your own tools, and records.
 *
 * A turn begins with a user's message and ends with the next one, or with `close()`.
 *
 * @example
 * const { settings } = await aiSdk(session, { tools, instructions: "You are a helpful assistant." });
 * const { text } = await generateText({ model, prompt, stopWhen: stepCountIs(20), ...settings });
 */
export async function aiSdk<Tools extends object = Record<never, never>>(
  session: Session,
  {
    tools: given,
    instructions: own,
    providerOptions,
    sendFiles = false,
    ...options
  }: AiSdkOptions<Tools> = {},
): Promise<AiSdkSkills<Tools>> {
  const bound = await bindSession(session, HOST, options);
  const hostTools = (given ?? {}) as HostTools;
  // Providers cache requests by their start, which has the tools: they always come in the same order.
  const hostNames = Object.keys(hostTools).sort(compareByteOrder);
  refuseNativeSkills(findNativeSkills(hostTools, providerOptions) ?? findNativeTool(hostNames, bound.tools));
  const tools: Record<string, object> = {};
  for (const name of hostNames) tools[name] = guardTool(bound, name, hostTools[name] ?? {});
  const addTools = (): void => {
    for (const tool of bound.tools) tools[tool.name] ??= skillTool(bound, tool, sendFiles);
  };
  addTools();
  const text = bound.instructionsAfter(own);
  return {
    settings: {
      tools: tools as Tools,
      ...(text !== "" && { instructions: text, system: text }),
      prepareStep: async (step) => {
        bound.throwFault();
        const messages = await bound.prepare(step.messages, step.stepNumber === 0);
        addTools();
        const toolOrder = [...hostNames, ...bound.tools.map(({ name }) => name)];
        const activeTools = toolOrder.filter((name) => hostNames.includes(name) || bound.isActive(name));
        return { activeTools, toolOrder, messages } as never;
      },
      toolApproval: async ({ toolCall: { toolName: name, toolCallId: callId, input }, messages }) => {
        const judgement = await bound.judge({ name, callId, input });
        if (judgement.outcome === "deny") return { type: "denied", reason: judgement.text };
        if (judgement.outcome === "ask") return { type: "user-approval", reason: judgement.question.reason };
        const asks = await asksItself(hostTools[name]?.needsApproval, input, {
          toolCallId: callId,
          messages,
        });
        return asks ? { type: "user-approval" } : undefined;
      },
    },
    ...bound.loop,
  };
}

interface CallOptions {
  readonly toolCallId: string;
  readonly messages: readonly unknown[];
  readonly abortSignal?: AbortSignal | undefined;
}

type NeedsApproval =
  | (boolean | undefined)
  | ((input: unknown, options: CallOptions) => boolean | PromiseLike<boolean>);

/** The parts of a host's tool that are read or replaced. */
interface HostTool {
  readonly needsApproval?: NeedsApproval;
  readonly execute?: (input: unknown, options: CallOptions) => unknown;
  readonly id?: unknown;
  readonly args?: unknown;
}

type HostTools = Readonly<Record<string, HostTool>>;

async function asksItself(needs: NeedsApproval, input: unknown, options: CallOptions): Promise<boolean> {
  return typeof needs === "function" ? needs(input, options) : needs === true;
}

function callsOf(name: string): (input: unknown, options: CallOptions) => BoundCall {
  return (input, { toolCallId: callId }) => ({ name, callId, input });
}

/** AI SDK 6 asks a tool's `needsApproval`, 7 the setting `toolApproval`; `execute` follows either answer. */
function guardTool(bound: BoundSession, name: string, tool: HostTool): object {
  const { execute } = tool;
  const callOf = callsOf(name);
  const needsApproval = async (input: unknown, options: CallOptions): Promise<boolean> =>
    (await bound.judge(callOf(input, options))).outcome === "ask" ||
    asksItself(tool.needsApproval, input, options);
  if (execute === undefined) return { ...tool, needsApproval };
  const run = async function* (input: unknown, options: CallOptions): AsyncGenerator<unknown> {
    const judgement = await bound.guard(callOf(input, options), { isApproved: hasApproval(options) });
    if (judgement.outcome !== "allow")
      throw new SkilletError("tool-denied", judgement.text, { data: { tool: name } });
    const result = started(input, options);
    if (Symbol.asyncIterator in Object(result)) yield* result as AsyncIterable<unknown>;
    else yield await result;
  };
  const started = (input: unknown, options: CallOptions): unknown =>
    whenDone(execute(input, options), (response) => bound.called(callOf(input, options), response));
  // Judged a moment ago, so it runs as it would without us, streaming or not.
  const start = (input: unknown, options: CallOptions): unknown =>
    bound.takeAllowed(callOf(input, options)) ? started(input, options) : run(input, options);
  return { ...tool, needsApproval, execute: start };
}

/** The same result, streamed or not; `done` then gets the last of it. */
function whenDone(result: unknown, done: (last: unknown) => Promise<void>): unknown {
  if (Symbol.asyncIterator in Object(result))
    return (async function* () {
      let last: unknown;
      for await (last of result as AsyncIterable<unknown>) yield last;
      await done(last);
    })();
  return Promise.resolve(result).then(async (last) => {
    await done(last);
    return last;
  });
}

function skillTool(bound: BoundSession, tool: BoundTool, sendFiles: boolean): object {
  const { name, description, kind } = tool;
  const callOf = callsOf(name);
  const start = async (input: unknown, options: CallOptions, onOutput?: ScriptOutputListener) => {
    const how = { signal: options.abortSignal, onOutput, isApproved: hasApproval(options) };
    return toOutput(await bound.execute(callOf(input, options), how));
  };
  return {
    type: "dynamic",
    description,
    inputSchema: standardSchema(tool.inputSchema),
    needsApproval: async (input: unknown, options: CallOptions) =>
      (await bound.judge(callOf(input, options))).outcome === "ask",
    execute:
      kind === "script" || kind === "skill"
        ? (input: unknown, options: CallOptions) =>
            streamOutput<SkillToolOutput>((listener) => start(input, options, listener))
        : (input: unknown, options: CallOptions) => start(input, options),
    toModelOutput: ({ output }: { readonly output: SkillToolOutput }) => toModelOutput(output, sendFiles),
  };
}

// Standard Schema, which the SDK accepts as is. The tool itself checks, with messages that help a model.
function standardSchema(schema: ObjectSchema): object {
  const copy = (): ObjectSchema => JSON.parse(JSON.stringify(schema));
  const validate = (value: unknown): object => ({ value });
  return {
    "~standard": { version: 1, vendor: "skillet", validate, jsonSchema: { input: copy, output: copy } },
  };
}

function toOutput(result: AgentToolResult): SkillToolOutput {
  const { text, isError, code } = result;
  const files = filesOf(result);
  return { text, isError, ...(code !== undefined && { code }), ...(files.length > 0 && { files }) };
}

function toModelOutput({ text, isError, files = [] }: SkillToolOutput, sendFiles: boolean): object {
  if (isError) return { type: "error-text", value: text };
  if (!sendFiles || files.length === 0) return { type: "text", value: text };
  const parts = files.map(({ mediaType, base64: data, filename }) =>
    mediaType.startsWith("image/")
      ? { type: "image-data", data, mediaType }
      : { type: "file-data", data, mediaType, filename },
  );
  return { type: "content", value: [{ type: "text", text }, ...parts] };
}

/** Whether the user approved this call in the SDK's history, which it checks before it runs a tool. */
function hasApproval({ toolCallId, messages }: CallOptions): boolean {
  const parts = messages.flatMap((message) => {
    const content = isJsonObject(message) ? message.content : undefined;
    return Array.isArray(content) ? content.filter(isJsonObject) : [];
  });
  const asked = parts.filter(
    (part) => part.type === "tool-approval-request" && part.toolCallId === toolCallId,
  );
  const given = parts.filter((part) => part.type === "tool-approval-response" && part.approved === true);
  return given.some(({ approvalId }) => asked.some((request) => request.approvalId === approvalId));
}

/** Skills that a provider loads by itself: Anthropic's container, the shell of OpenAI's Responses API. */
function findNativeSkills(tools: HostTools, providerOptions = {}): string | undefined {
  for (const [provider, value] of Object.entries(providerOptions))
    if (listsSkills(fieldOf(value, "container"))) return `providerOptions.${provider}.container.skills`;
  for (const [name, { args }] of Object.entries(tools))
    if (listsSkills(fieldOf(args, "environment"))) return `The tool ${name}, with skills in its environment,`;
  return undefined;
}

// A screen or two; the result has all of it.
const MAX_SHOWN_CHARACTERS = 16_000;

/** What a tool shows while it runs. */
interface Running {
  readonly text: string;
  readonly isError: false;
  readonly isRunning: true;
}

/**
 * Yields a script's output so far whenever there is more, and last its result. A slow reader misses steps in
 * between, never the end.
 */
async function* streamOutput<Result>(
  start: (listener: (stream: "stdout" | "stderr", bytes: Uint8Array) => void) => Promise<Result>,
): AsyncGenerator<Result | Running> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let text = "";
  let shown = "";
  let wake = (): void => undefined;
  let isDone = false;
  const running = start((stream, bytes) => {
    const more = removeHidden(decoders[stream].decode(bytes, { stream: true }));
    // Does not begin with half a character.
    text = `${text}${more}`.slice(-MAX_SHOWN_CHARACTERS).replace(/^[\udc00-\udfff]/, "");
    wake();
  });
  const settled = (): void => {
    isDone = true;
    wake();
  };
  running.then(settled, settled);
  while (!isDone) {
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (isDone || text !== shown) resolve();
    });
    if (text !== shown && !isDone) {
      shown = text;
      yield { text, isError: false, isRunning: true };
    }
  }
  yield await running;
}
