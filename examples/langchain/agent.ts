// An agent with LangChain, whose loop is a LangGraph graph.
// Usage: node langchain/agent.ts BASE_URL MESSAGE

import { ChatOpenAI } from "@langchain/openai";
import { openSkills } from "@skillet/core";
import { createRunner } from "@skillet/run";
import { createVetter } from "@skillet/scan";
import { createAgent, createMiddleware, ToolMessage, tool } from "langchain";
import { ownTools } from "../own-tools.ts";

const [baseURL = "", message = ""] = process.argv.slice(2);

const vetter = createVetter(); // scans before a model sees a skill
const skills = await openSkills({ roots: ["skills"], vetter });
const scripts = ["release-notes:scripts/count-changes.sh", "release-notes:scripts/check-line.sh"];
await using session = await skills.session({ runner: createRunner({ allow: scripts }) });

await using _turn = session.turn(); // what a skill narrows, it narrows until here ends
const { text, toolbox } = await session.prompt([message]);
const findTool = (name: unknown) => toolbox.tools.find((one) => one.name === name);

const middleware = createMiddleware({
  name: "skills",
  wrapModelCall: async (request, handler) => {
    // A skill's own tools are shown once it is loaded.
    const tools = request.tools.filter(({ name }) => findTool(name)?.isActive() ?? true);
    const answer = await handler({ ...request, tools });
    // Calls whose arguments are not JSON would end the loop; the tool tells the model what is wrong instead.
    for (const { id = "", name = "" } of answer.invalid_tool_calls ?? [])
      answer.tool_calls?.push({ id, name, args: {} });
    return answer;
  },
  wrapToolCall: async (request, handler) => {
    const { id = "", name, args: input } = request.toolCall;
    const answer = (content: string, isError: boolean): ToolMessage =>
      new ToolMessage({ tool_call_id: id, name, content, status: isError ? "error" : "success" });
    // Not by the handler, whose own check of the input ends in worse messages.
    const result = await findTool(name)?.execute(input, { signal: request.runtime.signal });
    if (result) return answer(result.text, result.isError);
    const guarded = await session.guard({ tool: name, input });
    return guarded.allowed ? handler(request) : answer(guarded.text, true);
  },
});

const agent = createAgent({
  model: new ChatOpenAI({
    model: process.env.MODEL ?? "gpt-5",
    apiKey: process.env.OPENAI_API_KEY ?? "none",
    configuration: { baseURL },
  }),
  systemPrompt: `You are a helpful assistant.\n\n${text}`,
  tools: [
    ...toolbox.tools.map(({ name, description, inputSchema }) =>
      tool(() => "", { name, description, schema: inputSchema }),
    ),
    ...ownTools.map(({ name, description, inputSchema, run }) =>
      tool(run, { name, description, schema: inputSchema }),
    ),
  ],
  middleware: [middleware],
});
const { messages } = await agent.invoke(
  { messages: [{ role: "user", content: message }] },
  { recursionLimit: 60 },
);
console.log(messages.at(-1)?.text);
