import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import type { Ask, Question } from "../ask.ts";
import { openSkills } from "../open-skills.ts";
import { MemorySource } from "../source/memory-source.ts";
import { writeTree } from "../testing/write-tree.ts";
import { testSkills } from "../testing.ts";
import type { Session } from "./session.ts";
import { openFolder, openSession, type TestSession } from "./testing/open-session.ts";
import { recordingRunner } from "./testing/recording-runner.ts";

const STOPPED = new Error("The user pressed stop.");
const CONFIG = `policy:
  rules:
    - { skill: web, action: ask }
    - { tool: run_skill_script, action: ask }
`;
const WEB = "---\nname: web\ndescription: Browses.\n---\nBrowse.\n";
const PDF =
  "---\nname: pdf\ndescription: Fills.\nrequired-environment-variables:\n  - { name: TOKEN, optional: true }\n---\nFill.\n";

describe("an aborted question counts as no, and the host's dialogue hears of it", () => {
  let session: TestSession;
  let asked: { readonly question: Question; readonly signal: AbortSignal }[];
  let answer: Awaited<ReturnType<Ask>> | undefined;
  let stop: AbortController;
  beforeEach(async () => {
    stop = new AbortController();
    asked = [];
    answer = undefined;
    const folder = writeTree(join(temporaryDirectory(), "skills"), {
      "pdf/SKILL.md": PDF,
      "pdf/scripts/main.sh": "#!/bin/sh\n",
      "web/SKILL.md": WEB,
    });
    const ask: Ask = (question, { signal }) => {
      asked.push({ question, signal });
      if (answer !== undefined) return Promise.resolve(answer);
      queueMicrotask(() => stop.abort(STOPPED));
      return new Promise(() => undefined);
    };
    const runner = recordingRunner({ allow: ["pdf:scripts/main.sh"] });
    session = await openSession(folder, { ask, runner }, await openFolder(folder, CONFIG));
  });

  test("about a skill, which can be loaded afterwards", async () => {
    await expect(session.activate("web", { signal: stop.signal })).rejects.toBe(STOPPED);
    expect(asked[0]?.signal.reason).toBe(STOPPED);
    answer = { choice: "allow" };
    expect(await session.activate("web")).toMatchObject({ duplicate: false });
    expect(asked).toHaveLength(2);
  });

  test("about values, which can be given afterwards", async () => {
    await expect(session.askForDependencies(["pdf"], { signal: stop.signal })).rejects.toBe(STOPPED);
    expect(asked[0]?.signal.aborted).toBe(true);
    answer = { choice: "provide", secrets: { TOKEN: "value" } };
    expect(await session.askForDependencies(["pdf"])).toMatchObject({ provided: ["TOKEN"] });
  });

  test("about a script, once every caller that waits for it has left", async () => {
    await session.activate("pdf");
    const other = new AbortController();
    const first = session.run("pdf", "scripts/main.sh", [], { signal: stop.signal });
    const second = session.run("pdf", "scripts/main.sh", [], { signal: other.signal });
    await expect(first).rejects.toBe(STOPPED);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([false]);
    other.abort(STOPPED);
    await expect(second).rejects.toBe(STOPPED);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true]);
    answer = { choice: "allow" };
    expect(await session.run("pdf", "scripts/main.sh")).toMatchObject({ status: "executed" });
  });

  test("and none is put for a call that was aborted before", async () => {
    stop.abort(STOPPED);
    await expect(session.activate("web", { signal: stop.signal })).rejects.toBe(STOPPED);
    expect(asked).toEqual([]);
  });
});

/** Files that hang once they are told to, as a remote source may. */
class HangingSource extends MemorySource {
  isHanging = false;
  onHang: () => void = () => undefined;

  hang(): Promise<never> {
    this.onHang();
    return new Promise(() => undefined);
  }

  override async read(...given: Parameters<MemorySource["read"]>): ReturnType<MemorySource["read"]> {
    return this.isHanging ? this.hang() : super.read(...given);
  }

  override async listSkills(
    ...given: Parameters<MemorySource["listSkills"]>
  ): ReturnType<MemorySource["listSkills"]> {
    return this.isHanging ? this.hang() : super.listSkills(...given);
  }

  override async listFiles(
    ...given: Parameters<MemorySource["listFiles"]>
  ): ReturnType<MemorySource["listFiles"]> {
    return this.isHanging ? this.hang() : super.listFiles(...given);
  }
}

test("a script whose files hang is not waited for once its call is aborted or its session closed", async () => {
  const source = new HangingSource({ "pdf/SKILL.md": PDF, "pdf/scripts/main.sh": "#!/bin/sh\n" });
  const runner = recordingRunner({ allow: ["pdf:scripts/main.sh"] });
  const session = await testSkills({}, { open: { sources: [source] }, runner });
  await session.activate("pdf");
  source.isHanging = true;
  const stop = new AbortController();
  source.onHang = () => stop.abort(STOPPED);
  await expect(session.run("pdf", "scripts/main.sh", [], { signal: stop.signal })).rejects.toBe(STOPPED);
  source.onHang = () => void session.close();
  await expect(session.run("pdf", "scripts/main.sh")).rejects.toMatchObject({ code: "session-ended" });
  expect(runner.calls).toEqual([]);
});

