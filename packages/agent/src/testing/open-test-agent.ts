import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Question, ScriptRunner, Session } from "@skillet/core";
import { testSkills } from "@skillet/core/testing";
import type { LanguageModel, ModelMessage } from "ai";
import { onTestFinished } from "vitest";
import type { Agent, AgentEvent, AgentOptions } from "../conversation/agent-options.ts";
import { openTranscript } from "../conversation/transcript.ts";
import { replayModel } from "../model/replay-model.ts";
import { openAgent } from "../open-agent.ts";
import { fileTools } from "../tools/file-tools.ts";
import { createPermissions } from "../tools/permissions.ts";

const SKILLS: Readonly<Record<string, string>> = {
  "notes/SKILL.md":
    "---\nname: notes\ndescription: Writes release notes.\nallowed-tools: Read\n---\nRead changes.md first. $ARGUMENTS\n",
  "survey/SKILL.md": "---\nname: survey\ndescription: Surveys code.\ncontext: fork\n---\nCount files.\n",
};

export const call = (toolName: string, input: unknown): ModelMessage => calls([toolName, input]);
export const calls = (...some: readonly (readonly [name: string, input: unknown])[]): ModelMessage => ({
  role: "assistant",
  content: some.map(([toolName, input], index) => ({
    type: "tool-call",
    toolName,
    input,
    toolCallId: `${toolName}-${index}-${JSON.stringify(input).length}`,
  })),
});
export const says = (content: string): ModelMessage => ({ role: "assistant", content });

/** A folder with one file, removed when the test ends. */
export function createWorkspace(): string {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "agent-")));
  writeFileSync(join(workspace, "changes.md"), "- PDF\n- Dark mode\n");
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  return workspace;
}

interface TestAgentOptions extends Pick<AgentOptions, "preload" | "catalog" | "contextWindow" | "onEvent"> {
  readonly workspace?: string;
  /** The folder that relative paths start in. */
  readonly start?: string;
  readonly skills?: Readonly<Record<string, string>>;
  readonly children?: readonly (readonly ModelMessage[])[];
  /** The user's answer to every question; if absent, there is no user to ask. */
  readonly answer?: string | ((question: Question) => string | Promise<string>);
  readonly allow?: readonly string[];
  readonly transcript?: string;
  readonly records?: string;
  readonly runner?: ScriptRunner;
  readonly model?: LanguageModel;
  /** Awaited before each answer of a child. */
  readonly beforeChild?: () => Promise<void>;
}

interface TestAgent {
  readonly agent: Agent;
  readonly session: Session;
  readonly events: readonly AgentEvent[];
  readonly asked: readonly Question[];
  /** Results of tools, in order. */
  results(): readonly string[];
}

/** An agent on a real session and real files, whose model gives scripted answers. */
export async function openTestAgent(
  answers: readonly ModelMessage[],
  options: TestAgentOptions = {},
): Promise<TestAgent> {
  const {
    workspace = createWorkspace(),
    start,
    skills = SKILLS,
    children = [],
    answer,
    allow = [],
  } = options;
  const { onEvent, transcript, records, runner, model, beforeChild, ...rest } = options;
  const events: AgentEvent[] = [];
  const asked: Question[] = [];
  const ask = async (question: Question) => {
    asked.push(question);
    return { choice: typeof answer === "function" ? await answer(question) : (answer ?? "deny") };
  };
  const permissions = createPermissions({ workspace, allow, ...(answer !== undefined && { ask }) });
  const session = await testSkills(skills, {
    ask: permissions.ask,
    projectDirectory: workspace,
    hostTools: ["delegate"],
    records,
    runner,
  });
  const own = replayModel(answers);
  const childModel = (child: number): LanguageModel => {
    const replay = replayModel(children[child - 1] ?? []);
    const doStream: typeof replay.doStream = async (asked) => {
      await beforeChild?.();
      return replay.doStream(asked);
    };
    return { ...replay, doStream };
  };
  const agent = await openAgent({
    ...rest,
    session,
    tools: fileTools({ workspace, permissions, start }),
    ...(transcript !== undefined && { transcript: await openTranscript(transcript) }),
    model: model ?? ((child) => (child === undefined ? own : childModel(child))),
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  });
  onTestFinished(() => agent.close());
  const results = (): readonly string[] =>
    events.flatMap((event) => (event.type === "result" ? [event.text] : []));
  return { agent, session, events, asked, results };
}
