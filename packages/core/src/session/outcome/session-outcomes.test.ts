import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import type { AgentEvent } from "../../behaviour/create-use-detector.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import type { SessionOptions } from "../session.ts";
import { selectIn } from "../testing/inspect-session.ts";
import { openSession, type TestSession } from "../testing/open-session.ts";
import { readRunOutcomes } from "./read-run-outcomes.ts";
import type { SkillOutcome } from "./session-outcomes.ts";

const DESCRIPTIONS = {
  pdf: "Fills in PDF forms. Use when asked to fill in a form.",
  podcast: "Edits podcasts and cuts silence.",
};

function open(options: SessionOptions = {}): Promise<TestSession> {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md": skillText("pdf", DESCRIPTIONS.pdf),
    "pdf/scripts/fill.py": "print()\n",
    "podcast/SKILL.md": skillText("podcast", DESCRIPTIONS.podcast),
    "keyed/SKILL.md":
      "---\nname: keyed\ndescription: Needs a key.\nrequired-environment-variables:\n  - name: KEY\n---\nBody.\n",
  });
  return openSession(folder, options);
}

const PDF = { name: "pdf", digest: expect.stringMatching(/^sha256:/), origin: "local" };

describe("a decision", () => {
  test("is recorded as an offer without the text of the message", async () => {
    const session = await open();
    await session.decide("please fill in this PDF form");
    await session.decide("please fill in this PDF form");
    const [first, second, ...more] = await session.recorded();
    expect(first).toEqual({
      kind: "offer",
      skills: [{ ...PDF, tier: expect.stringMatching(/activate|suggest/) }],
      messageDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expect([second, more]).toEqual([first, []]);
    expect(readFileSync(join(session.runFolder, "journal.jsonl"), "utf8")).not.toContain("fill in this");
  });

  test("keeps the beginning of the message where the host wants that, cleaned and without secrets", async () => {
    const session = await open({ recordMessages: true, secrets: { keyed: { KEY: "s3cr3t-value" } } });
    const message = `fill in this PDF form\n\u200b with s3cr\u200b3t-value and s3cr3t-value ${"x ".repeat(400)}`;
    await session.decide(message);
    const [record] = await session.recorded();
    const text = (record as { message: string }).message;
    expect(text.slice(0, 76)).toBe(
      "fill in this PDF form with [redacted KEY] and [redacted KEY] x x x x x x x x",
    );
    expect(text.length).toBeLessThanOrEqual(400);
    expect(record).not.toHaveProperty("messageDigest");
  });

  test("is recorded with all that it activates and all that it suggests", async () => {
    const session = await open();
    const decided: unknown[] = [];
    const messages = [
      "please fill in this PDF form",
      "we ask everybody to fill the room with silence for an hour",
      "fill in this tax form please",
      "is this the usual form?",
      "cut the intro",
      "$pdf",
    ];
    for (const message of messages) {
      const { activate, suggest } = await session.decide(message);
      const offered = [
        ...activate.map(({ skill }) => ({ ...PDF, name: skill.qualifiedName, tier: "activate" })),
        ...suggest.map(({ skill }) => ({ ...PDF, name: skill.qualifiedName, tier: "suggest" })),
      ];
      if (offered.length > 0) decided.push(offered);
    }
    expect((await session.recorded()).map((record) => "skills" in record && record.skills)).toEqual(decided);
    expect(JSON.stringify(decided)).toMatch(/"activate".*"suggest"|"suggest".*"activate"/);
  });

  test("that offers nothing is no offer", async () => {
    const session = await open();
    await session.decide("thanks, that is all");
    expect(await session.recorded()).toEqual([]);
  });

  test("that offers nothing keeps its message once a turn, where the host wants texts", async () => {
    const session = await open({ recordMessages: true });
    await session.decide("thanks, that is all");
    await session.decide("good bye then");
    await session.turn().end();
    await session.decide("hello again");
    expect(await session.recorded()).toEqual([
      { kind: "offer", skills: [], message: "thanks, that is all" },
      { kind: "turn-ended" },
      { kind: "offer", skills: [], message: "hello again" },
    ]);
  });

  test("that missed what the agent then used leaves a message to learn from", async () => {
    const session = await open({ recordMessages: true });
    const { directory } = session.snapshot.skills.find(({ name }) => name === "pdf")!;
    await session.decide("thanks, that is all");
    await session.observe({ kind: "command", command: `python3 ${directory}/scripts/fill.py` });
    await session.turn().end();
    const { outcomes } = await readRunOutcomes(session.runFolder);
    expect(outcomes).toMatchObject([{ name: "pdf", outcome: "used", message: "thanks, that is all" }]);
  });

  test("has digests that nobody can try guesses on", async () => {
    const digestOf = async (): Promise<unknown> => {
      const session = await open();
      await session.decide("fill in this PDF form");
      return (await session.recorded())[0];
    };
    expect(await digestOf()).not.toEqual(await digestOf());
  });
});

describe("what the agent does", () => {
  test("is recorded once a turn and skill, with the file and never the command", async () => {
    const session = await open();
    const { directory } = session.snapshot.skills.find(({ name }) => name === "pdf")!;
    const event = {
      kind: "command",
      command: `TOKEN=abc python3 ${directory}/scripts/fill.py --key abc`,
    } as const;
    expect((await session.observe(event)).map(({ skill }) => skill.name)).toEqual(["pdf"]);
    expect((await session.observe(event)).map(({ skill }) => skill.name)).toEqual(["pdf"]);
    const use = {
      kind: "implicit-use",
      ...PDF,
      how: "script",
      certainty: "sure",
      subject: "scripts/fill.py",
    };
    expect(await session.recorded()).toEqual([use]);
    await session.turn().end();
    await session.observe(event);
    expect(await session.recorded()).toEqual([use, { kind: "turn-ended" }, use]);
  });

  test("is recorded again when a guess becomes certain, and not when it is guessed again", async () => {
    const session = await open();
    const { directory: cwd } = session.snapshot.skills.find(({ name }) => name === "pdf")!;
    const commands = ["python3 -m scripts.fill", "python3 -m scripts.fill", "python3 scripts/fill.py"];
    for (const command of [...commands, ...commands])
      await session.observe({ kind: "command", command, cwd });
    const records = await session.recorded();
    expect(records.map((record) => "certainty" in record && record.certainty)).toEqual(["likely", "sure"]);
  });

  test("that belongs to no skill is not recorded", async () => {
    const session = await open();
    expect(await session.observe({ kind: "read", path: "/etc/hostname" })).toEqual([]);
    expect(await session.recorded()).toEqual([]);
  });
});

describe("what the host says", () => {
  test("is recorded by qualified name", async () => {
    const session = await open({ recordMessages: true });
    await session.outcome({ skill: "pdf", outcome: "wrong", message: "read this scan" });
    expect(await session.recorded()).toEqual([
      { kind: "outcome", ...PDF, outcome: "wrong", message: "read this scan" },
    ]);
  });

  test("about a skill or in a way that there is not is refused", async () => {
    const session = await open();
    await expect(session.outcome({ skill: "ghost", outcome: "used" })).rejects.toMatchObject({
      code: "skill-not-found",
    });
    const odd = "liked" as "used";
    await expect(session.outcome({ skill: "pdf", outcome: odd })).rejects.toMatchObject({
      code: "invalid-outcome",
    });
    expect(await session.recorded()).toEqual([]);
  });
});

describe("what a host says in another shape", () => {
  test.each([
    undefined,
    null,
    "pdf",
    {},
    { skill: 1 },
    { skill: "" },
    { skill: "pdf", outcome: "used", message: 1 },
  ])("is refused with what to pass: %j", async (odd) => {
    const session = await open();
    await expect(session.outcome(odd as unknown as SkillOutcome)).rejects.toMatchObject({
      code: "call-invalid",
      message: expect.stringContaining("; pass "),
    });
    expect(await session.recorded()).toEqual([]);
  });

  test("is refused for what the agent did, too", async () => {
    const session = await open();
    const odd = { kind: "foo" } as unknown as AgentEvent;
    await expect(session.observe(odd)).rejects.toMatchObject({ code: "call-invalid" });
  });
});

describe("the memory of a session", () => {
  const scoreOf = async (session: TestSession, message: string): Promise<number> =>
    (await selectIn(session, message)).find(({ skill }) => skill.name === "pdf")?.score ?? 0;

  test("lowers a skill that was passed over, once the turn has ended", async () => {
    const session = await open();
    const message = "please fill in this PDF form";
    const fresh = await scoreOf(session, message);
    await session.decide(message);
    expect(await scoreOf(session, message)).toBe(fresh);
    await session.turn().end();
    expect(await scoreOf(session, message)).toBeLessThan(fresh);
  });

  test("lifts a skill that was used, once the turn has ended", async () => {
    const session = await open();
    const message = "edit the PDF";
    const fresh = await scoreOf(session, message);
    await session.activate("pdf", { source: "user" });
    expect(await scoreOf(session, message)).toBe(fresh);
    await session.turn().end();
    expect(await scoreOf(session, message)).toBeGreaterThan(fresh);
  });
});
