// An MCP server that gives its clients the skills, over standard input and output.
// Usage: node mcp-server/server.ts

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { type FilePart, openSkills, type TextPart } from "@skillet/core";
import { createRunner } from "@skillet/run";
import { createVetter } from "@skillet/scan";

const vetter = createVetter(); // scans before a model sees a skill
const skills = await openSkills({ roots: ["skills"], vetter });
const scripts = ["release-notes:scripts/count-changes.sh", "release-notes:scripts/check-line.sh"];
const session = await skills.session({ runner: createRunner({ allow: scripts }) });
// A server has no system prompt: the description of load_skill lists the skills.
const toolbox = await session.toolbox({ catalog: {} });

const server = new Server(
  { name: "skills", version: "1.0.0" },
  { capabilities: { tools: { listChanged: true } } },
);
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: toolbox.tools
    .filter((tool) => tool.isActive())
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
  const tool = toolbox.tools.find(({ name }) => name === params.name);
  if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}.`);
  const result = await tool.execute(params.arguments, { signal });
  const { isError, parts = [{ type: "text" as const, text: result.text }] } = result;
  return { isError, content: parts.flatMap(toContent) };
});

function toContent(part: TextPart | FilePart): CallToolResult["content"] {
  if (part.type === "text") return [part];
  const data = Buffer.from(part.data).toString("base64");
  return part.mediaType.startsWith("image/") ? [{ type: "image", data, mimeType: part.mediaType }] : [];
}

toolbox.onChange(() => server.sendToolListChanged());
skills.watch(() => session.refresh().catch(console.error), { onError: console.error });

await server.connect(new StdioServerTransport());
