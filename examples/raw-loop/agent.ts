// An agent without any SDK: fetch, and a loop over a chat-completions API.
// Usage: node raw-loop/agent.ts BASE_URL MESSAGE

import { openSkills } from "@skillet/core";
import { createRunner } from "@skillet/run";
import { createVetter } from "@skillet/scan";
import { z } from "zod";
import { ownTools } from "../own-tools.ts";

const [baseUrl = "", message = ""] = process.argv.slice(2);

const vetter = createVetter(); // scans before a model sees a skill
const skills = await openSkills({ roots: ["skills"], vetter });
const scripts = ["release-notes:scripts/count-changes.sh", "release-notes:scripts/check-line.sh"];
await using session = await skills.session({ runner: createRunner({ allow: scripts }) });

await using _turn = session.turn(); // what a skill narrows, it narrows until here ends
const { text, toolbox } = await session.prompt([message]);

interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

const messages: Message[] = [
  { role: "system", content: `You are a helpful assistant.\n\n${text}` },
  { role: "user", content: message },
];

for (;;) {
  const answer = await complete();
  messages.push(answer);
  if (answer.tool_calls === undefined || answer.tool_calls.length === 0) break;
  for (const call of answer.tool_calls)
    messages.push({ role: "tool", tool_call_id: call.id, content: await callTool(call.function) });
}
console.log(messages.at(-1)?.content);

async function callTool({ name, arguments: json }: ToolCall["function"]): Promise<string> {
  const skillTool = toolbox.tools.find((tool) => tool.name === name);
  if (skillTool) return (await skillTool.execute(json)).text;
  const input = parse(json);
  const guarded = await session.guard({ tool: name, input });
  if (!guarded.allowed) return guarded.text;
  const own = ownTools.find((tool) => tool.name === name);
  return own ? own.run(input) : `There is no tool ${name}.`;
}

async function complete(): Promise<Message> {
  const tools = [
    ...toolbox.tools.filter((tool) => tool.isActive()),
    ...ownTools.map((tool) => ({ ...tool, inputSchema: z.toJSONSchema(tool.inputSchema) })),
  ].map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({ model: process.env.MODEL ?? "gpt-5", messages, tools }),
  });
  if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`);
  const { choices } = (await response.json()) as { choices: [{ message: Message }] };
  return choices[0].message;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
