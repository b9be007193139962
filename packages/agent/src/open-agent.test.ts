import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Question } from "@skillet/core";
import { testSkills } from "@skillet/core/testing";
import type { ModelMessage } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentEvent } from "./agent-event.ts";
import { readTranscript } from "./conversation/transcript.ts";
import { replayModel } from "./model/replay-model.ts";
import { openAgent } from "./open-agent.ts";
import { fileTools } from "./tools/file-tools.ts";
import { createPermissions } from "./tools/permissions.ts";

const SKILLS = {
  "notes/SKILL.md":
    "---\nname: notes\ndescription: Writes release notes.\nallowed-tools: Read\n---\nRead changes.md first. $ARGUMENTS\n",
  "survey/SKILL.md": "---\nname: survey\ndescription: Surveys code.\ncontext: fork\n---\nCount files.\n",
};

let workspace: string;
beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "agent-")));
  writeFileSync(join(workspace, "changes.md"), "- PDF\n- Dark mode\n");
});
afterAll(() => rmSync(workspace, { recursive: true }));

const call = (toolName: string, input: unknown): ModelMessage => ({
  role: "assistant",
  content: [
    { type: "tool-call", toolCallId: `${toolName}-${JSON.stringify(input).length}`, toolName, input },
  ],
});
const says = (content: string): ModelMessage => ({ role: "assistant", content });

async function open(
  answers: readonly ModelMessage[],
  {
    children = [],
    answer,
    allow = [],
    onEvent,
    ...options
  }: {
    children?: readonly (readonly ModelMessage[])[];
    answer?: string;
    allow?: readonly string[];
    preload?: readonly string[];
    catalog?: boolean;
    transcript?: string;
    onEvent?: (event: AgentEvent) => unknown;
  } = {},
) {
  const events: AgentEvent[] = [];
  const asked: Question[] = [];
  const ask = async (question: Question) => {
    asked.push(question);
    return answer === undefined ? undefined : { choice: answer };
  };
  const permissions = createPermissions({ workspace, allow, ...(answer !== undefined && { ask }) });
  const session = await testSkills(SKILLS, { ask: permissions.ask, projectDirectory: workspace });
  const own = replayModel(answers);
  const agent = await openAgent({
    ...{ session, tools: fileTools({ workspace, permissions }), ...options },
    model: (child) => (child === undefined ? own : replayModel(children[child - 1] ?? [])),
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  });
  return { agent, session, events, asked };
}

test("a person's /name loads the skill with what follows it, and narrows the agent's own tools", async () => {
  const { agent, events } = await open(
    [
      call("Read", { file_path: "changes.md" }),
      call("Write", { file_path: "notes.md", content: "PDF" }),
      says("Done."),
    ],
    { allow: ["Write"] },
  );
  const { text } = await agent.send("/notes for 1.4");
  expect(text).toBe("Done.");
  expect(events).toContainEqual({ type: "skill", name: "notes", by: "message" });
  const results = events.filter((event) => event.type === "result");
  expect(results[0]).toMatchObject({ tool: "Read", isError: false, text: "1\t- PDF\n2\t- Dark mode\n3\t" });
  expect(results[1]).toMatchObject({
    tool: "Write",
    isError: true,
    text: expect.stringContaining("notes does not cover it"),
  });
  await agent.close();
});

test("a file is written after a yes, once; without a person it needs --allow-tool", async () => {
  const write = call("Write", { file_path: "out.txt", content: "1" });
  const yes = await open([write, says("ok")], { answer: "allow" });
  await yes.agent.send("write it");
  expect(yes.asked.map(({ reason }) => reason)).toEqual(["it changes out.txt"]);
  expect(readFileSync(join(workspace, "out.txt"), "utf8")).toBe("1");

  const none = await open([call("Write", { file_path: "out.txt", content: "2" }), says("ok")]);
  await none.agent.send("write it");
  expect(none.events).toContainEqual(
    expect.objectContaining({ type: "result", isError: true, text: expect.stringContaining("--allow-tool") }),
  );
  const allowed = await open([call("Write", { file_path: "out.txt", content: "3" }), says("ok")], {
    allow: ["Write(out.txt)"],
  });
  await allowed.agent.send("write it");
  expect(readFileSync(join(workspace, "out.txt"), "utf8")).toBe("3");
});

test("a question is about what the tool does, without properties that it does not know", async () => {
  const input = { command: "ls", file_path: "real.txt", content: "1" };
  const { agent, asked } = await open([call("Write", input), says("ok")], { answer: "allow" });
  await agent.send("write it");
  expect(asked.map((question) => question.call?.input)).toEqual([{ file_path: "real.txt", content: "1" }]);
});

test("nothing outside the workspace is read, not by .. nor by a link", async () => {
  symlinkSync("/etc", join(workspace, "etc"));
  const { agent, events } = await open([
    call("Read", { file_path: "../x" }),
    call("Read", { file_path: "etc/hostname" }),
    says("no"),
  ]);
  await agent.send("read");
  const texts = events.flatMap((event) => (event.type === "result" ? [event.text] : []));
  expect(texts).toEqual([
    expect.stringContaining("outside the workspace"),
    expect.stringContaining("outside the workspace"),
  ]);
});

