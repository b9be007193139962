import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import type { Answer, Question } from "../ask.ts";
import { openSkills } from "../open-skills.ts";
import { writeTree } from "../testing/write-tree.ts";
import { trustFolder, untrustFolder } from "../trust/trust-store.ts";
import type { Skills } from "../workspace/skills.ts";
import { projectSkills } from "../workspace/trusted-skills.ts";
import { readJournal } from "./records/journal.ts";
import type { PolicyRecord } from "./records/session-record.ts";
import type { Session, SessionOptions } from "./session.ts";
import { decideScriptIn, scriptsIn, usableIn } from "./testing/inspect-session.ts";
import { openFolder, openSession, type TestSession } from "./testing/open-session.ts";
import { recordingRunner, scriptSecrets } from "./testing/recording-runner.ts";
import { catalogIn, decisionOf } from "./testing/unwrap.ts";

const NOTES = "---\nname: notes\ndescription: Takes notes.\n---\nNOTES TEXT\n";
const NEW = "---\nname: new\ndescription: Is new.\n---\nNEW TEXT\n";
const PDF = "---\nname: pdf\ndescription: Fills forms.\n---\nPDF TEXT\n";

function tree(files: Record<string, string> = {}): string {
  return writeTree(join(temporaryDirectory(), "skills"), {
    "notes/SKILL.md": NOTES,
    "pdf/SKILL.md": PDF,
    "pdf/fields.md": "fields",
    "pdf/scripts/main.sh": "#!/bin/sh\n",
    ...files,
  });
}

async function open(folder: string = tree(), options: SessionOptions = {}): Promise<TestSession> {
  return openSession(folder, options, await openFolder(folder));
}

function configure(skills: Skills, config: string): void {
  writeFileSync(join(skills.home, "config.yaml"), config);
}

const DENY_PDF = "policy:\n  rules:\n    - { skill: pdf, action: deny }\n";

function names(session: Session): string[] {
  return usableIn(session).map(({ name }) => name);
}

async function policies({ runFolder }: { readonly runFolder: string }): Promise<readonly PolicyRecord[]> {
  const { entries } = await readJournal(runFolder);
  return entries.flatMap(({ record }) => (record.kind === "policy" ? [record] : []));
}

const NEEDY: string = PDF.replace("---\nPDF", "required-environment-variables:\n  - name: TOKEN\n---\nPDF");

function breakRecords(runFolder: string): void {
  rmSync(runFolder, { recursive: true });
  writeFileSync(runFolder, "");
}

