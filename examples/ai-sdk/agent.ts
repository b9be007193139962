// An agent with the Vercel AI SDK.
// Usage: node ai-sdk/agent.ts BASE_URL MESSAGE

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { openSkills } from "@skillet/core";
import { createRunner } from "@skillet/run";
import { createVetter } from "@skillet/scan";
import { dynamicTool, generateText, jsonSchema, stepCountIs, type ToolSet } from "ai";
import { ownTools } from "../own-tools.ts";

const [baseURL = "", message = ""] = process.argv.slice(2);

const vetter = createVetter(); // scans before a model sees a skill
const skills = await openSkills({ roots: ["skills"], vetter });
const scripts = ["release-notes:scripts/count-changes.sh", "release-notes:scripts/check-line.sh"];
await using session = await skills.session({ runner: createRunner({ allow: scripts }) });

await using _turn = session.turn(); // what a skill narrows, it narrows until here ends
const { text: catalogue, toolbox } = await session.prompt([message]);

const tools: ToolSet = {};
for (const tool of toolbox.tools)
  tools[tool.name] = dynamicTool({
    description: tool.description,
    inputSchema: jsonSchema(tool.inputSchema), // checked by the tool itself, whose messages help a model more
    execute: async (input, { abortSignal: signal }) => (await tool.execute(input, { signal })).text,
  });
for (const tool of ownTools)
  tools[tool.name] = dynamicTool({
    description: tool.description,
    inputSchema: tool.inputSchema,
    execute: async (input) => {
      const guarded = await session.guard({ tool: tool.name, input });
      return guarded.allowed ? tool.run(input) : guarded.text;
    },
  });

const provider = createOpenAICompatible({ name: "model", baseURL, apiKey: process.env.OPENAI_API_KEY ?? "" });
const { text } = await generateText({
  model: provider(process.env.MODEL ?? "gpt-5"),
  system: `You are a helpful assistant.\n\n${catalogue}`,
  prompt: message,
  tools,
  // The tools are fixed for the call, but a skill's own are shown once it is loaded.
  prepareStep: () => ({
    activeTools: Object.keys(tools).filter(
      (name) => toolbox.tools.find((tool) => tool.name === name)?.isActive() ?? true,
    ),
  }),
  stopWhen: stepCountIs(20),
});
console.log(text);