test("a skill with context: fork and delegated tasks run in children, of which only the summary comes back", async () => {
  const transcript = join(workspace, "run/transcript.jsonl");
  const { agent, events } = await open(
    [call("delegate", { task: "read changes.md", skills: ["notes"] }), says("All done.")],
    {
      children: [[call("Read", { file_path: "changes.md" }), says("12 files.")], [says("Two changes.")]],
      transcript,
    },
  );
  const { text } = await agent.send("/survey src");
  expect(text).toBe("All done.");
  expect(events.filter(({ child }) => child === 1).map(({ type }) => type)).toEqual([
    "child",
    "call",
    "result",
    "text",
  ]);
  const { messages, said, children } = readTranscript(transcript);
  expect(said).toEqual(["/survey src"]);
  expect(JSON.stringify(messages)).toContain("12 files.");
  expect(JSON.stringify(messages)).not.toContain("Dark mode");
  expect(children).toHaveLength(2);
  await agent.close();
});

test("preloaded skills come once, in order, as labelled context; an unknown one is an error", async () => {
  const transcript = join(workspace, "preload/transcript.jsonl");
  const { agent } = await open([says("ok")], {
    preload: ["survey", "notes", "survey"],
    transcript,
    catalog: false,
  });
  await agent.send("go");
  const [first] = readTranscript(transcript).messages;
  const content = String(first?.content);
  expect([...content.matchAll(/<skill_content[^>]* name="(\w+)"/g)].map(([, name]) => name)).toEqual([
    "survey",
    "notes",
  ]);
  await expect(open([], { preload: ["nope"] })).rejects.toThrow("nope");
});

test("after a kill the conversation goes on from its last whole step", async () => {
  const transcript = join(workspace, "kill/transcript.jsonl");
  const { agent } = await open([call("Read", { file_path: "changes.md" }), says("Two.")], { transcript });
  await agent.send("how many changes");
  writeFileSync(transcript, `${readFileSync(transcript, "utf8")}{"type":"step","mess`);
  const earlier = readTranscript(transcript);
  expect(earlier.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  writeFileSync(transcript, "nonsense\n");
  expect(() => readTranscript(transcript)).toThrow("transcript.jsonl:1");
});

test("an interrupt ends the answer after what was done, and the next message goes on", async () => {
  const transcript = join(workspace, "stop/transcript.jsonl");
  const stop = new AbortController();
  const { agent } = await open([call("Read", { file_path: "changes.md" }), says("Two."), says("Going on.")], {
    transcript,
    onEvent: ({ type }) => type === "result" && stop.abort(),
  });
  const { isInterrupted } = await agent.send("one", { signal: stop.signal });
  expect(isInterrupted).toBe(true);
  const { messages } = readTranscript(transcript);
  expect(messages.at(-1)).toEqual({ role: "assistant", content: "(interrupted by the user)" });
  expect((await agent.send("two")).isInterrupted).toBe(false);
});

test("a shortened conversation keeps the skills that were loaded", async () => {
  const transcript = join(workspace, "compact/transcript.jsonl");
  const { agent, events } = await open([says("Read it."), says("They want notes."), says("Still here.")], {
    transcript,
  });
  await agent.send("/notes please");
  await agent.compact();
  const { text } = await agent.send("and now");
  expect(text).toBe("Still here.");
  expect(events).toContainEqual({ type: "compacted", messages: 2 });
  const kept = JSON.stringify(readTranscript(transcript).messages);
  expect(kept).toContain("They want notes.");
  expect(kept).toContain("Read changes.md first.");
});

test("inputs of the wrong shape, a pipe and a folder are answered with what is wrong, and change nothing", async () => {
  execFileSync("mkfifo", [join(workspace, "pipe")]);
  const inputs: [string, unknown][] = [
    ["Read", {}],
    ["Read", { file_path: 5 }],
    ["Read", { file_path: "changes.md", offset: -1 }],
    ["Write", { file_path: "absurd.md" }],
    ["Write", { file_path: "absurd.md", content: ["x"] }],
    ["delegate", { task: 1, skills: "all" }],
    ["Read", { file_path: "pipe" }],
    ["Read", { file_path: "." }],
  ];
  const calls = inputs.map(([name, input]) => call(name, input));
  const { agent, events } = await open([...calls, says("ok")], { allow: ["Write", "Edit"] });
  expect((await agent.send("go")).text).toBe("ok");
  const results = events.filter((event) => event.type === "result");
  expect(results.map(({ isError }) => isError)).toEqual(inputs.map(() => true));
  expect(results[0]?.text).toContain("file_path must be string");
  expect(existsSync(join(workspace, "absurd.md"))).toBe(false);
  await agent.close();
});