describe("setMode", () => {
  test("hides what the mode hides, tells the model, and is on record", async () => {
    const session = await open();
    expect(session.catalog().text).toContain("pdf");
    const change = await session.setMode("plan");
    expect(change).toMatchObject({ added: [], removed: ["pdf"] });
    expect(change?.text).not.toContain("Fills forms.");
    expect([session.mode, names(session)]).toEqual(["plan", ["notes"]]);
    expect(session.catalog().text).not.toContain("pdf");
    expect(await session.setMode("default")).toMatchObject({ added: ["pdf"], removed: [] });
    expect((await policies(session)).map(({ mode, skills }) => [mode, skills.length])).toEqual([
      ["default", 2],
      ["plan", 1],
      ["default", 2],
    ]);
  });

  test("a stricter mode holds at once, in plan mode for every skill whose scripts are not known yet", async () => {
    const session = await open(undefined, { allow: ["notes"] });
    const changing = session.setMode("locked");
    expect(names(session)).toEqual(["notes"]);
    await expect(session.activate("pdf")).rejects.toMatchObject({ code: "skill-not-found" });
    await changing;
    const other = await open();
    const planning = other.setMode("plan");
    expect(names(other)).toEqual([]);
    await planning;
    expect(names(other)).toEqual(["notes"]);
  });

  test("a stricter mode is not undone by a change that was asked for before it", async () => {
    const session = await open(undefined, { allow: ["notes"] });
    const first = session.setMode("default");
    const second = session.setMode("locked");
    await first;
    expect([session.mode, names(session)]).toEqual(["locked", ["notes"]]);
    await second;
    expect(session.mode).toBe("locked");
    await session.setMode("default");
    expect(session.mode).toBe("default");
  });

  test("a mode that cannot be recorded holds if it is stricter, and not if it is laxer", async () => {
    const session = await open(undefined, { mode: "plan", allow: ["notes"] });
    breakRecords(session.runFolder);
    await expect(session.setMode("default")).rejects.toThrow();
    expect([session.mode, names(session)]).toEqual(["plan", ["notes"]]);
    await expect(session.setMode("locked")).rejects.toThrow();
    await expect(session.refresh()).rejects.toThrow();
    expect(session.mode).toBe("locked");
  });

  test("is never less strict than the configuration, and a mode that does not exist is refused", async () => {
    const folder = tree();
    const skills = await openFolder(folder, "policy:\n  mode: plan\n");
    const session = await openSession(folder, {}, skills);
    await session.setMode("default");
    expect(session.mode).toBe("plan");
    let deep: unknown = [];
    for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
    for (const mode of ["open", deep])
      await expect(session.setMode(mode as never)).rejects.toMatchObject({ code: "invalid-mode" });
  });

  test("what is loaded can be used again when the mode lets it", async () => {
    const runner = recordingRunner({ allow: ["pdf:scripts/main.sh"] });
    const session = await open(undefined, { runner });
    await session.activate("pdf");
    await session.setMode("plan");
    expect((await session.read("pdf", "fields.md")).error).toMatchObject({ code: "skill-not-found" });
    expect(await session.run("pdf", "scripts/main.sh")).toMatchObject({ status: "refused" });
    await session.setMode("default");
    expect((await session.read("pdf", "fields.md")).content).toBe("fields");
    expect((await session.activate("pdf")).duplicate).toBe(true);
    expect(runner.calls).toEqual([]);
  });

  test("a script that waits for a person is not run when the mode became stricter meanwhile", async () => {
    const folder = tree();
    const rule = "policy:\n  rules:\n    - { tool: run_skill_script, action: ask }\n";
    const runner = recordingRunner({ allow: ["pdf:scripts/main.sh"] });
    const ask = async ({ kind }: Question): Promise<Answer> => {
      if (kind === "script") await session.setMode("plan");
      return { choice: "allow" };
    };
    const session: TestSession = await openSession(folder, { ask, runner }, await openFolder(folder, rule));
    await session.activate("pdf");
    expect(await session.run("pdf", "scripts/main.sh")).toMatchObject({ code: "script-denied" });
    expect(runner.calls).toEqual([]);
  });

  test("a resumed run has the mode that was set last", async () => {
    const session = await open(undefined, { mode: "plan" });
    await session.setMode("default");
    await session.turn().end();
    const { session: resumed } = await session.skills.resume(session.runFolder);
    expect(resumed.mode).toBe("default");
    await resumed.setMode("locked");
    expect((await session.skills.resume(session.runFolder)).session.mode).toBe("locked");
  });

  test("a host leaves plan mode, also that of a run which was resumed in it", async () => {
    const session = await open(undefined, { mode: "plan" });
    expect(names(session)).toEqual(["notes"]);
    await session.turn().end();
    const { session: resumed } = await session.skills.resume(session.runFolder);
    expect(resumed.mode).toBe("plan");
    expect(await resumed.setMode("default")).toMatchObject({ added: ["pdf"] });
    expect((await resumed.activate("pdf")).text).toContain("PDF TEXT");
  });
});

