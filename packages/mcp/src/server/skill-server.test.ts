import { MemorySource, type SkillSource, type Skills } from "@skillet/core";
import { expect, onTestFinished, test } from "vitest";
import { createSkillServer } from "./skill-server.ts";
import { openFiles, request, skillText } from "./testing/serve-files.ts";

test("changes that come while sessions take over earlier ones are taken over together", async () => {
  const memory = new MemorySource({ "greet/SKILL.md": skillText("greet") });
  let lists = 0;
  let gate = Promise.resolve();
  const source: SkillSource = {
    id: "slow",
    toolPath: (path) => path,
    read: (path, options) => memory.read(path, options),
    listFiles: (folder) => memory.listFiles(folder),
    listSkills: async () => {
      lists += 1;
      await gate;
      return memory.listSkills();
    },
  };
  const { skills } = await openFiles({}, { sources: [source], roots: [] });
  let change = (): unknown => undefined;
  const watched: Skills = Object.create(skills, {
    watch: {
      value: (listener: () => unknown) => {
        change = listener;
        return { close: () => undefined };
      },
    },
  });
  const server = await createSkillServer(watched);
  onTestFinished(() => server.close());
  const sent: object[] = [];
  const connection = server.connect((message) => sent.push(message));
  await connection.handle(request("initialize"));
  await connection.handle({ jsonrpc: "2.0", method: "notifications/initialized" });
  lists = 0;
  let open = (): void => undefined;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const first = change();
  for (let turn = 0; turn < 20; turn += 1) change();
  open();
  await first;
  // Once for the first, and once more for all that came after it: three lists to be listed again each time.
  expect([lists, sent.length]).toEqual([2, 6]);
});
