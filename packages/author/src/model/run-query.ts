import type { Skill } from "@skillet/core";
import type { ChatMessage, TokenUsage } from "@skillet/kit/chat";
import type { ChatModel, ModelFailure } from "./chat-model.ts";
import type { SkillDesk } from "./skill-desk.ts";

export interface QueryRun {
  readonly outcome: "triggered" | "not-triggered" | "failed";
  readonly failure?: ModelFailure;
  readonly others: readonly string[];
  readonly turns: number;
  readonly usage: UsageSum;
}

export interface UsageSum extends TokenUsage {
  readonly answers: number;
  readonly withoutUsage: number;
}

/** An agent that has not loaded the skill by then works on something else. */
const MAX_TURNS = 8;

/** Holds one conversation; it ends when the skill is loaded, at any turn, or when the model has said its last. */
export async function runQuery(
  query: string,
  options: {
    readonly skill: Skill;
    readonly model: ChatModel;
    readonly desk: SkillDesk;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal;
  },
): Promise<QueryRun> {
  const { skill, model, desk, timeoutMs, signal } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const messages: ChatMessage[] = [
    { role: "system", content: desk.system },
    { role: "user", content: query },
  ];
  const others = new Set<string>();
  let usage = NO_USAGE;
  const end = (outcome: QueryRun["outcome"], turns: number, failure?: ModelFailure): QueryRun => ({
    ...{ outcome, turns, usage, others: [...others] },
    ...(failure && { failure }),
  });
  for (let turn = 1; turn <= MAX_TURNS; turn += 1) {
    const answer = await model.ask(messages, { tools: desk.tools, deadline, ...(signal && { signal }) });
    if ("failure" in answer) {
      const { kind, message } = answer.failure;
      const told = kind === "timeout" ? `${message}: within ${timeoutMs} ms for one run` : message;
      return end("failed", turn, { kind, message: told });
    }
    usage = addUsage(usage, {
      ...(answer.usage ?? NO_USAGE),
      answers: 1,
      withoutUsage: answer.usage === undefined ? 1 : 0,
    });
    if (answer.toolCalls.length === 0) return end("not-triggered", turn);
    messages.push({ role: "assistant", content: answer.content, tool_calls: answer.toolCalls });
    let isLoaded = false;
    for (const call of answer.toolCalls) {
      const { loaded, text } = await desk.answer(call.function);
      for (const { qualifiedName } of loaded)
        if (qualifiedName === skill.qualifiedName) isLoaded = true;
        else others.add(qualifiedName);
      messages.push({ role: "tool", tool_call_id: call.id, content: text });
    }
    if (isLoaded) return end("triggered", turn);
  }
  return end("not-triggered", MAX_TURNS);
}

export const NO_USAGE: UsageSum = { promptTokens: 0, completionTokens: 0, answers: 0, withoutUsage: 0 };

export function addUsage(left: UsageSum, right: UsageSum): UsageSum {
  return {
    promptTokens: left.promptTokens + right.promptTokens,
    completionTokens: left.completionTokens + right.completionTokens,
    answers: left.answers + right.answers,
    withoutUsage: left.withoutUsage + right.withoutUsage,
  };
}
