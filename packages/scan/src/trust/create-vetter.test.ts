import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Ask, Question, Session, Skills, SkillToVet } from "@skillet/core";
import {
  approvalPath,
  auditPath,
  readApprovals,
  readVerdictFile,
  withdrawApproval,
} from "@skillet/core/internal";
import { expect, test } from "vitest";
import { usableIn, vettingIn } from "../../../core/src/session/testing/inspect-session.ts";
import type { SkillFile } from "../file/file-kind.ts";
import type { Judge } from "../judge/create-judge.ts";
import type { Verdict } from "../scan-report.ts";
import { createPlace, type Place, PlainScan, setTime } from "./testing/skill-on-disk.ts";
import type { ScannedSkill } from "./vetter.ts";

const skillText = (name: string, body: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\n\n${body}\n`;

function write(place: Place, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.root, path)), { recursive: true });
    writeFileSync(join(place.root, path), text);
  }
}

const usable = (session: Session): string[] => usableIn(session).map(({ name }) => name);

const why = (session: Session, name: string): string | undefined => {
  const skill = session.snapshot.skills.find((one) => one.name === name);
  return skill && session.mayUse(skill, { source: "user" }).hidden;
};

interface Person {
  readonly ask: Ask;
  readonly asked: Question[];
}

function person(choice: string | undefined): Person {
  const asked: Question[] = [];
  return {
    asked,
    ask: async (question) => {
      asked.push(question);
      return choice === undefined ? undefined : { choice };
    },
  };
}

const audited = (place: Place): unknown[] =>
  readFileSync(auditPath(place.home), "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const { action, skill, decision } = JSON.parse(line) as Record<string, unknown>;
      return [action, skill, decision];
    });

test("safe skills are offered, odd ones with a notice, and dangerous ones wait for a yes", async () => {
  const place = createPlace();
  write(place, {
    "fine/SKILL.md": skillText("fine", "Do it."),
    "odd/SKILL.md": skillText("odd", "ODD"),
    "bad/SKILL.md": skillText("bad", "Do it."),
    "bad/scripts/x.sh": "ATTACK",
  });
  const session = await (await place.open()).session();
  expect(usable(session)).toEqual(["fine", "odd"]);
  expect(session.catalog().text).not.toContain("Does bad.");
  expect(session.catalog().report.hidden.map(({ skill, cause }) => [skill.name, cause])).toEqual([
    ["bad", "verdict"],
  ]);
  expect(why(session, "bad")).toBe(
    "the scan calls it dangerous: EX1 at SKILL.md:6; local skills that are dangerous need your approval; to use it all the same, run: skillet trust --approve bad",
  );
  const { diagnostics } = await session.activate("odd");
  expect(diagnostics).toEqual([
    {
      code: "scan-caution",
      severity: "warning",
      message: "The scan asks for caution: EX1 at SKILL.md:6.",
      file: join(place.root, "odd/SKILL.md"),
      hint: "Look at what was found before you rely on it: skillet scan odd",
    },
  ]);
  await expect(session.activate("bad", { source: "user" })).rejects.toMatchObject({
    code: "skill-not-offered",
  });
  await expect(session.activate("bad")).rejects.toMatchObject({ code: "skill-not-found" });
  expect((await session.read("bad", "scripts/x.sh")).error?.code).toBe("skill-not-found");
  expect(audited(place)).toEqual([["block", "bad", "deny"]]);
});

test("a yes holds for its session, is audited, and is asked for again by the next", async () => {
  const place = createPlace();
  write(place, { "bad/SKILL.md": skillText("bad", "Do it."), "bad/scripts/x.sh": "ATTACK" });
  const somebody = person("allow");
  const vetter = place.vetter();
  for (const asked of [1, 2]) {
    const session = await (await place.open(vetter)).session({ ask: somebody.ask });
    expect(usable(session)).toEqual(["bad"]);
    const [notice] = (await session.activate("bad")).diagnostics;
    expect(notice).toMatchObject({ code: "scan-approved", message: expect.stringContaining("this time") });
    expect(somebody.asked.length).toBe(asked);
    expect(usable(await (await place.open(vetter)).session())).toEqual([]);
  }
  expect(readApprovals(place.home).approvals.size).toBe(0);
  expect(audited(place)).toContainEqual(["approve", "bad", "allow"]);
});

test("an always is asked for once, kept in the home, audited, and ended by any changed byte", async () => {
  const place = createPlace();
  write(place, { "bad/SKILL.md": skillText("bad", "Do it."), "bad/scripts/x.sh": "ATTACK" });
  const somebody = person("always");
  const first = await (await place.open()).session({ ask: somebody.ask });
  expect(usable(first)).toEqual(["bad"]);
  expect(somebody.asked).toEqual([
    {
      kind: "verdict",
      skill: "bad",
      digest: expect.stringMatching(/^sha256:/),
      reason: "the scan calls bad dangerous: EX1 at SKILL.md:6",
      shown: expect.stringMatching(/^EX1 SKILL\.md:6 /),
      choices: ["allow", "always", "deny"],
    },
  ]);
  expect((await first.activate("bad")).diagnostics.map(({ code }) => code)).toEqual(["scan-approved"]);
  expect([...readApprovals(place.home).approvals.values()]).toEqual([
    {
      digest: somebody.asked[0]!.digest,
      skill: "bad",
      verdict: "dangerous",
      criticalRules: ["EX1"],
      forced: false,
      approvedAt: expect.any(String),
    },
  ]);
  expect(statSync(approvalPath(place.home)).mode & 0o777).toBe(0o600);
  expect(audited(place)).toEqual([["approve", "bad", "allow"]]);

  const nobody = await (await place.open()).session();
  expect(usable(nobody)).toEqual(["bad"]);
  write(place, { "bad/scripts/x.sh": "ATTACK " });
  await expect(nobody.activate("bad", { source: "user" })).rejects.toMatchObject({
    code: "skill-not-offered",
  });
  expect(usable(nobody)).toEqual([]);
  expect(usable(await (await place.open()).session())).toEqual([]);
});

test("an approval that is withdrawn counts for no session that is opened afterwards", async () => {
  const place = createPlace();
  write(place, { "bad/SKILL.md": skillText("bad", "Do it."), "bad/scripts/x.sh": "ATTACK" });
  const skills = await place.open();
  await skills.session({ ask: person("always").ask });
  expect(usable(await skills.session())).toEqual(["bad"]);
  for (const digest of readApprovals(place.home).approvals.keys())
    await withdrawApproval({ home: place.home, digest });
  expect(usable(await skills.session())).toEqual([]);
});

test("a no is kept for the process, and no answer for the session, and both withhold", async () => {
  const place = createPlace();
  write(place, { "bad/SKILL.md": skillText("bad", "ATTACK") });
  const vetter = place.vetter();
  const silent = person(undefined);
  const refusing = person("deny");
  for (const [somebody, count] of [
    [silent, 1],
    [silent, 2],
    [refusing, 1],
    [refusing, 1],
  ] as const) {
    expect(usable(await (await place.open(vetter)).session({ ask: somebody.ask }))).toEqual([]);
    expect(somebody.asked.length).toBe(count);
  }
  expect(audited(place)).toEqual([
    ["block", "bad", "deny"],
    ["approve", "bad", "deny"],
  ]);
  expect(readApprovals(place.home).approvals.size).toBe(0);
});

test("a yes does not cover what newer rules find", async () => {
  const place = createPlace();
  write(place, { "bad/SKILL.md": skillText("bad", "ATTACK RULE EX1") });
  await (await place.open()).session({ ask: person("always").ask });
  const same = place.vetter({ scan: new PlainScan("other-rules") });
  expect(usable(await (await place.open(same)).session())).toEqual(["bad"]);
  const stricter = new PlainScan("newer-rules");
  const run = stricter.run.bind(stricter);
  stricter.run = async (files) => {
    const report = await run(files);
    return { ...report, findings: report.findings.map((finding) => ({ ...finding, rule: "DX1" })) };
  };
  expect(usable(await (await place.open(place.vetter({ scan: stricter }))).session())).toEqual([]);
});

test("what lies there is scanned once, and read no more until its status changes", async () => {
  const place = createPlace();
  write(place, { "fine/SKILL.md": skillText("fine", "Do it."), "fine/scripts/x.sh": "echo 1" });
  await (await place.open()).session();
  await (await place.open()).session();
  expect(place.scan.seen).toEqual([["SKILL.md", "scripts/x.sh"]]);
  // The same size, and the old time put back: the time of change tells.
  const file = join(place.root, "fine/scripts/x.sh");
  const { mtimeMs } = statSync(file);
  writeFileSync(file, "ATTACK");
  setTime(file, mtimeMs / 1000);
  expect(usable(await (await place.open()).session())).toEqual([]);
  expect(place.scan.seen.length).toBe(2);
});

test("what changed just now is not taken for settled", async () => {
  const place = createPlace();
  write(place, { "fine/SKILL.md": skillText("fine", "Do it.") });
  const now = (): ReturnType<typeof place.vetter> => place.vetter({ clock: Date.now });
  await (await place.open(now())).session();
  const { places, verdicts } = JSON.parse(readFileSync(join(place.home, "cache/verdicts.json"), "utf8"));
  expect([Object.keys(places).length, Object.keys(verdicts).length]).toEqual([0, 1]);
});

test("a script that changes after the catalogue was shown is judged before any text is", async () => {
  const place = createPlace();
  write(place, { "fine/SKILL.md": skillText("fine", "Do it."), "fine/scripts/x.sh": "echo 1" });
  const session = await (await place.open()).session();
  expect(usable(session)).toEqual(["fine"]);
  write(place, { "fine/scripts/x.sh": "ATTACK" });
  await expect(session.activate("fine", { source: "preload" })).rejects.toMatchObject({
    code: "skill-not-offered",
    data: { skill: "fine", verdict: "dangerous" },
  });
  expect(session.catalog().text).toBe("");
});

test("a file that changes after its skill was loaded is judged before it is read", async () => {
  const place = createPlace();
  write(place, { "fine/SKILL.md": skillText("fine", "Do it."), "fine/references/a.md": "A" });
  const session = await (await place.open()).session({ interactive: true });
  await session.activate("fine");
  write(place, { "fine/references/a.md": "B" });
  expect((await session.read("fine", "references/a.md")).content).toBe("B");
  write(place, { "fine/references/a.md": "ATTACK" });
  expect(await session.read("fine", "references/a.md")).toMatchObject({
    status: "error",
    error: { code: "permission-denied" },
  });
});

test("a fork has what its parent's vetting left", async () => {
  const place = createPlace();
  write(place, { "fine/SKILL.md": skillText("fine", "Do it."), "bad/SKILL.md": skillText("bad", "ATTACK") });
  const session = await (await place.open()).session();
  await expect(session.fork({ skills: ["bad"] })).rejects.toMatchObject({ code: "skill-not-offered" });
  const fork = await session.fork({ skills: ["fine"] });
  expect(usable(fork)).toEqual(["fine"]);
  write(place, { "fine/SKILL.md": skillText("fine", "ATTACK") });
  await expect(fork.activate("fine")).rejects.toMatchObject({ code: "skill-not-offered" });
});

test("a resumed run takes up only what was judged as it is now", async () => {
  const place = createPlace();
  const records = join(place.home, "..", "run");
  write(place, { "fine/SKILL.md": skillText("fine", "Do it.") });
  const session = await (await place.open()).session({ records });
  await session.activate("fine");
  await session.turn().end();
  const strict = new PlainScan("newer-rules");
  strict.run = async (files) => ({
    ...(await place.scan.run(files)),
    verdict: "dangerous",
    ruleSet: "newer-rules",
  });
  const resumed = await (await place.open(place.vetter({ scan: strict }))).resume(records);
  expect(usable(resumed.session)).toEqual([]);
  expect((await resumed.session.read("fine", "SKILL.md")).error?.code).toBe("skill-not-found");
  const again = await (await place.open()).resume(records);
  expect((await again.session.activate("fine")).duplicate).toBe(true);
});

test("a skill that breaks the scanner is withheld, and holds up no other", async () => {
  const place = createPlace();
  write(place, {
    "broken/SKILL.md": skillText("broken", "CRASH"),
    "fine/SKILL.md": skillText("fine", "Do it."),
  });
  const session = await (await place.open()).session();
  expect(usable(session)).toEqual(["fine"]);
  expect(why(session, "broken")).toBe("the scan of it failed (Error)");
});

test("what cannot be read whole is never safe, is kept in no cache, and cannot be approved", async () => {
  const place = createPlace();
  write(place, { "large/SKILL.md": skillText("large", "Do it."), "large/data.bin": "x".repeat(2_000) });
  write(place, { "nested/SKILL.md": skillText("nested", "ATTACK") });
  // A pipe, which is never opened.
  execFileSync("mkfifo", [join(place.root, "nested/pipe")]);
  const somebody = person("allow");
  const session = await (await place.open()).session({ ask: somebody.ask });
  expect(session.snapshot.skills.map((skill) => [skill.name, vettingIn(session, skill)?.verdict])).toEqual([
    ["large", "caution"],
    ["nested", "dangerous"],
  ]);
  expect(usable(session)).toEqual(["large"]);
  expect(why(session, "nested")).toContain("it cannot be approved, because its files cannot all be read");
  expect(somebody.asked).toEqual([]);
});

test("a SKILL.md that is a link is judged by the text it leads to, and anew when that changes", async () => {
  const place = createPlace();
  write(place, { "shared/text.md": skillText("linked", "Do it.") });
  mkdirSync(join(place.root, "linked"));
  symlinkSync("../shared/text.md", join(place.root, "linked/SKILL.md"));
  const skills = await place.open();
  const session = await skills.session();
  expect(usable(session)).toEqual(["linked"]);
  expect((await session.activate("linked", { source: "user" })).text).toContain("Do it.");
  write(place, { "shared/text.md": skillText("linked", "ATTACK") });
  await expect(session.activate("linked", { source: "user" })).rejects.toMatchObject({
    code: "skill-not-offered",
  });
  expect(usable(await (await place.open()).session())).toEqual([]);
});

test("a plugin's skill is the community's: blocked when odd, and approved only by force", async () => {
  const place = createPlace();
  write(place, { "odd/SKILL.md": skillText("odd", "ODD"), "bad/SKILL.md": skillText("bad", "ATTACK") });
  const vetter = place.vetter({ sourceOf: ({ name }) => `stranger/${name}` });
  const skills = await place.open(vetter);
  const somebody = person("allow");
  const session = await skills.session({ ask: somebody.ask });
  expect(usable(session)).toEqual([]);
  expect(somebody.asked).toEqual([]);
  expect(why(session, "odd")).toContain("run: skillet trust --approve odd --force");
  expect(why(session, "bad")).toBe(
    "the scan calls it dangerous: EX1 at SKILL.md:6; skills from unverified sources that are dangerous are blocked; if that is a false alarm, run: skillet trust --approve bad --reason TEXT",
  );
  for (const skill of session.snapshot.skills) {
    const judged = {
      name: skill.name,
      scope: skill.scope,
      path: skill.path,
      stamp: () => undefined,
      read: skills.reader.readContent.bind(skills.reader, skill),
    };
    const inspection = await vetter.inspect(judged);
    if ("problem" in inspection) throw new Error(inspection.problem);
    await vetter.approve(judged, inspection, { forced: true });
  }
  expect(usable(await skills.session())).toEqual(["odd"]);
});

test("a command is judged by its own file alone", async () => {
  const place = createPlace();
  const project = join(place.root, "..");
  mkdirSync(join(project, ".claude/commands"), { recursive: true });
  writeFileSync(join(project, ".claude/commands/good.md"), "Do it.");
  writeFileSync(join(project, ".claude/commands/bad.md"), "ATTACK");
  const { openSkills } = await import("@skillet/core");
  const { trustFolder, projectSkills } = await import("@skillet/core/internal");
  const options = {
    workspace: project,
    home: place.home,
    userHome: join(project, "nobody"),
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(project, "organisation"),
    bundledDirectory: false,
    cacheDirectory: false,
    vetter: place.vetter(),
  } as const;
  const before = await openSkills(options);
  await trustFolder({
    home: place.home,
    projectRoot: project,
    skills: await projectSkills(before),
    clock: Date.now,
  });
  const session = await (await openSkills(options)).session();
  expect(usableIn(session, "user").map(({ name }) => name)).toEqual(["good"]);
  expect((await session.activate("good", { source: "user" })).text).toContain("Do it.");
});

test("a store of approvals that cannot be understood approves nobody and stops the session", async () => {
  const place = createPlace();
  write(place, { "bad/SKILL.md": skillText("bad", "ATTACK") });
  mkdirSync(place.home, { recursive: true });
  writeFileSync(approvalPath(place.home), "{");
  await expect((await place.open()).session()).rejects.toMatchObject({ code: "approvals-invalid" });
});

test("a home that cannot be written keeps nothing from being offered or withheld", async () => {
  const place = createPlace();
  write(place, { "fine/SKILL.md": skillText("fine", "Do it."), "bad/SKILL.md": skillText("bad", "ATTACK") });
  const file = join(place.root, "..", "file");
  writeFileSync(file, "");
  const vetter = place.vetter({ home: join(file, "home"), cacheDirectory: join(file, "cache") });
  expect(usable(await (await place.open(vetter)).session())).toEqual(["fine"]);
});

test("what a judge read is kept, and read again only by another judge", async () => {
  const place = createPlace();
  write(place, { "fine/SKILL.md": skillText("fine", "Do it."), "bad/SKILL.md": skillText("bad", "ATTACK") });
  const judged: string[] = [];
  const judge = (by: string, verdict: Verdict | undefined): Judge => ({
    by,
    judge: async ({ files }) => {
      judged.push(`${by}: ${files.map(({ path }) => path).join()}`);
      return { ...(verdict && { opinion: { verdict, by, reasons: ["So it is."] } }), diagnostics: [] };
    },
  });
  const verdicts = async (one: Judge): Promise<unknown[]> => {
    const session = await (await place.open(place.vetter({ judge: one }))).session();
    return session.snapshot.skills.map((skill) => vettingIn(session, skill)?.verdict);
  };
  expect(await verdicts(judge("strict", "caution"))).toEqual(["dangerous", "caution"]);
  expect(await verdicts(judge("strict", "safe"))).toEqual(["dangerous", "caution"]);
  expect(judged.length).toBe(2);
  // Neither a judge that says nothing nor a scan without one erases what was read.
  expect(await verdicts(judge("silent", undefined))).toEqual(["dangerous", "caution"]);
  expect(await verdicts(judge("silent", undefined))).toEqual(["dangerous", "caution"]);
  expect(judged.length).toBe(6);
  expect(await verdicts(judge("lenient", "safe"))).toEqual(["dangerous", "safe"]);
});

test("an abort ends the scan of many between two of them, and keeps what was learnt", async () => {
  const place = createPlace();
  for (const name of ["a", "b", "c"]) write(place, { [`${name}/SKILL.md`]: skillText(name, "Do it.") });
  const abort = new AbortController();
  const progress: unknown[] = [];
  const vetter = place.vetter({
    onProgress: (step) => {
      progress.push(step);
      if (step.done === 2) abort.abort();
    },
  });
  const skills = await place.open(vetter);
  await expect(skills.session({ signal: abort.signal })).rejects.toMatchObject({ name: "AbortError" });
  expect(progress).toEqual([
    { done: 1, total: 3, name: "a" },
    { done: 2, total: 3, name: "b" },
  ]);
  await skills.session();
  expect(place.scan.seen.length).toBe(3);
});

test("the record of a session says which rules judged, and what they said", async () => {
  const place = createPlace();
  const records = join(place.home, "..", "run");
  write(place, { "odd/SKILL.md": skillText("odd", "ODD") });
  await (await place.open()).session({ records });
  const [line = ""] = readFileSync(join(records, "journal.jsonl"), "utf8").split("\n");
  expect(JSON.parse(line).record).toMatchObject({
    vetting: "test-rules",
    skills: [{ name: "odd", verdict: "caution" }],
  });
});

const toVet = (skills: Skills, name: string): SkillToVet => {
  const skill = skills.snapshot.skills.find((one) => one.name === name);
  if (skill === undefined) throw new Error(name);
  return {
    name,
    scope: skill.scope,
    path: skill.path,
    stamp: () => skills.reader.stamp(skill),
    read: (bounds) => skills.reader.readContent(skill, bounds),
  };
};

async function scanned(place: Place, skill: SkillToVet): Promise<ScannedSkill> {
  const stamp = skill.stamp();
  const { files, ...content } = await skill.read(place.scan.bounds);
  return { content, stamp, report: await place.scan.run(files) };
}

test("what somebody else scanned with the same rules is known from then on, in its place too", async () => {
  const place = createPlace();
  write(place, { "bad/SKILL.md": skillText("bad", "ATTACK"), "fine/SKILL.md": skillText("fine", "Do it.") });
  const skills = await place.open();
  const vetter = place.vetter();
  for (const name of ["bad", "fine"]) {
    const skill = toVet(skills, name);
    await vetter.keep(skill, await scanned(place, skill));
  }
  await vetter.flush();
  expect(audited(place)).toEqual([["block", "bad", "deny"]]);
  const places = readVerdictFile(join(place.home, "cache"))?.places ?? new Map();
  expect(Array.from(places.values(), ({ verdict, withheld }) => [verdict, withheld !== undefined])).toEqual([
    ["dangerous", true],
    ["safe", false],
  ]);
  const seen = place.scan.seen.length;
  expect(usable(await (await place.open()).session())).toEqual(["fine"]);
  expect(place.scan.seen).toHaveLength(seen);
});

test("what other rules said, or what misses the judge's opinion, is not taken over", async () => {
  const place = createPlace();
  write(place, { "fine/SKILL.md": skillText("fine", "Do it.") });
  const skill = toVet(await place.open(), "fine");
  const result = await scanned(place, skill);
  const judge: Judge = { by: "a model", judge: async () => ({ diagnostics: [] }) };
  const vetter = place.vetter();
  await vetter.keep(skill, { ...result, report: { ...result.report, ruleSet: "others" } });
  await vetter.flush();
  const judged = place.vetter({ judge });
  await judged.keep(skill, result);
  await judged.flush();
  expect(readVerdictFile(join(place.home, "cache"))).toBeUndefined();
});

test("rules are made ready only when a skill is unknown, and rules that cannot be end the vetting", async () => {
  const place = createPlace();
  write(place, { "fine/SKILL.md": skillText("fine", "Do it.") });
  await (await place.open()).session();
  const { ruleSet, bounds } = place.scan;
  const scan = {
    ruleSet,
    bounds,
    prepare: async () => {
      throw new TypeError("the rules are broken");
    },
    run: (files: readonly SkillFile[]) => place.scan.run(files),
  };
  expect(usable(await (await place.open(place.vetter({ scan }))).session())).toEqual(["fine"]);
  write(place, { "new/SKILL.md": skillText("new", "Do it.") });
  const skills = await place.open(place.vetter({ scan }));
  await expect(skills.session()).rejects.toThrow("the rules are broken");
});

test("what an agent made is judged as such, and what was installed by where it came from", async () => {
  const place = createPlace();
  write(place, { "made/SKILL.md": skillText("made", "ODD") });
  const skills = await place.open();
  const [skill] = skills.snapshot.skills;
  if (skill === undefined) throw new Error("It was not found.");
  const { name, scope, path } = skill;
  const read = skills.reader.readContent.bind(skills.reader, skill);
  const judged: SkillToVet = { name, scope, path, origin: "agent-created", stamp: () => undefined, read };
  const origins = [place.vetter(), place.vetter({ sourceOf: () => "stranger/skills" })].map(
    async (vetter) => {
      const inspection = await vetter.inspect(judged);
      return "problem" in inspection ? inspection.problem : inspection.origin;
    },
  );
  expect(await Promise.all(origins)).toEqual(["agent-created", "community"]);
});
