import { fakeRunner, testSkills } from "@skillet/core/testing";
import { expect, test } from "vitest";
import { plain } from "./plain.ts";

const toolset = {
  tools: [{ name: "shout", description: "Shouts a text.", script: "scripts/shout.sh" }],
};
const FILES = {
  "greet/SKILL.md":
    "---\nname: greet\ndescription: Greets people.\nallowed-tools: Read\ntoolsets: [tools.json]\n---\nWave to $0.\n",
  "greet/tools.json": JSON.stringify(toolset),
  "greet/scripts/shout.sh": "echo 1\n",
};

test("carries out the tools of skills, and shows a skill's own once it is loaded", async () => {
  const session = await testSkills(FILES, {
    runner: fakeRunner({ "greet:scripts/shout.sh": () => '"HELLO"' }),
  });
  const skills = await plain(session, { conversation: ["Greet Ann."] });
  expect(skills.instructions).toContain("greet");
  const names = (): string[] => skills.tools.map(({ name }) => name);
  expect(names()).toEqual(["load_skill", "read_skill_resource", "run_skill_script"]);
  expect(await skills.call("load_skill", '{"name":"greet","arguments":"Ann"}')).toMatchObject({
    text: expect.stringContaining("Wave to Ann."),
    isError: false,
  });
  expect(names()).toContain("greet__shout");
  expect(await skills.call("greet__shout", {})).toMatchObject({ value: "HELLO" });
});

test("lets the host's own tools through, except those that a loaded skill does not cover", async () => {
  const skills = await plain(await testSkills(FILES));
  expect(await skills.call("Write", { file_path: "a" })).toBeUndefined();
  await skills.call("load_skill", { name: "greet" });
  expect(await skills.call("Read", { file_path: "a" })).toBeUndefined();
  expect(await skills.call("Write", { file_path: "a" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("greet does not cover it"),
  });
});

test("without skills there is neither text nor a tool", async () => {
  const skills = await plain(await testSkills({}), { conversation: ["Greet Ann."] });
  expect([skills.instructions, skills.tools]).toEqual(["", []]);
});
