import { appendFileSync, existsSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createWorkspace, openTestAgent, says } from "../testing/open-test-agent.ts";
import { openTranscript, readTranscript } from "./transcript.ts";

const line = (text: string) => ({ type: "said", text, messages: [{ role: "user", content: text }] }) as const;

test("a conversation has one process at a time; what a killed one left of its lock does not count", async () => {
  const path = join(createWorkspace(), "run/conversation.jsonl");
  const first = await openTranscript(path);
  await first.keep(line("one"));
  await expect(openTranscript(path)).rejects.toMatchObject({ code: "conversation-in-use" });
  const owner = readFileSync(`${path}.lock`, "utf8");
  await first.close();
  // A process id that no machine has.
  writeFileSync(`${path}.lock`, owner.replace(/"pid":\d+/, '"pid":4194305'));
  const second = await openTranscript(path);
  expect(second.earlier?.said).toEqual(["one"]);
  await second.close();
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("wherever a kill cuts the file, what was whole is gone on with, again and again", async () => {
  const path = join(createWorkspace(), "run/conversation.jsonl");
  const begun = await openTranscript(path);
  const long = `two – ${"é".repeat(400)}`;
  for (const text of ["one", long]) await begun.keep(line(text));
  await begun.close();
  const whole = readFileSync(path);
  // Every place in the letters of a word, and some in the rest.
  const cuts = Array.from({ length: whole.length - whole.indexOf("\n") }, (_, index) => whole.length - index);
  for (const cut of cuts.filter((_, index) => index < 8 || index % 97 === 0)) {
    writeFileSync(path, whole);
    truncateSync(path, cut);
    const opened = await openTranscript(path);
    await opened.keep(line("three"));
    await opened.close();
    expect(readTranscript(path).said).toEqual(
      cut === whole.length ? ["one", long, "three"] : ["one", "three"],
    );
  }
});

test("lines that are given at once are each whole, in the order in which they were given", async () => {
  const path = join(createWorkspace(), "run/conversation.jsonl");
  const opened = await openTranscript(path);
  const texts = Array.from({ length: 50 }, (_, index) => `${index} ${"x".repeat(100_000)}`);
  await Promise.all(texts.map((text) => opened.keep(line(text))));
  await opened.close();
  expect(readTranscript(path).said).toEqual(texts);
});

test("a link in the place of the file is not written through, and a damaged line is named", async () => {
  const workspace = createWorkspace();
  const path = join(workspace, "conversation.jsonl");
  symlinkSync(join(workspace, "changes.md"), path);
  await expect(openTranscript(path)).rejects.toMatchObject({ code: "ELOOP" });
  expect(readFileSync(join(workspace, "changes.md"), "utf8")).toBe("- PDF\n- Dark mode\n");
  const damaged = join(workspace, "damaged.jsonl");
  appendFileSync(damaged, `${JSON.stringify(line("one"))}\nnonsense\n`);
  await expect(openTranscript(damaged)).rejects.toThrow("damaged.jsonl:2");
  expect(existsSync(`${damaged}.lock`)).toBe(false);
});

test("a file with a hundred thousand lines, or as many messages in one, is read; one nested without end is damaged", () => {
  const path = join(createWorkspace(), "hostile.jsonl");
  const message = '{"role":"assistant","content":""}';
  const many = 150_000;
  appendFileSync(path, `{"type":"step","child":1,"messages":[${message}]}\n`.repeat(many));
  appendFileSync(path, `{"type":"step","messages":[${Array(many).fill(message).join(",")}]}\n`);
  const { children, answers } = readTranscript(path);
  expect([children[0]?.length, answers.length]).toEqual([many, many]);
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  appendFileSync(path, `{"type":"step","messages":[{"role":"assistant","content":[${deep}]}]}\n`);
  expect(() => readTranscript(path)).toThrow(`hostile.jsonl:${many + 2}`);
  writeFileSync(path, '{"type":"step","messages":[{"role":"assistant","content":[null]}]}\n');
  expect(() => readTranscript(path)).toThrow("hostile.jsonl:1");
});

test.each([59, 60, 3000])(
  "a call whose input is nested %d deep is kept, and the conversation goes on",
  async (depth) => {
    const path = join(createWorkspace(), "run/conversation.jsonl");
    const opened = await openTranscript(path);
    let input: unknown = "the bottom";
    for (let level = 0; level < depth; level += 1) input = { in: input };
    const called = { type: "tool-call", toolCallId: "1", toolName: "Read", input } as const;
    await opened.keep({ type: "step", messages: [{ role: "assistant", content: [called] }] });
    await opened.keep(line("two"));
    await opened.close();
    const { messages, said } = readTranscript(path);
    expect(said).toEqual(["two"]);
    const kept = JSON.stringify(messages[0]);
    expect(kept).toMatch(/"toolCallId":"1","toolName":"Read","input":\{"in":\{/);
    expect(kept).toContain(depth === 59 ? "the bottom" : "(left out: nested more than 64 deep)");
  },
);

test("a shortened conversation is played again from its beginning, with the children of every process that went on with it", async () => {
  const workspace = createWorkspace();
  const transcript = join(workspace, "run/conversation.jsonl");
  const delegate = call("delegate", { task: "look" });
  const first = await openTestAgent([delegate, says("One."), says("A summary.")], {
    workspace,
    transcript,
    children: [[says("First child.")]],
  });
  await first.agent.send("one");
  await first.agent.compact();
  await first.agent.close();
  const later = await openTestAgent([delegate, says("Two.")], {
    workspace,
    transcript,
    children: [[], [says("Second child.")]],
  });
  await later.agent.send("two");
  await later.agent.close();
  const { answers, said, children, messages } = readTranscript(transcript);
  expect(children).toEqual([
    [expect.objectContaining({ role: "assistant" })],
    [expect.objectContaining({ role: "assistant" })],
  ]);
  expect(JSON.stringify(messages)).not.toContain("One.");
  const again = await openTestAgent(answers, { workspace, children });
  const texts: string[] = [];
  for (const message of said) texts.push((await again.agent.send(message)).text);
  expect(texts).toEqual(["One.", "Two."]);
  expect(again.results()).toEqual(["First child.", "Second child."]);
});
