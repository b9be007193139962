import { type AgentToolResult, type Question, type Session, SkilletError } from "@skillet/core";
import { fieldOf, parseJson } from "@skillet/kit/json";
import { sortByByteOrder } from "@skillet/kit/order";
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

export type { BindOptions, LoopSkills } from "./bind/bind-session.ts";

/** Options for skills in an agent of OpenAI's Agents SDK. */
export interface OpenAiAgentsOptions<Tool extends object> extends BindOptions {
  /** Your own tools: a call that a loaded skill does not cover is refused, or asked about, before it runs. */
  readonly tools?: readonly Tool[] | undefined;
  /** Your own instructions; the catalogue comes after them. */
  readonly instructions?: string | undefined;
  /** Passes the bytes of files in results to the model, for the Responses API; default: a line about them. */
  readonly sendFiles?: boolean | undefined;
}

/** Skills in an agent of OpenAI's Agents SDK. */
export interface OpenAiAgentsSkills<Tool extends object> extends LoopSkills {
  /** Spread this into the settings of the agent. */
  readonly agent: { readonly instructions: string; readonly tools: Tool[] };
  /** Spread this into the options of `run` or of a `Runner`. */
  readonly run: {
    readonly toolNameCollisionPolicy: "error";
    callModelInputFilter<Item>(given: {
      readonly modelData: { readonly input: Item[]; readonly instructions?: string };
      /** For inspection only: skills of a sandbox next to these are refused. */
      readonly agent?: { readonly capabilities?: readonly { readonly type?: string }[] };
    }): Promise<{ input: Item[]; instructions?: string }>;
  };
  /** The question to the user about an interruption, by the id of its call. */
  questionOf(callId: string | undefined): Question | undefined;
}

/** The parts of a run's context that are used here. */
interface RunContext {
  isToolApproved(call: { readonly toolName: string; readonly callId: string }): boolean | undefined;
}

type Invoke = (
  context: RunContext,
  input: string,
  details?: { readonly toolCall?: { readonly callId?: string }; readonly signal?: AbortSignal },
) => Promise<unknown>;

/** The parts of a tool that are read or replaced. */
interface SdkTool {
  readonly type?: string;
  readonly name?: string;
  readonly environment?: unknown;
  readonly inputGuardrails?: readonly object[];
  readonly needsApproval?: (context: RunContext, input: unknown, callId?: string) => Promise<boolean>;
  readonly invoke?: Invoke;
}

const HOST = "openai-agents";

/**
 * Skills for OpenAI's Agents SDK: catalogue, tools, a guardrail for your own function tools, and records.
 *
 * Questions come as the SDK's interruptions if the session was opened with `interactive: true` and without
 * `ask`. A turn begins with a user's message and ends with the next one, or with `close()`.
 *
 * @example
 * const skills = await openaiAgents(session, { tools, instructions: "You are a helpful assistant." });
 * const { finalOutput } = await run(new Agent({ name: "Assistant", ...skills.agent }), message, skills.run);
 */
export async function openaiAgents<Tool extends object = never>(
  session: Session,
  { tools: given = [], instructions: own, sendFiles = false, ...options }: OpenAiAgentsOptions<Tool> = {},
): Promise<OpenAiAgentsSkills<Tool>> {
  const toolbox = { strict: true, ...options.toolbox };
  const bound = await bindSession(session, HOST, { ...options, toolbox });
  const hostTools = sortByByteOrder([...(given as readonly SdkTool[])], ({ name = "" }) => name);
  const names = hostTools.map(({ name = "" }) => name);
  refuseNativeSkills(hostTools.map(findNativeSkills).find(Boolean) ?? findNativeTool(names, bound.tools));
  return {
    agent: {
      instructions: bound.instructionsAfter(own),
      tools: [
        ...hostTools.map((tool) => guardTool(bound, tool)),
        ...bound.tools.map((tool) => skillTool(bound, tool, sendFiles)),
      ] as Tool[],
    },
    run: {
      toolNameCollisionPolicy: "error",
      callModelInputFilter: async ({ modelData: { input, ...rest }, agent: { capabilities = [] } = {} }) => {
        bound.throwFault();
        const isNative = capabilities.some(({ type }) => type === "skills");
        refuseNativeSkills(isNative ? "The agent's capability skills" : undefined);
        // Within a run, the last item is the result of a tool.
        return { ...rest, input: await bound.prepare(input, true) };
      },
    },
    questionOf: bound.questionOf,
    ...bound.loop,
  };
}

