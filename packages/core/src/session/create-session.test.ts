import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import type { Answer, Question } from "../ask.ts";
import { writeTree } from "../testing/write-tree.ts";
import { usableIn } from "./testing/inspect-session.ts";
import { openSession } from "./testing/open-session.ts";
import { recordingRunner, scriptSecrets } from "./testing/recording-runner.ts";
import { decisionOf } from "./testing/unwrap.ts";

let folder: string;
beforeEach(() => {
  folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md": skill(
      "pdf",
      "argument-hint: FILE\nallowed-tools: Read, Bash(git status:*)",
      "Fill $ARGUMENTS.",
    ),
    "pdf/references/fields.md": "Fields.",
    "plain/SKILL.md": skill("plain", "", "Just do it."),
    "deploy/SKILL.md": skill("deploy", "disable-model-invocation: true", "Deploy."),
    "secret/SKILL.md": skill("secret", "user-invocable: false", "Quiet."),
    "needy/SKILL.md": skill(
      "needy",
      "required-environment-variables:\n  - name: NEEDY_TOKEN\n    prompt: Token",
      "Use it.",
    ),
  });
});

function skill(name: string, header: string, body: string): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${header === "" ? "" : `${header}\n`}---\n${body}\n`;
}

describe("an activation", () => {
  test("gives the instructions with arguments, wrapped, and is recorded", async () => {
    const session = await openSession(folder);
    const activation = await session.activate("pdf", { arguments: "tax.pdf" });
    expect(activation).toMatchObject({ name: "pdf", source: "model", duplicate: false, drifted: false });
    expect(activation.text).toContain("Fill tax.pdf.");
    expect(activation.text).toContain("<file>references/fields.md</file>");
    expect(activation.treeDigest).toMatch(/^sha256:/);
    expect(await session.recorded()).toMatchObject([
      { kind: "activation", name: "pdf", arguments: "tax.pdf", digest: activation.digest, duplicate: false },
    ]);
  });

  test("of the same text is a short note; other arguments are another text", async () => {
    const session = await openSession(folder);
    await session.activate("pdf", { arguments: "a" });
    const again = await session.activate("$pdf", { arguments: "a", source: "user" });
    expect(again).toMatchObject({ duplicate: true });
    expect(again.text).not.toContain("Fill");
    expect((await session.activate("/pdf", { arguments: "b" })).duplicate).toBe(false);
  });

  test("of a changed file is reported where somebody is there, and refused in batch and locked", async () => {
    const [open, batch] = [await openSession(folder, { interactive: true }), await openSession(folder)];
    writeFileSync(join(folder, "plain/SKILL.md"), skill("plain", "", "Do something else."));
    const activation = await open.activate("plain");
    expect(activation).toMatchObject({ drifted: true, diagnostics: [{ code: "skill-drifted" }] });
    expect(activation.text).toContain("Do something else.");
    await expect(batch.activate("plain")).rejects.toMatchObject({ code: "skill-drifted" });
    expect(await batch.recorded()).toMatchObject([{ kind: "refusal", error: { code: "skill-drifted" } }]);
  });

  test("of a file that is gone or no longer a skill says so", async () => {
    const session = await openSession(folder, { interactive: true });
    writeFileSync(join(folder, "plain/SKILL.md"), "---\nname: plain\n---\n");
    await expect(session.activate("plain")).rejects.toMatchObject({ code: "skill-unreadable" });
    rmSync(join(folder, "pdf"), { recursive: true });
    await expect(session.activate("pdf")).rejects.toMatchObject({ code: "file-not-found" });
  });
});

describe("who may activate what", () => {
  test.each<readonly [string, "model" | "user" | "preload", string]>([
    ["deploy", "user", "ok"],
    ["deploy", "preload", "ok"],
    ["deploy", "model", "skill-for-users"],
    ["secret", "model", "ok"],
    ["secret", "user", "skill-not-offered"],
    ["needy", "user", "skill-not-offered"],
    ["needy", "model", "skill-not-found"],
    ["nobody", "user", "skill-not-found"],
  ])("%s by the %s: %s", async (name, source, code) => {
    const session = await openSession(folder);
    const outcome = await session.activate(name, { source }).then(
      () => "ok",
      (error: { code: string }) => error.code,
    );
    expect(outcome).toBe(code);
  });

  test("what a model may not have reads like what does not exist, and is not suggested", async () => {
    const session = await openSession(folder, { mode: "locked", allow: ["plain"] });
    await expect(session.activate("pd")).rejects.toThrow(
      /^There is no skill "pd"\. Available skills: plain\.$/,
    );
    await expect(session.activate("pdf")).rejects.toThrow(/^There is no skill "pdf"/);
  });

  test("locked mode offers what was named, plan mode what changes nothing", async () => {
    const names = async (options: Parameters<typeof openSession>[1]): Promise<string[]> =>
      usableIn(await openSession(folder, options)).map(({ name }) => name);
    expect(await names({ mode: "locked", allow: ["pdf", "sec*"] })).toEqual(["pdf", "secret"]);
    expect(await names({ mode: "plan" })).not.toContain("pdf");
  });
});

describe("an activation's tools", () => {
  test("narrow what is done afterwards, to the end of the turn; what is not covered is asked about", async () => {
    const session = await openSession(folder, { interactive: true });
    const check = async (command: string): Promise<string> =>
      (await decisionOf(session.guard({ tool: "Bash", input: command }))).outcome;
    expect(await check("rm -rf x")).toBe("allow");
    await session.activate("plain");
    expect(await check("rm -rf x")).toBe("allow");
    await session.activate("pdf");
    expect([await check("git status -s"), await check("rm -rf x")]).toEqual(["allow", "ask"]);
    await session.turn().end();
    expect(await check("rm -rf x")).toBe("allow");
    expect((await session.recorded()).slice(-2)).toMatchObject([
      { kind: "refusal", what: "tool" },
      { kind: "turn-ended" },
    ]);
  });
});

test("what skills lack is asked for once, and its values reach scripts alone", async () => {
  const questions: Question[] = [];
  const ask = async (question: Question): Promise<Answer> => {
    questions.push(question);
    return { choice: "provide", secrets: { NEEDY_TOKEN: "t0p" } };
  };
  writeTree(folder, { "needy/scripts/main.sh": "#!/bin/sh\n", "plain/scripts/main.sh": "#!/bin/sh\n" });
  const runner = recordingRunner({ allow: ["needy:scripts/main.sh", "plain:scripts/main.sh"] });
  const session = await openSession(folder, { ask, runner });
  expect(await session.askForDependencies()).toEqual({ provided: ["NEEDY_TOKEN"], missing: [] });
  await session.askForDependencies();
  expect(questions).toMatchObject([
    { kind: "dependencies", skill: "needy", secrets: [{ name: "NEEDY_TOKEN", prompt: "Token" }] },
  ]);
  const { text } = await session.activate("needy");
  expect(await scriptSecrets(session, runner, "needy")).toEqual({ NEEDY_TOKEN: "t0p" });
  expect(await scriptSecrets(session, runner, "plain")).toEqual({});
  expect(text + JSON.stringify(await session.recorded())).not.toContain("t0p");
});

describe("a question", () => {
  test.each<readonly [string, (() => Promise<Answer | undefined>) | undefined]>([
    ["nobody answers", undefined],
    ["the host fails", () => Promise.reject(new Error("no"))],
    ["the answer is none of the choices", () => Promise.resolve({ choice: "maybe" })],
  ])("is a no when %s", async (_, ask) => {
    const session = await openSession(folder, { interactive: true, ...(ask && { ask }) });
    expect(await session.askForDependencies()).toMatchObject({
      provided: [],
      missing: [{ kind: "environment", names: ["NEEDY_TOKEN"] }],
    });
  });
});

test("a compaction keeps the catalogue and what is loaded, newest first, and names what does not fit", async () => {
  const session = await openSession(folder);
  for (const name of ["pdf", "plain", "secret"]) await session.activate(name);
  const whole = await session.compact();
  expect(whole).toMatchObject({ kept: ["secret", "plain", "pdf"], dropped: [] });
  expect(whole.text).toMatch(/^When a task matches a skill, .*\n\n<available_skills>/);
  const short = await session.compact({ budgetTokens: whole.tokens - 20 });
  expect(short).toMatchObject({ kept: ["secret", "plain"], dropped: ["pdf"] });
  expect(short.tokens).toBeLessThanOrEqual(whole.tokens - 20);
  // What is no longer in context is given whole again.
  expect((await session.activate("pdf")).duplicate).toBe(false);
  expect((await session.activate("plain")).duplicate).toBe(true);
});

test("a person's message names skills by slash, dollar sign and link", async () => {
  const session = await openSession(folder);
  const { skills, diagnostics } = session.mentions(
    `/deploy with $pdf and [$x](${folder}/plain/SKILL.md) in $HOME`,
  );
  expect(skills.map(({ skill: { name } }) => name)).toEqual(["deploy", "pdf", "plain"]);
  expect(diagnostics).toEqual([]);
  expect(session.mentions("/deplyo now").diagnostics).toMatchObject([{ code: "unknown-mention" }]);
});
