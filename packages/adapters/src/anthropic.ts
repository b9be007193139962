import { type AgentToolResult, type Session, SkilletError } from "@skillet/core";
import { isJsonObject } from "@skillet/kit/json";
import { sortByByteOrder } from "@skillet/kit/order";
import {
  type BindOptions,
  type BoundSession,
  type BoundTool,
  bindSession,
  filesOf,
  findNativeTool,
  type LoopSkills,
  listsSkills,
  refuseNativeSkills,
} from "./bind/bind-session.ts";

export type { BindOptions, LoopSkills } from "./bind/bind-session.ts";

/** Options for skills in a tool runner of Anthropic's SDK. */
export interface AnthropicOptions<Tool extends object> extends BindOptions {
  /** Your own tools: calls that a loaded skill does not cover are refused before they run. */
  readonly tools?: readonly Tool[] | undefined;
  /** Your own system prompt; the catalogue comes after it. */
  readonly system?: string | undefined;
  /** Passes the bytes of images and PDFs in results to the model; default: a line about them. */
  readonly sendFiles?: boolean | undefined;
  /**
   * Adds a skill's own tools once it is loaded, after the cached part of the request. Needs the beta
   * `inline-tools-2026-09-15`, which `params` then names. Default: they are listed from the start.
   */
  readonly inlineTools?: boolean | undefined;
}

/** The parts of a tool runner that are used here. */
export interface AnthropicRunner {
  readonly params: { readonly messages: readonly object[]; readonly container?: unknown };
  pushMessages(...messages: { role: "user"; content: string }[]): void;
  addTools(...tools: object[]): void;
  setRequestOptions(options: { readonly signal: AbortSignal }): void;
  [Symbol.asyncIterator](): AsyncIterator<unknown>;
}

/** Skills in a tool runner of Anthropic's SDK. */
export interface AnthropicSkills<Tool extends object> extends LoopSkills {
  /** Spread this into the parameters of `client.beta.messages.toolRunner`. */
  readonly params: { readonly tools: Tool[]; readonly system?: string; readonly betas?: string[] };
  /** Begins a turn with a runner that is not awaited or iterated yet; returns the same runner. */
  attach<Runner extends AnthropicRunner>(runner: Runner): Runner;
}

const HOST = "anthropic";
const INLINE_TOOLS_BETA = "inline-tools-2026-09-15";

/**
 * Skills for Anthropic's tool runner: the catalogue, the tools, a gate for your own tools, and records.
 *
 * The runner cannot wait for a user, so questions go to the session's `ask`.
 *
 * @example
 * const skills = await anthropic(session, { tools, system: "You are a helpful assistant." });
 * const runner = client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, ...skills.params });
 * const { content } = await skills.attach(runner);
 */
export async function anthropic<Tool extends object = never>(
  session: Session,
  {
    tools: given = [],
    system: own,
    sendFiles = false,
    inlineTools = false,
    ...options
  }: AnthropicOptions<Tool> = {},
): Promise<AnthropicSkills<Tool>> {
  const bound = await bindSession(session, HOST, options);
  const hostTools = sortByByteOrder([...(given as readonly SdkTool[])], ({ name = "" }) => name);
  const names = hostTools.map(({ name = "" }) => name);
  refuseNativeSkills(findNativeTool(names, bound.tools));
  let runner: AnthropicRunner | undefined;
  let fault: unknown;
  let added = new Set<string>();
  const takeFault = (): unknown => {
    const taken = fault;
    fault = undefined;
    return taken;
  };
  /** Runs after each call, because the runner has no other hook between two requests. */
  const afterCall = (): void => {
    try {
      bound.throwFault();
    } catch (error) {
      // The runner would tell the model what a tool throws, so the next request is aborted instead.
      fault ??= error;
      runner?.setRequestOptions({ signal: AbortSignal.abort() });
    }
    if (!inlineTools) return;
    const fresh = bound.tools.filter(
      ({ kind, name }) => kind === "skill" && bound.isActive(name) && !added.has(name),
    );
    for (const { name } of fresh) added.add(name);
    if (fresh.length > 0) runner?.addTools(...fresh.map(toSdk));
  };
  const toSdk = (tool: BoundTool): object => skillTool(bound, tool, { afterCall, sendFiles });
  const system = bound.instructionsAfter(own);
  return {
    params: {
      tools: [
        ...hostTools.map((tool) => guardTool(bound, tool, afterCall)),
        ...bound.tools.filter(({ kind }) => !(inlineTools && kind === "skill")).map(toSdk),
      ] as Tool[],
      ...(system !== "" && { system }),
      ...(inlineTools && { betas: [INLINE_TOOLS_BETA] }),
    },
    attach: (attached) => {
      const isNative = listsSkills(attached.params.container);
      refuseNativeSkills(isNative ? "The parameter container.skills" : undefined);
      const iterate = attached[Symbol.asyncIterator].bind(attached);
      // Awaiting a runner iterates it too.
      attached[Symbol.asyncIterator] = async function* () {
        runner = attached;
        added = new Set();
        if (!isToolResults(attached.params.messages.at(-1))) await bound.beginTurn();
        for (const content of bound.takeNotices()) attached.pushMessages({ role: "user", content });
        afterCall();
        try {
          yield* { [Symbol.asyncIterator]: iterate };
        } catch (error) {
          throw takeFault() ?? error;
        }
        const left = takeFault();
        if (left !== undefined) throw left;
      };
      return attached;
    },
    ...bound.loop,
  };
}

