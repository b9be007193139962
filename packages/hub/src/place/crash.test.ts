import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleSource } from "../../../kit/src/testing/bundle-source.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { recover } from "./recover.ts";
import type { ChildTask } from "./testing/commit-child.ts";
import { inspectProject } from "./testing/inspect-project.ts";
import { runChild } from "./testing/run-child.ts";
import { auditOf, leftovers, type SandboxProject, sandboxProject } from "./testing/sandbox-project.ts";

const OLD = { a: "1", b: "1" };
const NEW = { a: "2", c: "1" };
/** An update, a removal and an installation at once. */
const WANTED: ChildTask["wanted"] = { a: "2", b: null, c: "1" };
const NAMES = ["a", "b", "c"];

let programs: string;
let program: string;
/** Where `OLD` is installed, to be copied. */
let prepared: string;
let stages: readonly string[];

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), "skillet-crash-"));
  [program] = await bundleSource(join(programs, "out"), "hub/src/place/testing/commit-child.ts");
  prepared = join(programs, "prepared");
  await runChild(program, { folder: prepared, wanted: OLD });
  const trial = join(programs, "trial");
  cpSync(prepared, trial, { recursive: true, verbatimSymlinks: true });
  const { lines } = await runChild(program, { folder: trial, wanted: WANTED });
  stages = lines.filter((line) => line !== "begin" && line !== "end");
});

afterAll(() => rmSync(programs, { recursive: true, force: true }));

describe("a process that is killed", () => {
  test("at every stage leaves the old or the new state, whole, for the next command", async () => {
    expect(stages).toContain("committed");
    expect(stages.length).toBeGreaterThan(20);
    for (const stage of stages) {
      const project = copyOfPrepared();
      const { signal } = await runChild(program, { folder: project.folder, wanted: WANTED, dieAt: stage });
      expect([stage, signal]).toEqual([stage, "SIGKILL"]);
      const settlement = await recover(project);
      const state = await inspectProject(project, NAMES);
      const isDone = stages.indexOf(stage) >= stages.indexOf("committed");
      expect([stage, state]).toEqual([stage, { versions: isDone ? NEW : OLD, problems: [] }]);
      expect([stage, auditOf(project).length]).toEqual([stage, isDone ? 5 : 2]);
      const begun = stages.indexOf(stage) - stages.indexOf("journalled");
      if (begun >= 0 && stage !== "settled") expect(settlement).toBe(isDone ? "completed" : "undone");
      expect(await recover(project)).toBe("nothing");
    }
  });

  test("and whose repair is killed at every stage too, is repaired in the end", async () => {
    for (const stage of ["swapped 2", "committed"]) {
      const project = copyOfPrepared();
      await runChild(program, { folder: project.folder, wanted: WANTED, dieAt: stage });
      const broken = temporaryDirectory();
      cpSync(project.folder, broken, { recursive: true, verbatimSymlinks: true });
      const { lines } = await runChild(program, { folder: project.folder, wanted: {}, recoverOnly: true });
      const expected = await inspectProject(project, NAMES);
      expect([stage, expected.problems, lines.at(-1)]).toEqual([stage, [], "settled"]);
      for (const repair of lines) {
        // A journal names its place, so what was broken is put back where it was.
        rmSync(project.folder, { recursive: true });
        cpSync(broken, project.folder, { recursive: true, verbatimSymlinks: true });
        await runChild(program, { folder: project.folder, wanted: {}, recoverOnly: true, dieAt: repair });
        await recover(project);
        expect([stage, repair, await inspectProject(project, NAMES)]).toEqual([stage, repair, expected]);
      }
    }
  });

  test("between stages, wherever the kill happens to arrive, leaves the old or the new state", async () => {
    for (let round = 0; round < 16; round++) {
      const project = copyOfPrepared();
      await runChild(program, { folder: project.folder, wanted: WANTED }, { killAfter: 2 + round });
      await recover(project);
      const { versions, problems } = await inspectProject(project, NAMES);
      expect(problems).toEqual([]);
      expect([OLD, NEW]).toContainEqual(versions);
    }
  });

  test("is made good by the next change as well, without anyone asking", async () => {
    const project = copyOfPrepared();
    await runChild(program, { folder: project.folder, wanted: WANTED, dieAt: "swapped 2" });
    expect(leftovers(project.root)).not.toEqual([]);
    const { exitCode } = await runChild(program, { folder: project.folder, wanted: { d: "1" } });
    expect(exitCode).toBe(0);
    expect(await inspectProject(project, NAMES)).toEqual({ versions: { ...OLD, d: "1" }, problems: [] });
  });
});

describe("processes at the same time", () => {
  test("eight that install into one lock give eight entries and eight skills", async () => {
    const folder = temporaryDirectory();
    const names = Array.from({ length: 8 }, (_, index) => `skill-${index}`);
    const ends = await Promise.all(
      names.map((name) => runChild(program, { folder, wanted: { [name]: "1" } })),
    );
    expect(ends.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
    const project = sandboxProject(folder);
    const versions = Object.fromEntries(names.map((name) => [name, "1"]));
    expect(await inspectProject(project, names)).toEqual({ versions, problems: [] });
    expect(auditOf(project)).toHaveLength(8);
  });

  test("of two different updates of one skill, one wins and one says so", async () => {
    const project = copyOfPrepared();
    const update = (version: string) =>
      runChild(program, { folder: project.folder, wanted: { a: version }, plannedOn: { a: "1" } });
    const ends = await Promise.all([update("2"), update("3")]);
    expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
    const [winner, loser] = ends[0].exitCode === 0 ? ["2", ends[1]] : ["3", ends[0]];
    expect(loser.lines.at(-1)).toBe("failed lock-changed");
    expect(await inspectProject(project, NAMES)).toEqual({ versions: { a: winner, b: "1" }, problems: [] });
  });
});

function copyOfPrepared(): SandboxProject & { readonly folder: string } {
  const folder = temporaryDirectory();
  cpSync(prepared, folder, { recursive: true, verbatimSymlinks: true });
  return { ...sandboxProject(folder), folder };
}
