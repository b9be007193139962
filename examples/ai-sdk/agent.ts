// An agent with the Vercel AI SDK.
// Usage: node ai-sdk/agent.ts BASE_URL MESSAGE

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdk } from "@skillet/adapters/ai-sdk";
import { openSkills } from "@skillet/core";
import { createRunner } from "@skillet/run";
import { createVetter } from "@skillet/scan";
import { dynamicTool, generateText, stepCountIs, type ToolSet } from "ai";
import { ownTools } from "../own-tools.ts";

const [baseURL = "", message = ""] = process.argv.slice(2);

const vetter = createVetter(); // scans before a model sees a skill
const skills = await openSkills({ roots: ["skills"], vetter });
const scripts = ["release-notes:scripts/count-changes.sh", "release-notes:scripts/check-line.sh"];
await using session = await skills.session({ runner: createRunner({ allow: scripts }) });

const tools: ToolSet = Object.fromEntries(
  ownTools.map(({ name, run, ...tool }) => [name, dynamicTool({ ...tool, execute: run })]),
);
const instructions = "You are a helpful assistant.";
const { settings } = await aiSdk(session, { tools, instructions, conversation: [message] });

const provider = createOpenAICompatible({ name: "model", baseURL, apiKey: process.env.OPENAI_API_KEY ?? "" });
const { text } = await generateText({
  model: provider(process.env.MODEL ?? "gpt-5"),
  prompt: message,
  stopWhen: stepCountIs(20),
  ...settings,
});
console.log(text);
