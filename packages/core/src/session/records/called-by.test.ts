import { expect, test } from "vitest";
import { fakeRunner, testSkills } from "../../testing.ts";
import { memoryJournal } from "./journal-store.ts";

const FILES = {
  "forms/SKILL.md": "---\nname: forms\ndescription: Forms.\nallowed-tools: Read\n---\nFill.\n",
  "forms/guide.md": "The guide.\n",
  "forms/scripts/fill.sh": "echo 1\n",
};

test("records of a call name the host and the call that they were written for, and no other record does", async () => {
  const records = memoryJournal();
  const runner = fakeRunner({ "forms:scripts/fill.sh": () => "1" });
  const session = await testSkills(FILES, { records, runner });
  const { tools } = await session.toolbox();
  const call = async (name: string, input: unknown, callId: string): Promise<void> => {
    const tool = tools.find((one) => one.name === name);
    await tool?.execute(input, { calledBy: { host: "test-sdk", callId } });
  };
  await Promise.all([
    call("load_skill", { name: "forms" }, "1"),
    call("read_skill_resource", { skill: "forms", path: "guide.md" }, "2"),
    call("load_skill", { name: 5 }, "3"),
  ]);
  await call("run_skill_script", { skill: "forms", path: "scripts/fill.sh" }, "4");
  await session.guard(
    { tool: "Write", input: "a" },
    { calledBy: { host: "test-sdk", callId: "5".repeat(999) } },
  );
  await session.guard({ tool: "Write", input: "a" });
  const lines = records.read().map((line) => JSON.parse(line).record);
  const seen = lines.map(({ kind, host, callId }) => [kind, host, callId]);
  expect(seen).toEqual(
    expect.arrayContaining([
      ["policy", undefined, undefined],
      ["activation", "test-sdk", "1"],
      ["resource-read", "test-sdk", "2"],
      ["refusal", "test-sdk", "3"],
      ["script-execution", "test-sdk", "4"],
      ["refusal", "test-sdk", "5".repeat(200)],
      ["refusal", undefined, undefined],
    ]),
  );
  expect(seen.length).toBe(7);
});
