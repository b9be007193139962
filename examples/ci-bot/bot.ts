// A bot for CI: one task, no questions, one JSON document on standard output, and an exit code.
// Usage: node ci-bot/bot.ts BASE_URL TASK
// Exit code: 0 done; 1 not all of it (a call was refused, or the model did not finish); 2 it could not work at all.

import { realpathSync } from "node:fs";
import {
  type AgentEvent,
  commandTool,
  createPermissions,
  fileTools,
  openAgent,
  openModel,
} from "@skillet/agent";
import { openSkills } from "@skillet/core";
import { createRunner } from "@skillet/run";
import { createVetter } from "@skillet/scan";

const [endpoint = "", task = ""] = process.argv.slice(2);
const MAX_MINUTES = 20;

async function run(): Promise<{ readonly ok: boolean } & Record<string, unknown>> {
  const workspace = realpathSync(process.cwd());
  // Everything that it may do. There is no `ask`, so every other call is refused, and the model is told.
  const allow = ["Read", "Write(notes.md)", "Edit(notes.md)", "Bash(npm test)"];
  const permissions = createPermissions({ workspace, allow });
  const skills = await openSkills({ roots: ["skills"], vetter: createVetter() });
  const session = await skills.session({
    mode: "locked", // only the skills below, and no questions
    allow: ["release-notes"],
    projectDirectory: workspace,
    hostTools: ["delegate"],
    records: "run", // what skills did, to be kept as an artefact of the job
    runner: createRunner({ allow: ["release-notes:scripts/count-changes.sh"] }),
  });
  const refused: string[] = [];
  const skillsUsed: string[] = [];
  const onEvent = (event: AgentEvent): void => {
    if (event.type === "skill") skillsUsed.push(event.name);
    if (event.type === "result" && event.isError) refused.push(event.text);
  };
  const agent = await openAgent({
    session,
    onEvent,
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
        runId: session.runId,
        runner: createRunner({ writable: [workspace] }),
      }),
    },
  });
  try {
    const signal = AbortSignal.timeout(MAX_MINUTES * 60_000);
    const { text, use, isUnfinished, isInterrupted } = await agent.send(task, { signal });
    const ok = refused.length === 0 && !isUnfinished && !isInterrupted;
    return { ok, text, skills: skillsUsed, refused, tokens: use };
  } finally {
    await agent.close();
  }
}

try {
  const report = await run();
  console.log(JSON.stringify(report));
  process.exitCode = report.ok ? 0 : 1;
} catch (error) {
  console.log(JSON.stringify({ ok: false, error: error instanceof Error ? error.message : String(error) }));
  process.exitCode = 2;
}
