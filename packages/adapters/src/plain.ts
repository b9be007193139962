import type { AgentTool, AgentToolOptions, AgentToolResult, CompactOptions, Session } from "@skillet/core";
import { type BindOptions, bindSession, findNativeTool, refuseNativeSkills } from "./bind/bind-session.ts";

export type { BindOptions } from "./bind/bind-session.ts";

/** Options for skills in a loop of your own. */
export interface PlainOptions extends BindOptions {
  /** The names of your own tools; those of another skills feature are refused. */
  readonly tools?: readonly string[] | undefined;
  /** Your agent's name in records; default: `plain`. */
  readonly host?: string | undefined;
}

/** A tool in the form of most model APIs: a name, a description and JSON Schema. */
export type PlainTool = Pick<AgentTool, "name" | "description" | "inputSchema">;

/** Options for a call. */
export interface PlainCallOptions extends Pick<AgentToolOptions, "signal" | "onOutput"> {
  /** The model's id for the call, for the records. */
  readonly callId?: string | undefined;
  /** The user approved exactly this call, which had returned the code `approval-needed`. */
  readonly isApproved?: boolean | undefined;
}

/** The skills of a session for a loop of your own. */
export interface PlainSkills {
  /** For the system prompt; the same throughout the conversation, and empty without skills. */
  readonly instructions: string;
  /** The present tools; list them again for every request, since skills bring tools of their own. */
  readonly tools: readonly PlainTool[];
  /**
   * Carries out a call of a skill tool. For any other name it says whether your own tool may be called:
   * undefined means yes, a result is the refusal for the model. A model's input never makes it throw.
   */
  call(name: string, input: unknown, options?: PlainCallOptions): Promise<AgentToolResult | undefined>;
  /** After your own tool ran: tells hooks of allowed plugins; returns their text for the model, if any. */
  called(name: string, input: unknown, response: unknown): Promise<string | undefined>;
  /** Call it when a user's message comes: it ends what skills narrowed for the message before. */
  beginTurn(): Promise<void>;
  /** Picks up changed skills; returns the one message that tells the model, if there is something to tell. */
  refresh(): Promise<string | undefined>;
  /** The message to add after you have shortened the history. */
  compacted(options?: CompactOptions): Promise<string>;
}

/**
 * Skills for a loop without an SDK: JSON Schema tools and one function for calls.
 *
 * @example
 * const skills = await plain(session, { conversation: [message] });
 * const result = (await skills.call(name, input)) ?? (await ownTools[name](input));
 */
export async function plain(
  session: Session,
  { tools = [], host = "plain", ...options }: PlainOptions = {},
): Promise<PlainSkills> {
  const bound = await bindSession(session, host, options);
  refuseNativeSkills(findNativeTool(tools, bound.tools));
  return {
    instructions: bound.instructions,
    get tools() {
      return bound.tools
        .filter(({ name }) => bound.isActive(name))
        .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    },
    call: async (name, input, { callId, isApproved = false, ...how } = {}) => {
      const call = { name, input, callId };
      if (bound.isSkillTool(name)) {
        const result = await bound.execute(call, { ...how, isApproved });
        bound.throwFault();
        return { ...result, text: [result.text, ...bound.takeNotices()].join("\n\n") };
      }
      const judgement = await bound.guard(call, { isApproved });
      bound.throwFault();
      if (judgement.outcome === "allow") return undefined;
      const { text } = judgement;
      return judgement.outcome === "ask"
        ? { text, isError: true, code: "approval-needed", question: judgement.question }
        : { text, isError: true, code: "tool-denied" };
    },
    called: async (name, input, response) => {
      await bound.called({ name, input }, response);
      bound.throwFault();
      return bound.takeNotices().join("\n\n") || undefined;
    },
    beginTurn: bound.beginTurn,
    refresh: async () => {
      await bound.loop.refresh();
      return bound.takeNotices().join("\n\n") || undefined;
    },
    compacted: bound.compact,
  };
}
