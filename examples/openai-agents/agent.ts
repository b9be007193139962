// An agent with OpenAI's Agents SDK. Scripts wait for a person's approval, by the SDK's own interruptions.
// Usage: node openai-agents/agent.ts BASE_URL MESSAGE

import { createInterface } from "node:readline/promises";
import { Agent, type FunctionTool, OpenAIProvider, Runner, tool } from "@openai/agents";
import { type Answer, openSkills, type Question } from "@skillet/core";
import { createRunner } from "@skillet/run";
import { createVetter } from "@skillet/scan";
import { ownTools } from "../own-tools.ts";

const [baseURL = "", message = ""] = process.argv.slice(2);

const vetter = createVetter(); // scans before a model sees a skill
const config = { policy: { rules: [{ tool: "run_skill_script", action: "ask" as const }] } };
const skills = await openSkills({ roots: ["skills"], vetter, config });
const scripts = ["release-notes:scripts/count-changes.sh", "release-notes:scripts/check-line.sh"];
// A person can be asked, but by the SDK: without an `ask`, a question comes back to the caller.
await using session = await skills.session({ interactive: true, runner: createRunner({ allow: scripts }) });

await using _turn = session.turn(); // what a skill narrows, it narrows until here ends
const { text, toolbox } = await session.prompt([message], { toolbox: { strict: true } });

const questions = new Map<string, Question>(); // by call
const isAsked = (callId = "", question?: Question): boolean => {
  if (question) questions.set(callId, question);
  return question !== undefined;
};
// The SDK carries out only what was approved, and an approval holds for exactly the question that was shown.
const approvalOf = (callId = ""): Answer | undefined => {
  const id = questions.get(callId)?.id;
  return id && { choice: "allow", id };
};

// Not by the SDK's `tool`, which changes names such as release-notes__check_line.
const skillTools = toolbox.tools.map(
  (skillTool): FunctionTool => ({
    type: "function",
    name: skillTool.name,
    description: skillTool.description,
    parameters: skillTool.inputSchema as FunctionTool["parameters"],
    strict: skillTool.strict,
    isEnabled: async () => skillTool.isActive(),
    needsApproval: async (_, input, callId) => isAsked(callId, (await skillTool.preflight(input)).question),
    invoke: async (_, input, details) => {
      const approval = approvalOf(details?.toolCall?.callId);
      return (await skillTool.execute(input, { signal: details?.signal, approval })).text;
    },
  }),
);
const agentTools = ownTools.map(({ name, description, inputSchema, run }) =>
  tool({
    name,
    description,
    parameters: inputSchema,
    needsApproval: async (_, input, callId) => {
      const guarded = await session.guard({ tool: name, input });
      return !guarded.allowed && isAsked(callId, guarded.question);
    },
    execute: async (input, _, details) => {
      const approval = approvalOf(details?.toolCall?.callId);
      const guarded = await session.guard({ tool: name, input }, { approval });
      return guarded.allowed ? run(input) : guarded.text;
    },
  }),
);

const agent = new Agent({
  name: "Assistant",
  model: process.env.MODEL ?? "gpt-5",
  instructions: `You are a helpful assistant.\n\n${text}`,
  tools: [...skillTools, ...agentTools],
});
const modelProvider = new OpenAIProvider({ baseURL, apiKey: process.env.OPENAI_API_KEY ?? "none" });
const runner = new Runner({ modelProvider, tracingDisabled: true });
const terminal = createInterface({ input: process.stdin, output: process.stderr });
const ask = async ({ reason }: Question): Promise<boolean> =>
  (await terminal.question(`${reason}. Allow it? [y/N] `)) === "y";

let result = await runner.run(agent, message);
while (result.interruptions.length > 0) {
  for (const item of result.interruptions) {
    // The run's state and the questions are plain data: they can wait in a database until a person has answered.
    const question = questions.get("callId" in item.rawItem ? item.rawItem.callId : "");
    // The SDK also asks about arguments that are not JSON; then there is no question, and the tool refuses them.
    if (!question || (await ask(question))) result.state.approve(item);
    else result.state.reject(item, { message: `The user did not allow it: ${question.reason}.` });
  }
  result = await runner.run(agent, result.state);
}
terminal.close();
console.log(result.finalOutput);