describe("refresh", () => {
  test("answers for a skill of before as it is now, and for one that is gone", async () => {
    const folder = tree();
    const skills = await openFolder(folder);
    const session = await openSession(folder, {}, skills);
    const [notes, pdf] = usableIn(session);
    if (notes === undefined || pdf === undefined) throw new Error("The tree has two skills.");
    rmSync(join(folder, "notes"), { recursive: true });
    configure(skills, DENY_PDF);
    await session.refresh();
    expect(session.mayUse(notes).hidden).toBe("it is no longer among the skills");
    expect(session.mayUse(pdf).hidden).toContain("it is disabled: denied by policy");
    expect(session.mayUse(notes).obstacle).toMatchObject({ step: "found" });
  });

  test("answers about scripts for a skill of before as it is now", async () => {
    const session = await open(undefined, { runner: recordingRunner({ allow: ["pdf:scripts/main.sh"] }) });
    const [, pdf] = usableIn(session);
    if (pdf === undefined) throw new Error("The tree has two skills.");
    writeFileSync(join(pdf.directory, "SKILL.md"), PDF.replace("forms", "any form"));
    await session.refresh();
    expect(decideScriptIn(session, pdf, "scripts/main.sh")).toMatchObject({
      outcome: "allow",
      target: "sandbox",
    });
  });

  test.each(["removed", "denied"])(
    "a run that lost a loaded skill, %s, can be resumed once that turn is over",
    async (how) => {
      const folder = tree();
      const session = await open(folder);
      await session.activate("pdf");
      if (how === "denied") configure(session.skills, DENY_PDF);
      else rmSync(join(folder, "pdf"), { recursive: true });
      await session.refresh();
      // In that turn it still narrows, and its rules can no longer be read.
      await expect(session.skills.resume(session.runFolder)).rejects.toMatchObject({
        code: how === "denied" ? "run-skill-withheld" : "run-skill-gone",
      });
      await session.turn().end();
      const { session: resumed, diagnostics } = await session.skills.resume(session.runFolder);
      expect(diagnostics).toEqual([]);
      await expect(resumed.activate("pdf")).rejects.toMatchObject({ code: "skill-not-found" });
    },
  );

  test("a loaded skill that survived a refresh and is gone later still stops a resume", async () => {
    const folder = tree();
    const session = await open(folder);
    await session.activate("pdf");
    rmSync(join(folder, "notes"), { recursive: true });
    await session.refresh();
    await session.turn().end();
    rmSync(join(folder, "pdf"), { recursive: true });
    await session.skills.reload();
    await expect(session.skills.resume(session.runFolder)).rejects.toMatchObject({ code: "run-skill-gone" });
  });

  test("a child that the host forgets without finishing it is not kept alive", async () => {
    const session = await open();
    const forgotten = new WeakRef(await session.fork({ skills: ["pdf"] }));
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    // A reference that was read in this turn of the event loop is kept until its end.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(forgotten.deref()).toBeUndefined();
    expect(await session.setMode("locked")).toMatchObject({ removed: ["notes", "pdf"] });
  });

  test("finds new skills, forgets removed ones, and tells what changed", async () => {
    const folder = tree();
    const session = await open(folder);
    expect(await session.refresh()).toBeUndefined();
    rmSync(join(folder, "notes"), { recursive: true });
    writeTree(folder, { "new/SKILL.md": "---\nname: new\ndescription: Is new.\n---\nNEW TEXT\n" });
    expect(names(session)).toEqual(["notes", "pdf"]);
    const change = await session.refresh();
    expect(change).toMatchObject({ added: ["new"], removed: ["notes"] });
    expect(change?.text).toContain("Is new.");
    expect((await session.activate("new")).text).toContain("NEW TEXT");
    await expect(session.activate("notes")).rejects.toMatchObject({ code: "skill-not-found" });
    expect((await policies(session)).at(-1)?.snapshotVersion).toBe(session.snapshot.version);
  });

  test("tells it in the form in which the host asked for the catalogue", async () => {
    const folder = tree();
    const session = await open(folder);
    session.catalog({ format: "markdown" });
    rmSync(join(folder, "notes"), { recursive: true });
    expect((await session.refresh())?.text).toContain("## Available skills");
    await catalogIn(session.prompt(["fill in a form"], { format: "json" }));
    writeTree(folder, { "notes/SKILL.md": NOTES });
    expect((await session.refresh())?.text).toContain('"name":"notes"');
  });

  test("a new denial holds from the next call on, also for what is loaded", async () => {
    const runner = recordingRunner({ allow: ["pdf:scripts/main.sh"] });
    const session = await open(undefined, { runner });
    await session.activate("pdf");
    configure(session.skills, DENY_PDF);
    expect(await session.refresh()).toMatchObject({ removed: ["pdf"] });
    await expect(session.activate("pdf")).rejects.toMatchObject({ code: "skill-not-found" });
    expect((await session.read("pdf", "fields.md")).content).toBeUndefined();
    expect(await session.run("pdf", "scripts/main.sh")).toMatchObject({ status: "refused" });
    expect((await session.compact()).text).not.toContain("PDF TEXT");
    expect(runner.calls).toEqual([]);
  });

  test("a new rule about tools or scripts holds from the next call on, and so does a denial for sub-agents", async () => {
    const runner = recordingRunner({ allow: ["pdf:scripts/main.sh"] });
    const session = await open(undefined, { runner });
    await session.activate("pdf");
    const outcome = async (): Promise<string> =>
      (await decisionOf(session.guard({ tool: "Bash", input: "rm x" }))).outcome;
    expect(await outcome()).toBe("allow");
    expect(await session.run("pdf", "scripts/main.sh")).toMatchObject({ status: "executed" });
    const rule = (tool: string): string => `    - { tool: "${tool}", action: deny }\n`;
    configure(session.skills, `policy:\n  rules:\n${rule("Bash(rm:*)")}${rule("run_skill_script")}`);
    await session.refresh();
    expect(await outcome()).toBe("deny");
    expect(await session.run("pdf", "scripts/main.sh")).toMatchObject({ code: "script-denied" });
    configure(session.skills, DENY_PDF);
    await session.refresh();
    await expect(session.fork({ activate: "pdf" })).rejects.toMatchObject({ code: "skill-not-found" });
  });

  test("a skill that is disabled is gone, also where it is loaded", async () => {
    const session = await open();
    await session.activate("pdf");
    configure(session.skills, "skills:\n  overrides:\n    pdf: { enabled: false }\n");
    await session.refresh();
    expect(names(session)).toEqual(["notes"]);
    expect((await session.read("pdf", "fields.md")).content).toBeUndefined();
  });

  test("a project that is no longer trusted takes its skills along", async () => {
    const project = temporaryDirectory();
    const home = temporaryDirectory();
    writeTree(project, {
      ".git/HEAD": "",
      ".agents/skills/pdf/SKILL.md": PDF,
      ".agents/skills/pdf/fields.md": "f",
    });
    const skills = await openSkills({
      workspace: project,
      home,
      userHome: home,
      environment: { PATH: "/usr/bin:/bin" },
      organisationDirectory: join(home, "organisation"),
      bundledDirectory: false,
      cacheDirectory: false,
    });
    await trustFolder({ home, projectRoot: project, skills: await projectSkills(skills), clock: Date.now });
    const session = await skills.session();
    expect((await session.refresh())?.added).toEqual(["pdf"]);
    await session.activate("pdf");
    await untrustFolder({ home, projectRoot: project });
    expect((await session.refresh())?.removed).toEqual(["pdf"]);
    expect((await session.read("pdf", "fields.md")).content).toBeUndefined();
  });

  test("a yes that a person gives does not outweigh a denial that came while they thought", async () => {
    const folder = tree();
    const skills = await openFolder(folder, "policy:\n  rules:\n    - { skill: pdf, action: ask }\n");
    const ask = async (): Promise<Answer> => {
      configure(skills, DENY_PDF);
      await session.refresh();
      return { choice: "allow" };
    };
    const session: TestSession = await openSession(folder, { ask }, skills);
    await expect(session.activate("pdf")).rejects.toMatchObject({ code: "skill-denied" });
    expect((await session.read("pdf", "fields.md")).content).toBeUndefined();
  });

  test("another skill that takes over a name takes over nothing else", async () => {
    const needy = PDF.replace("---\nPDF", "required-environment-variables:\n  - name: TOKEN\n---\nPDF");
    const folder = tree({ "pdf/SKILL.md": needy });
    const runner = recordingRunner({ allow: ["pdf:scripts/main.sh"] });
    const ask = async (): Promise<Answer> => ({ choice: "provide", secrets: { TOKEN: "value" } });
    const session = await open(folder, { ask, runner });
    await session.askForDependencies();
    expect(await scriptSecrets(session, runner, "pdf")).toEqual({ TOKEN: "value" });
    rmSync(join(folder, "pdf"), { recursive: true });
    writeTree(folder, { "other/SKILL.md": needy, "other/scripts/main.sh": "#!/bin/sh\n" });
    await session.refresh();
    expect(session.snapshot.skills.map(({ qualifiedName }) => qualifiedName)).toContain("pdf");
    expect(await session.run("pdf", "scripts/main.sh")).toMatchObject({ code: "skill-not-found" });
    await expect(session.activate("pdf")).rejects.toMatchObject({ code: "skill-not-found" });
  });

  test("a value that is given after a name changed hands is not for its new owner", async () => {
    const folder = tree({ "pdf/SKILL.md": NEEDY });
    const ask = async (): Promise<Answer> => {
      rmSync(join(folder, "pdf"), { recursive: true });
      writeTree(folder, { "other/SKILL.md": NEEDY });
      await session.refresh();
      return { choice: "provide", secrets: { TOKEN: "s3cr3t-value" } };
    };
    const session: TestSession = await open(folder, { ask, runner: recordingRunner() });
    expect((await session.askForDependencies()).provided).toEqual([]);
    await expect(session.activate("pdf")).rejects.toMatchObject({ code: "skill-not-found" });
    await session.run("pdf", "scripts/main.sh", ["s3cr3t-value"]);
    expect(JSON.stringify(await session.recorded())).not.toContain("s3cr3t-value");
  });

  test("a value stays out of the records when its skill is gone", async () => {
    const folder = tree({ "pdf/SKILL.md": NEEDY });
    const ask = async (): Promise<Answer> => ({ choice: "provide", secrets: { TOKEN: "s3cr3t-value" } });
    const session = await open(folder, { ask, runner: recordingRunner() });
    await session.askForDependencies();
    rmSync(join(folder, "pdf"), { recursive: true });
    await session.refresh();
    await session.run("pdf", "scripts/main.sh", ["s3cr3t-value"]);
    expect(JSON.stringify(await session.recorded())).not.toContain("s3cr3t-value");
  });

  test("a denial that cannot be recorded holds all the same", async () => {
    const session = await open();
    configure(session.skills, DENY_PDF);
    breakRecords(session.runFolder);
    await expect(session.refresh()).rejects.toThrow();
    expect(names(session)).toEqual(["notes"]);
  });

  test("a script that the operator takes off the list while a person thinks is not run", async () => {
    const folder = tree();
    const listing = (scripts: string): string =>
      `policy:\n  rules:\n    - { tool: run_skill_script, action: ask }\nprofiles:\n  own: { skills: [pdf], scripts: [${scripts}] }\n`;
    const skills = await openFolder(folder, listing("'pdf:scripts/main.sh'"));
    const runner = recordingRunner({ allow: [] });
    const ask = async (): Promise<Answer> => {
      configure(skills, listing(""));
      await session.refresh();
      return { choice: "allow" };
    };
    const session: TestSession = await openSession(folder, { ask, runner, profile: "own" }, skills);
    await session.activate("pdf");
    expect(await session.run("pdf", "scripts/main.sh")).toMatchObject({ code: "script-not-allowlisted" });
    expect(runner.calls).toEqual([]);
  });

  test("looks again at the files of a skill that is not loaded", async () => {
    const folder = tree();
    const session = await open(folder);
    await session.read("pdf", "fields.md");
    writeTree(folder, { "pdf/fields.md": "other", "pdf/more.md": "more", "new/SKILL.md": NEW });
    await session.refresh();
    expect(await session.read("pdf", "fields.md")).toMatchObject({ diagnostics: [], content: "other" });
    expect((await session.read("pdf", "more.md")).content).toBe("more");
  });

  test("does not disturb the loading of a skill that stays as it is", async () => {
    const folder = tree();
    const skills = await openFolder(folder, "policy:\n  rules:\n    - { skill: pdf, action: ask }\n");
    const ask = async (): Promise<Answer> => {
      writeTree(folder, { "new/SKILL.md": NEW });
      await session.refresh();
      return { choice: "allow" };
    };
    const session: TestSession = await openSession(folder, { ask }, skills);
    expect((await session.activate("pdf")).text).toContain("PDF TEXT");
    expect((await session.read("pdf", "fields.md")).content).toBe("fields");
  });

  test("what was loaded before it is given again in a resumed run", async () => {
    const folder = tree();
    const session = await open(folder);
    await session.activate("notes");
    rmSync(join(folder, "notes"), { recursive: true });
    await session.refresh();
    writeTree(folder, { "notes/SKILL.md": NOTES });
    await session.refresh();
    await session.turn().end();
    const { session: resumed } = await session.skills.resume(session.runFolder);
    expect((await resumed.activate("notes")).duplicate).toBe(false);
  });

  test("a skill that got another name stays loaded", async () => {
    const folder = tree();
    const session = await open(folder);
    await session.activate("pdf");
    const renamed = PDF.replace("name: pdf", "name: pdf-forms");
    writeFileSync(join(folder, "pdf", "SKILL.md"), renamed);
    await session.refresh();
    expect((await session.read("pdf-forms", "fields.md")).content).toBe("fields");
  });

  test("throws when the configuration cannot be read, and the session goes on as before", async () => {
    const session = await open();
    configure(session.skills, "policy: [");
    await expect(session.refresh()).rejects.toMatchObject({ code: expect.any(String) });
    expect(names(session)).toEqual(["notes", "pdf"]);
  });

  test("of several sessions at once searches once for all", async () => {
    const folder = tree();
    const skills = await openFolder(folder);
    const sessions = await Promise.all([skills.session(), skills.session(), skills.session()]);
    rmSync(join(folder, "notes"), { recursive: true });
    await Promise.all(sessions.map((session) => session.refresh()));
    expect(new Set(sessions.map(({ snapshot }) => snapshot)).size).toBe(1);
    expect(sessions.map(names)).toEqual([["pdf"], ["pdf"], ["pdf"]]);
  });
});

