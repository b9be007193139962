import type { AgentToolOptions, AgentToolResult, ObjectSchema, Session } from "@skillet/core";

/** A tool as most model APIs take it: a name, a description and JSON Schema. */
export interface PlainTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
}

/** The skills of a session for a loop of your own. */
export interface PlainSkills {
  /** For the system prompt; empty without skills. */
  readonly instructions: string;
  /** As they are now; list them again for every request, since skills bring tools of their own. */
  readonly tools: readonly PlainTool[];
  /**
   * Carries out a call of a tool of skills. For every other name it says whether your own tool may be called: undefined
   * means yes, a result is the refusal for the model. Nothing that a model writes makes it throw.
   */
  call(name: string, input: unknown, options?: AgentToolOptions): Promise<AgentToolResult | undefined>;
}

/**
 * Skills for a loop without an SDK: JSON Schema tools and one function for calls.
 *
 * @param conversation What the person said so far, the newest last.
 * @example
 * const skills = await plain(session, [message]);
 * const result = (await skills.call(call.name, call.arguments)) ?? (await ownTools[call.name](call.arguments));
 */
export async function plain(session: Session, conversation: readonly string[]): Promise<PlainSkills> {
  const { text, toolbox } = await session.prompt(conversation);
  return {
    instructions: text,
    get tools() {
      return toolbox.tools
        .filter((tool) => tool.isActive())
        .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    },
    call: async (name, input, options) => {
      const tool = toolbox.tools.find((one) => one.name === name);
      if (tool !== undefined) return tool.execute(input, options);
      const guarded = await session.guard({ tool: name, input }, options);
      if (guarded.allowed) return undefined;
      const { text: refusal, question } = guarded;
      const code = `tool-${guarded.decision.outcome}`;
      return { text: refusal, isError: true, code, ...(question && { question }) };
    },
  };
}