test("the question before a prompt ends with its call", async () => {
  const stop = new AbortController();
  const ask: Ask = () => {
    queueMicrotask(() => stop.abort(STOPPED));
    return new Promise(() => undefined);
  };
  const needy = PDF.replace(", optional: true", "");
  const session = await testSkills({ "pdf/SKILL.md": needy }, { ask });
  const prompt = session.prompt(["/pdf"], { dependencies: "ask", signal: stop.signal });
  await expect(prompt).rejects.toBe(STOPPED);
});

describe("an abort ends a wait that would not end, with the signal's reason, and leaves the session usable", () => {
  const WAITS: readonly (readonly [string, (session: Session, signal: AbortSignal) => Promise<unknown>])[] = [
    ["activate", (session, signal) => session.activate("web", { signal })],
    ["read", (session, signal) => session.read("web", "notes.md", { signal })],
    ["resources", (session, signal) => session.resources("web", { signal })],
    ["refresh", (session, signal) => session.refresh({ signal })],
  ];
  test.each(WAITS)("%s", async (_name, wait) => {
    const source = new HangingSource({ "web/SKILL.md": WEB, "web/notes.md": "Notes." });
    const home = temporaryDirectory();
    const skills = await openSkills({
      sources: [source],
      roots: [],
      home,
      userHome: home,
      organisationDirectory: home,
      bundledDirectory: false,
      cacheDirectory: false,
      environment: {},
    });
    const session = await skills.session();
    const stop = new AbortController();
    source.isHanging = true;
    source.onHang = () => stop.abort(STOPPED);
    await expect(wait(session, stop.signal)).rejects.toBe(STOPPED);
    source.isHanging = false;
    expect((await session.activate("web")).text).toContain("Browse.");
    expect(await session.read("web", "notes.md")).toMatchObject({ content: "Notes." });
    await session.refresh();
  });

  const REFUSED: typeof WAITS = [
    ...WAITS,
    ["compact", (session, signal) => session.compact({ signal })],
    ["fork", (session, signal) => session.fork({ skills: ["web"], signal })],
    ["prompt", (session, signal) => session.prompt(["Browse."], { signal })],
    [
      "search_skills",
      async (session, signal) => {
        const { tools } = await session.toolbox({ search: true });
        return tools.find(({ kind }) => kind === "search")?.execute({ query: "Browse." }, { signal });
      },
    ],
    ["decide", (session, signal) => session.decide("Browse.", { signal })],
    ["askForDependencies", (session, signal) => session.askForDependencies([], { signal })],
  ];
  test.each(REFUSED)("%s ends at once where the signal was aborted before", async (_name, wait) => {
    const folder = writeTree(join(temporaryDirectory(), "skills"), { "web/SKILL.md": WEB });
    const session = await openSession(folder);
    await session.activate("web");
    const before = await session.recorded();
    await expect(wait(session, AbortSignal.abort(STOPPED))).rejects.toBe(STOPPED);
    expect((await session.compact()).kept).toEqual(["web"]);
    expect((await session.recorded()).slice(before.length).map(({ kind }) => kind)).toEqual(["compaction"]);
  });

  test("an abort after the record was written leaves the text out of context too", async () => {
    const stop = new AbortController();
    const folder = writeTree(join(temporaryDirectory(), "skills"), { "web/SKILL.md": WEB });
    const session = await openSession(folder, {
      onEvent: ({ type }) => {
        if (type === "activation") stop.abort(STOPPED);
      },
    });
    await expect(session.activate("web", { signal: stop.signal })).rejects.toBe(STOPPED);
    expect(await session.activate("web")).toMatchObject({ duplicate: false });
  });

  test("a skill whose text was not given because of an abort is not taken to be in context", async () => {
    const stop = new AbortController();
    const folder = writeTree(join(temporaryDirectory(), "skills"), {
      "web/SKILL.md": WEB.replace("Browse.\n", "Browse !`date`.\n"),
    });
    const skills = await openFolder(folder, 'policy: { rules: [{ tool: "Bash(date)", action: allow }] }');
    const signals: (AbortSignal | undefined)[] = [];
    const session = await openSession(
      folder,
      {
        dynamicContext: ["local"],
        exec: async ({ signal }) => {
          signals.push(signal);
          if (signals.length === 1) stop.abort(STOPPED);
          return { exitCode: 0, output: "today", timedOut: false };
        },
      },
      skills,
    );
    await expect(session.activate("web", { signal: stop.signal })).rejects.toBe(STOPPED);
    expect(signals[0]?.aborted).toBe(true);
    expect(await session.activate("web")).toMatchObject({ duplicate: false });
  });
});