describe("a child session", () => {
  test("follows its parent's mode and cannot leave it", async () => {
    const parent = await open();
    const child = await parent.fork({ skills: ["pdf", "notes"] });
    const changing = parent.setMode("plan");
    expect([child.mode, names(child)]).toEqual(["plan", []]);
    await changing;
    expect(names(child)).toEqual(["notes"]);
    await child.setMode("default");
    expect(child.mode).toBe("plan");
    await parent.setMode("default");
    expect([child.mode, names(child)]).toEqual(["default", ["notes", "pdf"]]);
  });

  test("is refreshed with its parent, and gets no skill that it was not given", async () => {
    const folder = tree();
    const parent = await open(folder);
    const child = await parent.fork({ skills: ["pdf"] });
    writeTree(folder, { "new/SKILL.md": "---\nname: new\ndescription: Is new.\n---\nNEW\n" });
    await child.refresh();
    expect([names(parent), names(child)]).toEqual([["new", "notes", "pdf"], ["pdf"]]);
    configure(parent.skills, DENY_PDF);
    await parent.refresh();
    expect(names(child)).toEqual([]);
    await child.finish("Done.");
    await expect(child.refresh()).rejects.toMatchObject({ code: "session-ended" });
  });

  test("has no skill and no script that its parent lost", async () => {
    const folder = tree();
    const own = "profiles:\n  own: { skills: [pdf], scripts: ['pdf:scripts/main.sh'] }\n";
    const skills = await openFolder(folder, own);
    const runner = recordingRunner({ allow: [] });
    const parent = await openSession(folder, { profile: "own", runner }, skills);
    const child = await parent.fork({ skills: ["pdf", "notes"], scripts: ["pdf:scripts/main.sh"] });
    const grandchild = await child.fork({ skills: ["notes"] });
    await parent.setMode("locked");
    expect([names(child), names(grandchild), scriptsIn(child).length]).toEqual([["pdf"], [], 1]);
    configure(skills, "profiles:\n  own: { skills: [pdf] }\n");
    await parent.refresh();
    expect([names(child), scriptsIn(child)]).toEqual([["pdf"], []]);
    configure(skills, "profiles:\n  own: { skills: [] }\n");
    await parent.refresh();
    expect(names(child)).toEqual([]);
  });

  test("that is being opened follows its parent too", async () => {
    const changes: Promise<unknown>[] = [];
    let isForking = false;
    const clock = (): number => {
      if (isForking) changes.push(parent.setMode("locked"));
      isForking = false;
      return 0;
    };
    const parent: TestSession = await open(undefined, { clock, allow: ["notes"] });
    isForking = true;
    const child = await parent.fork({ skills: ["pdf", "notes"] });
    expect([child.mode, names(child)]).toEqual(["locked", ["notes"]]);
    await Promise.all(changes);
    await parent.setMode("default");
    const forking = parent.fork({ skills: ["pdf", "notes"] });
    configure(parent.skills, DENY_PDF);
    await parent.refresh();
    expect(names(await forking)).toEqual(["notes"]);
  });

  test("keeps a stricter mode that is set while it is refreshed", async () => {
    const changes: Promise<unknown>[] = [];
    let records = 0;
    const clock = (): number => {
      records -= 1;
      if (records === 0) changes.push(parent.setMode("locked"));
      return 0;
    };
    const parent: TestSession = await open(undefined, { clock });
    const child = await parent.fork({ skills: ["pdf"] });
    // The parent's record is the first, the child's the second.
    records = 2;
    await parent.refresh();
    expect([parent.mode, child.mode]).toEqual(["locked", "locked"]);
    await Promise.all(changes);
  });

  test("whose records fail keeps no denial from the others", async () => {
    const parent = await open();
    const children = [await parent.fork({ skills: ["pdf"] }), await parent.fork({ skills: ["pdf"] })];
    breakRecords(join(parent.runFolder, "children", children[0]?.runId ?? ""));
    configure(parent.skills, DENY_PDF);
    await expect(parent.refresh()).rejects.toThrow();
    expect(children.map(names)).toEqual([[], []]);
    expect(
      (await policies({ runFolder: join(parent.runFolder, "children", children[1]?.runId ?? "") })).length,
    ).toBe(2);
  });

  test("ends with its parent", async () => {
    const parent = await open();
    const child = await parent.fork({ skills: ["pdf"] });
    const grandchild = await child.fork({ skills: ["pdf"] });
    await child.finish("Done.");
    await expect(grandchild.activate("pdf")).rejects.toMatchObject({ code: "session-ended" });
  });
});
