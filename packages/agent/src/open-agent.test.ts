import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeRunner } from "@skillet/core/testing";
import { beforeEach, expect, test } from "vitest";
import { readTranscript } from "./conversation/transcript.ts";
import { call, createWorkspace, openTestAgent, says } from "./testing/open-test-agent.ts";

let workspace: string;
beforeEach(() => {
  workspace = createWorkspace();
});
const open: typeof openTestAgent = (answers, options) => openTestAgent(answers, { workspace, ...options });

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

test("a /name that no skill has is said, and the message goes to the model as it is", async () => {
  const { agent, events } = await open([says("ok")]);
  await agent.send("/notesplease for 1.4");
  expect(events).toContainEqual({ type: "notice", text: 'There is no skill for "/notesplease".' });
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
  expect(asked.map((question) => question.call?.input)).toEqual([
    { file_path: join(workspace, "real.txt"), content: "1" },
  ]);
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

test("a sub-agent runs the scripts that the operator allowed, of the skills that it was given", async () => {
  const run = (skill: string) => call("run_skill_script", { skill, path: "scripts/main.sh" });
  const load = (name: string) => call("load_skill", { name });
  const { agent, results } = await open([call("delegate", { task: "go", skills: ["one"] }), says("ok")], {
    skills: Object.fromEntries(
      ["one", "two"].flatMap((name) => [
        [`${name}/SKILL.md`, `---\nname: ${name}\ndescription: Counts.\n---\nCount.\n`],
        [`${name}/scripts/main.sh`, "#!/bin/sh\necho 7\n"],
      ]),
    ),
    runner: fakeRunner({ "one:scripts/main.sh": () => "seven", "two:scripts/main.sh": () => "two" }),
    children: [[load("one"), run("one"), run("two"), says("Done.")]],
  });
  await agent.send("go");
  expect(results()).toEqual([
    expect.stringContaining("Count."),
    expect.stringContaining("seven"),
    expect.not.stringContaining("two\n"),
    expect.stringContaining("Done."),
  ]);
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
  expect(messages.at(-1)).toEqual({
    role: "assistant",
    content: expect.stringMatching(/done before: Read: 1.*\n\n\(interrupted by the user\)$/),
  });
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