async function asks(bound: BoundSession, call: BoundCall): Promise<boolean> {
  return (await bound.judge(call)).outcome === "ask";
}

function isApproved(context: RunContext, toolName: string, callId = ""): boolean {
  return context.isToolApproved({ toolName, callId }) === true;
}

/** Hosted tools run elsewhere and have no guardrails; they are left unchanged. */
function guardTool(bound: BoundSession, tool: SdkTool): object {
  const { name = "", type, inputGuardrails = [], needsApproval } = tool;
  if (["shell", "editor", "computer"].some((local) => fieldOf(tool, local) !== undefined))
    throw new SkilletError(
      "call-invalid",
      `The tool ${name || type} runs on this machine, and the SDK gives no way to guard it; pass a function tool that does the same.`,
      { data: { tool: name || type } },
    );
  if (type !== "function") return tool;
  const guardrail = {
    type: "tool_input",
    name: "skillet",
    run: async (data: {
      readonly context: RunContext;
      readonly toolCall: { readonly callId: string; readonly arguments: string };
    }) => {
      const { callId, arguments: json } = data.toolCall;
      const call = { name, callId, input: parseJson(json) ?? json };
      const judgement = await bound.guard(call, { isApproved: isApproved(data.context, name, callId) });
      if (judgement.outcome === "allow") return { behavior: { type: "allow" } };
      return { behavior: { type: "rejectContent", message: judgement.text } };
    },
  };
  const invoke: Invoke = async (context, json, details) => {
    const response = await tool.invoke?.(context, json, details);
    await bound.called({ name, input: parseJson(json) ?? json, callId: details?.toolCall?.callId }, response);
    return response;
  };
  return {
    ...tool,
    invoke,
    inputGuardrails: [guardrail, ...inputGuardrails],
    needsApproval: async (context: RunContext, input: unknown, callId?: string) =>
      (await asks(bound, { name, input, callId })) ||
      (await needsApproval?.(context, input, callId)) === true,
  };
}

function skillTool(
  bound: BoundSession,
  { name, description, inputSchema, strict }: BoundTool,
  sendFiles: boolean,
): object {
  const invoke: Invoke = async (context, json, details) => {
    const callId = details?.toolCall?.callId;
    const how = { signal: details?.signal, isApproved: isApproved(context, name, callId) };
    return toOutput(await bound.execute({ name, input: parseJson(json) ?? json, callId }, how), sendFiles);
  };
  return {
    type: "function",
    name,
    description,
    parameters: inputSchema,
    strict,
    isEnabled: async () => bound.isActive(name),
    needsApproval: (_: RunContext, input: unknown, callId?: string) => asks(bound, { name, input, callId }),
    invoke,
  };
}

function toOutput(result: AgentToolResult, sendFiles: boolean): string | object[] {
  const { text } = result;
  const files = filesOf(result).map(({ base64: data, mediaType, filename }) =>
    mediaType.startsWith("image/")
      ? { type: "image", image: { data, mediaType } }
      : { type: "file", file: { data, mediaType, filename } },
  );
  return sendFiles && files.length > 0 ? [{ type: "text", text }, ...files] : text;
}

/** Finds the shell tool with skills of its own. */
function findNativeSkills({ type, environment }: SdkTool): string | undefined {
  return listsSkills(environment) ? `The tool ${type}, with skills in its environment,` : undefined;
}
