import type { AgentToolResult, Question, Session } from "@skillet/core";
import { fieldOf, isJsonObject } from "@skillet/kit/json";
import { sortByByteOrder } from "@skillet/kit/order";
import {
  type BindOptions,
  type BoundCall,
  bindSession,
  filesOf,
  findNativeTool,
  type LoopSkills,
  refuseNativeSkills,
} from "./bind/bind-session.ts";

export type { BindOptions, LoopSkills } from "./bind/bind-session.ts";

/** Options for skills in an agent of LangChain. */
export interface LangChainOptions extends BindOptions {
  /** Passes the bytes of images and other files in results to the model; default: a line about them. */
  readonly sendFiles?: boolean | undefined;
}

/** The parts of a request to a model that are read here. */
export interface LangChainModelRequest {
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[];
  readonly systemMessage: { concat(text: string): unknown };
}

/** The parts of a tool call that are read here. */
export interface LangChainToolRequest {
  readonly toolCall: { readonly id?: string | undefined; readonly name: string; readonly args: unknown };
  readonly runtime: object;
}

type Handler<Answer> = (request: never) => Answer | PromiseLike<Answer>;

/** Skills in an agent of LangChain. */
export interface LangChainSkills extends LoopSkills {
  /** For `createMiddleware`; the agent's other tools stay yours, and are checked against skills and rules. */
  readonly middleware: {
    readonly name: "Skillet";
    beforeAgent(): Promise<void>;
    wrapModelCall<Answer>(request: LangChainModelRequest, handler: Handler<Answer>): Promise<Answer>;
    wrapToolCall<Answer>(request: LangChainToolRequest, handler: Handler<Answer>): Promise<Answer>;
  };
}

const HOST = "langchain";

/**
 * Skills for LangChain agents, as a middleware: catalogue, tools, a gate for the agent's tools, and records.
 *
 * Questions come as interrupts in the shape of `humanInTheLoopMiddleware` if the session was opened with
 * `interactive: true` and without `ask`. A turn begins with `invoke` or `stream`.
 *
 * @example
 * const skills = await langchain(session);
 * const agent = createAgent({ model, tools, middleware: [createMiddleware(skills.middleware)] });
 */
export async function langchain(
  session: Session,
  { sendFiles = false, ...options }: LangChainOptions = {},
): Promise<LangChainSkills> {
  const bound = await bindSession(session, HOST, options);
  return {
    middleware: {
      name: "Skillet",
      beforeAgent: () => bound.beginTurn(),
      wrapModelCall: async (request, handler) => {
        bound.throwFault();
        const own = sortByByteOrder([...request.tools], nameOf);
        refuseNativeSkills(findNativeTool(own.map(nameOf), bound.tools));
        const skillTools = bound.tools.filter(({ name }) => bound.isActive(name));
        const answer = await handler({
          ...request,
          messages: await bound.prepare(request.messages, false),
          tools: [
            ...own,
            ...skillTools.map(({ name, description, inputSchema: schema }) => ({
              name,
              description,
              schema: structuredClone(schema),
            })),
          ],
          ...(bound.instructions !== "" && {
            systemMessage: request.systemMessage.concat(`\n\n${bound.instructions}`),
          }),
        } as never);
        acceptInvalidCalls(answer, bound.isSkillTool);
        return answer;
      },
      wrapToolCall: async ({ toolCall, runtime, ...rest }, handler) => {
        const { id: callId, name, args: input } = toolCall;
        const { signal, writer, interrupt } = runtime as Runtime;
        const call = { name, input, callId };
        const request = { ...rest, toolCall, runtime };
        const judgement = await bound.judge(call);
        const isApproved =
          judgement.outcome === "ask" && isApproval(interrupt?.(reviewOf(call, judgement.question)));
        if (bound.isSkillTool(name)) {
          const decoder = new TextDecoder();
          const result = await bound.execute(call, {
            signal,
            isApproved,
            onOutput: (stream, bytes) =>
              writer?.({ ...call, stream, text: decoder.decode(bytes, { stream: true }) }),
          });
          return answerWith(result, { request, handler, sendFiles });
        }
        const guarded = await bound.guard(call, { isApproved });
        if (guarded.outcome === "allow") {
          const answer = await handler(request as never);
          await bound.called(call, fieldOf(answer, "content"));
          return answer;
        }
        return answerWith({ text: guarded.text, isError: true }, { request, handler, sendFiles });
      },
    },
    ...bound.loop,
  };
}

interface Runtime {
  readonly signal?: AbortSignal;
  readonly writer?: (chunk: object) => void;
  /** Throws until the user has answered; the call is then repeated. */
  readonly interrupt?: (asked: object) => unknown;
}

function nameOf(tool: unknown): string {
  const named = tool as { readonly name?: unknown } | undefined;
  return typeof named?.name === "string" ? named.name : "";
}

/** Asks like the SDK's own approval middleware, so that screens for it can be used. */
function reviewOf({ name, input: args }: BoundCall, { reason: description }: Question): object {
  return {
    actionRequests: [{ name, args, description }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ["approve", "reject"] }],
  };
}

function isApproval(answer: unknown): boolean {
  const decisions = isJsonObject(answer) && Array.isArray(answer.decisions) ? answer.decisions : [];
  return decisions.length === 1 && isJsonObject(decisions[0]) && decisions[0].type === "approve";
}

/**
 * A message with our text. The SDK makes it from a tool that replaces the called one: so nothing is imported
 * from it here, and its check of the input, whose message helps a model less, is skipped.
 */
async function answerWith<Answer>(
  result: AgentToolResult,
  how: {
    readonly request: LangChainToolRequest;
    readonly handler: Handler<Answer>;
    readonly sendFiles: boolean;
  },
): Promise<Answer> {
  const { text, isError } = result;
  const { name } = how.request.toolCall;
  const message = await how.handler({ ...how.request, tool: { name, invoke: async () => text } } as never);
  const files = (how.sendFiles ? filesOf(result) : []).map(
    ({ mediaType: mime_type, base64: data, filename }) => {
      const type = mime_type.startsWith("image/") ? "image" : "file";
      return { type, source_type: "base64", mime_type, data, metadata: { filename } };
    },
  );
  const content = files.length > 0 && { content: [{ type: "text", text }, ...files] };
  return Object.assign(message as object, content, isError && { status: "error" }) as Answer;
}

/** Calls with arguments other than JSON would end the loop; skill tools tell the model what is wrong. */
function acceptInvalidCalls(answer: unknown, isSkillTool: (name: string) => boolean): void {
  const { invalid_tool_calls: invalid = [], tool_calls: calls } = answer as {
    readonly invalid_tool_calls?: readonly { readonly id?: string; readonly name?: string }[];
    readonly tool_calls?: object[];
  };
  for (const { id = "", name = "" } of invalid) if (isSkillTool(name)) calls?.push({ id, name, args: {} });
}
