// An agent on a terminal: it streams, asks before it changes or runs anything, and goes on where it was left.
// Usage: node cli-agent/agent.ts BASE_URL [CONVERSATION]

import { realpathSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import {
  type AgentEvent,
  commandTool,
  createPermissions,
  fileTools,
  openAgent,
  openModel,
  openTranscript,
} from "@skillet/agent";
import { type Ask, openSkills } from "@skillet/core";
import { createRunner } from "@skillet/run";
import { createVetter } from "@skillet/scan";

const [endpoint = "", conversation = "conversation.jsonl"] = process.argv.slice(2);
const workspace = realpathSync(process.cwd());
const terminal = createInterface({ input: process.stdin, output: process.stderr });

/** What a model wrote, without what could draw on the terminal. */
function plain(text: string): string {
  return text.replaceAll(/(?!\n)\p{Cc}/gu, "�");
}

// The one way to the person: for rules about skills, and for the agent's own tools.
const ask: Ask = async ({ reason, call }, { signal }) => {
  const what = call === undefined ? "" : `${plain(JSON.stringify(call.input, null, 2))}\n`;
  // A model that writes control characters into a path could draw another question.
  const why = plain(reason).replaceAll("\n", " ");
  const answer = await terminal.question(`${what}${why}. Do it? [y/N] `, { signal });
  return { choice: answer === "y" ? "allow" : "deny" };
};
const permissions = createPermissions({ workspace, allow: [], ask });

const skills = await openSkills({ roots: ["skills"], vetter: createVetter() }); // scans before a model sees a skill
const session = await skills.session({
  ask: permissions.ask,
  runner: createRunner({ allow: ["release-notes:scripts/count-changes.sh"] }),
  projectDirectory: workspace,
  hostTools: ["delegate"], // what no skill takes away
});
const agent = await openAgent({
  session,
  model: openModel({
    protocol: "openai",
    endpoint,
    model: process.env.MODEL ?? "gpt-5",
    apiKey: process.env.OPENAI_API_KEY,
  }),
  tools: {
    ...fileTools({ workspace, permissions }),
    ...commandTool({
      workspace,
      permissions,
      runner: createRunner({ writable: [workspace] }), // commands run in the sandbox of scripts
      runId: session.runId,
    }),
  },
  transcript: await openTranscript(conversation), // a second process is refused while this one has it
  onEvent: show,
});

function show(event: AgentEvent): void {
  const indent = event.child === undefined ? "" : `  [${event.child}] `;
  // A terminal would obey control characters in what a model says.
  if (event.type === "text" && event.child === undefined) process.stdout.write(plain(event.text));
  if (event.type === "skill") console.error(`${indent}skill ${event.name}`);
  if (event.type === "call") console.error(`${indent}${event.tool} ${JSON.stringify(event.input)}`);
  if (event.type === "notice") console.error(`${indent}${plain(event.text)}`);
}

let answering = new AbortController();
terminal.on("SIGINT", () => answering.abort()); // Ctrl-C stops the answer, not the conversation
try {
  terminal.prompt();
  for await (const line of terminal) {
    answering = new AbortController();
    if (line.trim() !== "") await agent.send(line, { signal: answering.signal });
    process.stdout.write("\n");
    terminal.prompt();
  }
} finally {
  await agent.close();
}