type Content = string | readonly object[];

/** The parts of a tool that are read or replaced. */
interface SdkTool {
  readonly name?: string;
  readonly type?: string;
  readonly run?: (input: unknown, context?: RunContext) => Content | Promise<Content>;
}

interface RunContext {
  readonly toolUse?: { readonly id?: string };
  readonly signal?: AbortSignal | null;
}

/** Tools without `run` are run by Anthropic, or by your own loop; they are left unchanged. */
function guardTool(bound: BoundSession, tool: SdkTool, afterCall: () => void): object {
  const { name, type = "", run } = tool;
  if (run === undefined) return tool;
  if (name === undefined)
    throw new SkilletError(
      "call-invalid",
      `The toolset ${type} runs on this machine, and the SDK gives no way to guard it; pass single tools that do the same.`,
      { data: { tool: type } },
    );
  return {
    ...tool,
    run: async (input: unknown, context?: RunContext): Promise<Content> => {
      const call = { name, input, callId: context?.toolUse?.id };
      const judgement = await bound.guard(call, { isApproved: false });
      afterCall();
      if (judgement.outcome !== "allow") throw new Error(judgement.text);
      const content = await run(input, context);
      await bound.called(call, content);
      return withNotices(bound, content);
    },
  };
}

function skillTool(
  bound: BoundSession,
  { name, description, inputSchema }: BoundTool,
  { afterCall, sendFiles }: { readonly afterCall: () => void; readonly sendFiles: boolean },
): object {
  return {
    type: "custom",
    name,
    description,
    input_schema: inputSchema,
    // The tool does the checks, with messages that help a model more.
    parse: (input: unknown) => input,
    run: async (input: unknown, context?: RunContext): Promise<Content> => {
      const call = { name, input, callId: context?.toolUse?.id };
      const result = await bound.execute(call, { signal: context?.signal ?? undefined });
      afterCall();
      // The SDK marks a result as failed only if the tool throws.
      if (result.isError) throw new Error(result.text);
      return withNotices(bound, toContent(result, sendFiles));
    },
  };
}

/** The next result reports changes, so that everything before it, which is cached, stays the same. */
function withNotices(bound: BoundSession, content: Content): Content {
  const notices = bound.takeNotices().map((text) => ({ type: "text", text }));
  if (notices.length === 0) return content;
  return [...(typeof content === "string" ? [{ type: "text", text: content }] : content), ...notices];
}

const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function toContent(result: AgentToolResult, sendFiles: boolean): Content {
  const files = (sendFiles ? filesOf(result) : []).flatMap(({ mediaType: media_type, base64: data }) => {
    const type = IMAGES.has(media_type) ? "image" : "document";
    const isTaken = type === "image" || media_type === "application/pdf";
    return isTaken ? [{ type, source: { type: "base64", media_type, data } }] : [];
  });
  const { text } = result;
  return files.length > 0 ? [{ type: "text", text }, ...files] : text;
}

/** A run that continues where another stopped is not a new turn. */
function isToolResults(message: unknown): boolean {
  const content = isJsonObject(message) ? message.content : undefined;
  return (
    Array.isArray(content) && content.some((block) => isJsonObject(block) && block.type === "tool_result")
  );
}
