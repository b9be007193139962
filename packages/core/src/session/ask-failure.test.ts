import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { askPerson } from "../ask.ts";
import { writeTree } from "../testing/write-tree.ts";
import { openFolder, openSession, type TestSession } from "./testing/open-session.ts";
import { recordingRunner } from "./testing/recording-runner.ts";

const FAILURE = new Error("The dialogue at /srv/private/host crashed.");
const CONFIG = `policy:
  rules:
    - { skill: web, action: ask }
    - { tool: run_skill_script, action: ask }
`;

let session: TestSession;
beforeEach(async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md":
      "---\nname: pdf\ndescription: Fills.\nrequired-environment-variables:\n  - { name: TOKEN, optional: true }\n---\nFill.\n",
    "pdf/scripts/main.sh": "#!/bin/sh\n",
    "web/SKILL.md": "---\nname: web\ndescription: Browses.\n---\nBrowse.\n",
  });
  const runner = recordingRunner({ allow: ["pdf:scripts/main.sh"] });
  const ask = async (): Promise<never> => {
    throw FAILURE;
  };
  session = await openSession(folder, { ask, runner }, await openFolder(folder, CONFIG));
});

async function lastFailure(): Promise<unknown> {
  return (await session.recorded()).find(
    (record) => record.kind === "refusal" && record.error.code === "ask-failed",
  );
}

describe("an error inside ask means no, is told to the host and is on record, and no model learns of it", () => {
  test("when a skill is loaded", async () => {
    const error = await session.activate("web").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "skill-denied", cause: FAILURE });
    expect((error as Error).message).toContain("the host failed to ask the question");
    expect((error as Error).message).not.toContain("/srv");
    expect(await lastFailure()).toMatchObject({
      what: "activate",
      subject: "web",
      error: { message: FAILURE.message },
    });
  });

  test("when a script is run", async () => {
    await session.activate("pdf");
    const run = await session.run("pdf", "scripts/main.sh");
    expect(run).toMatchObject({ status: "refused", code: "script-denied" });
    expect(JSON.stringify(run)).toContain("the host failed to ask the question");
    expect(JSON.stringify(run)).not.toContain("/srv");
    expect(await lastFailure()).toMatchObject({ what: "tool", subject: "pdf" });
  });

  test("when a person is asked for values", async () => {
    expect(await session.askForDependencies(["pdf"])).toMatchObject({ provided: [], failure: FAILURE });
    expect(await lastFailure()).toMatchObject({ what: "dependencies" });
  });
});

test("null is an answer that means no, and not a failure", async () => {
  let failures = 0;
  const question = { kind: "activate", skill: "web", reason: "", choices: ["allow"] } as const;
  const answer = await askPerson(
    async () => null as never,
    question,
    async () => {
      failures += 1;
    },
  );
  expect([answer, failures]).toEqual([undefined, 0]);
});
