// An agent with Anthropic's SDK and its tool runner.
// Usage: node anthropic-sdk/agent.ts BASE_URL MESSAGE

import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { type FilePart, openSkills, type TextPart } from "@skillet/core";
import { createRunner } from "@skillet/run";
import { createVetter } from "@skillet/scan";
import { ownTools } from "../own-tools.ts";

const [baseURL = "", message = ""] = process.argv.slice(2);

const vetter = createVetter(); // scans before a model sees a skill
const skills = await openSkills({ roots: ["skills"], vetter });
const scripts = ["release-notes:scripts/count-changes.sh", "release-notes:scripts/check-line.sh"];
await using session = await skills.session({ runner: createRunner({ allow: scripts }) });

await using _turn = session.turn(); // what a skill narrows, it narrows until here ends
const { text, toolbox } = await session.prompt([message]);

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

// All of them from the start, because a list that changes empties the prompt cache; a tool whose skill is not loaded
// yet says so.
const skillTools = toolbox.tools.map((tool) =>
  betaTool({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    run: async (input, context) => {
      const result = await tool.execute(input, { signal: context?.signal ?? undefined });
      if (result.isError) throw new ToolError(result.text);
      return result.parts?.flatMap(toBlocks) ?? result.text;
    },
  }),
);
const agentTools = ownTools.map(({ name, description, inputSchema, run }) =>
  betaZodTool({
    name,
    description,
    inputSchema,
    run: async (input) => {
      const guarded = await session.guard({ tool: name, input });
      if (!guarded.allowed) throw new ToolError(guarded.text);
      return run(input);
    },
  }),
);

function toBlocks(part: TextPart | FilePart): Anthropic.Beta.Messages.BetaToolResultContentBlockParam[] {
  if (part.type === "text") return [part];
  const media_type = IMAGES.find((type) => type === part.mediaType);
  const data = Buffer.from(part.data).toString("base64");
  return media_type ? [{ type: "image", source: { type: "base64", media_type, data } }] : [];
}

const client = new Anthropic({ baseURL, apiKey: process.env.ANTHROPIC_API_KEY ?? "none" });
const { content } = await client.beta.messages.toolRunner({
  model: process.env.MODEL ?? "claude-sonnet-4-5",
  max_tokens: 4096,
  max_iterations: 20,
  system: `You are a helpful assistant.\n\n${text}`,
  messages: [{ role: "user", content: message }],
  tools: [...skillTools, ...agentTools],
});
console.log(content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"));
