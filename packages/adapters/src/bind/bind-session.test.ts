import { testSkills } from "@skillet/core/testing";
import { expect, test } from "vitest";
import { bindSession } from "./bind-session.ts";

const FILES = {
  "greet/SKILL.md": "---\nname: greet\ndescription: Greets.\nallowed-tools: Read\n---\nWave.\n",
};
const WRITE = { name: "Write", input: { file_path: "a" }, callId: "1" };

test("a yes holds until a skill is loaded, the mode changes or another turn begins", async () => {
  const session = await testSkills(FILES);
  const bound = await bindSession(session, "test", {});
  const changes = [
    () => bound.beginTurn(),
    () => session.setMode("plan"),
    () => session.setMode("default"),
    () => bound.execute({ name: "load_skill", input: { name: "greet" } }),
  ];
  for (const change of changes) {
    expect(await bound.judge(WRITE)).toEqual({ outcome: "allow" });
    await change();
    expect(bound.takeAllowed(WRITE)).toBe(false);
  }
  expect(await bound.judge(WRITE)).toMatchObject({ outcome: "deny" });
});

test("what the operator must fix is thrown to the host, and a model is told of no path", async () => {
  const session = await testSkills(FILES);
  const guard = () => Promise.reject(new Error("no space left: /home/ann/runs"));
  const bound = await bindSession(Object.assign(Object.create(session), { guard }), "test", {});
  const judgement = await bound.guard(WRITE, { isApproved: false });
  expect(judgement).toMatchObject({ outcome: "deny", text: expect.not.stringContaining("/home") });
  expect(() => bound.throwFault()).toThrow("no space left");
});
