import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { temporaryDirectory } from "../../kit/src/testing/temporary-directory.ts";
import { fakeRunner, scriptedAsk, testSkills } from "./testing.ts";

const FILES = {
  "g/SKILL.md": "---\nname: g\ndescription: Greets.\nrequired-environment-variables: [TOKEN]\n---\nGreet.\n",
  "g/scripts/x.sh": "#!/bin/sh\n",
  "g/scripts/y.sh": "#!/bin/sh\n",
};

beforeEach(() => {
  const home = temporaryDirectory();
  writeFileSync(join(home, "config.yaml"), "policy: { mode: locked }\n");
  vi.stubEnv("SKILLET_HOME", home);
  vi.stubEnv("SKILLET_DISABLED", "g");
  vi.stubEnv("TOKEN", "of the machine");
});
afterEach(() => vi.unstubAllEnvs());

test("nothing of the machine reaches a test: neither its configuration nor its variables nor its skills", async () => {
  const session = await testSkills(FILES);
  expect(session.mode).toBe("default");
  expect(session.snapshot.skills.map(({ qualifiedName, state }) => [qualifiedName, state])).toEqual([
    ["g", "unavailable"],
  ]);
});

test("scripts answer as they were written to, and what they were given can be read", async () => {
  const ask = scriptedAsk([{ choice: "provide", secrets: { TOKEN: "secret" } }]);
  const runner = fakeRunner({
    "g:scripts/x.sh": ({ args, secrets }) => `${args.join()} ${secrets.TOKEN}`,
    "g:scripts/y.sh": async () => {
      throw new Error("no network");
    },
  });
  const session = await testSkills(FILES, { ask, runner });
  await session.askForDependencies();
  await session.activate("g");
  expect(await session.run("g", "scripts/x.sh", ["a", "b"])).toMatchObject({
    exitCode: 0,
    stdout: "a,b secret",
  });
  expect(await session.run("g", "scripts/y.sh")).toMatchObject({ exitCode: 1, stderr: "Error: no network" });
  expect(runner.calls.map(({ script }) => script)).toEqual(["g:scripts/x.sh", "g:scripts/y.sh"]);
  expect(ask.asked.map(({ kind }) => kind)).toEqual(["dependencies"]);
});

test("questions are answered in order, and those beyond with no", async () => {
  const config = { policy: { rules: [{ skill: "*", action: "ask" }] } };
  const ask = scriptedAsk(["deny", "allow"]);
  const files = { "w/SKILL.md": "---\nname: w\ndescription: Waves.\n---\nWave.\n" };
  const session = await testSkills(files, { ask, open: { config } });
  await expect(session.activate("w")).rejects.toMatchObject({ code: "skill-denied" });
  expect((await session.activate("w")).text).toContain("Wave.");
  await expect(session.activate("w")).rejects.toMatchObject({ code: "skill-denied" });
  expect(ask.asked).toHaveLength(3);
});
