import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MemorySource, type SkillToVet, type SkillVetter, type Vetting } from "@skillet/core";
import { readCommandContent, readSkillContent } from "@skillet/core/internal";
import { digestBytes, digestTree } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { usableIn } from "../../../core/src/session/testing/inspect-session.ts";
import { createPlace, type Place } from "./testing/skill-on-disk.ts";
import type { Vetter } from "./vetter.ts";

const skillText = (name: string, body: string, description = "Formats tables."): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;

function write(place: Place, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.root, path)), { recursive: true });
    writeFileSync(join(place.root, path), text);
  }
}

async function offered(place: Place, ask?: () => Promise<{ choice: string }>): Promise<string[]> {
  const session = await (await place.open()).session(ask === undefined ? {} : { ask });
  return usableIn(session).map(({ name }) => name);
}

const yes = async (): Promise<{ choice: string }> => ({ choice: "always" });

test.each([
  ["below a nested skill", { "t/in/SKILL.md": skillText("in", "Nothing.") }, "t/in/run.sh"],
  ["in a folder .git", {}, "t/.git/run.sh"],
  ["behind a link to another folder", {}, "shared/run.sh"],
])(
  "a script that a step runs is judged with its skill, and a yes ends when it changes: %s",
  async (_where, more, script) => {
    const place = createPlace();
    const link = (): void => symlinkSync("../shared/run.sh", join(place.root, "t/run.sh"));
    write(place, { "t/SKILL.md": skillText("t", "Run it."), ...more, [script]: "echo\n" });
    if (script.startsWith("shared")) link();
    expect(await offered(place)).toContain("t");
    write(place, { [script]: "ATTACK\n" });
    expect(await offered(place)).not.toContain("t");
    expect(await offered(place, yes)).toContain("t");
    expect(await offered(place)).toContain("t");
    write(place, { [script]: "ATTACK twice\n" });
    expect(await offered(place)).not.toContain("t");
  },
);

test("the verdict on a command is no verdict on a skill whose tree's list it spells", async () => {
  const bytes = Buffer.from(skillText("t", "ATTACK"));
  const digest = digestBytes(bytes);
  const decoy = `644 ${digest.slice("sha256:".length)} ${bytes.length}\0SKILL.md\n`;
  expect(digestBytes(Buffer.from(decoy))).toBe(
    digestTree([{ path: "SKILL.md", mode: "644", digest, size: bytes.length }]),
  );
  const source = new MemorySource({ "c/alpha.md": decoy, "t/SKILL.md": bytes });
  const toVet = (name: string, read: SkillToVet["read"]): SkillToVet => ({
    name,
    scope: "user",
    path: `/${name}`,
    stamp: () => undefined,
    read,
  });
  const answers = await createPlace()
    .vetter()
    .vet([
      toVet("alpha", (bounds) => readCommandContent(source, { folder: "c", file: "alpha.md" }, bounds)),
      toVet("t", (bounds) => readSkillContent(source, { folder: "t", file: "SKILL.md" }, bounds)),
    ]);
  expect(answers.map(({ outcome, verdict }) => [outcome, verdict])).toEqual([
    ["allow", "safe"],
    ["withhold", "dangerous"],
  ]);
});

test("a description that was not judged is not told to a model, though the file is fine by now", async () => {
  const place = createPlace();
  write(place, { "t/SKILL.md": skillText("t", "Do it.", "ATTACK the reader.") });
  const skills = await place.open();
  write(place, { "t/SKILL.md": skillText("t", "Do it.") });
  const session = await skills.session();
  expect(session.catalog().text).toBe("");
  expect(session.catalog().report.hidden.map(({ reason }) => reason)).toEqual([
    "its SKILL.md is no longer the one that was found; reload the skills",
  ]);
  await skills.reload();
  expect((await skills.session()).catalog().text).toContain("Formats tables.");
});

/** Lets somebody swap files each time just before the vetter looks. */
function swapping(vetter: Vetter, swap: () => void): Vetter {
  const vet: SkillVetter["vet"] = async (skills, options): Promise<readonly Vetting[]> => {
    swap();
    return vetter.vet(skills, options);
  };
  return new Proxy(vetter, {
    get: (target, key) => (key === "vet" ? vet : Reflect.get(target, key, target)),
  });
}

test("of a skill without a digest, nothing is shown that was swapped for something else while it was judged", async () => {
  const place = createPlace();
  const fine = { "t/SKILL.md": skillText("t", "Do it."), "t/a.md": "fine" };
  write(place, fine);
  // Whatever has no digest: here a pipe, which is never opened.
  execFileSync("mkfifo", [join(place.root, "t/pipe")]);
  const skills = await place.open(swapping(place.vetter(), () => write(place, fine)));
  const session = await skills.session({ onDrift: "report" });
  expect(usableIn(session).map(({ name }) => name)).toEqual(["t"]);
  write(place, { "t/a.md": "ATTACK" });
  expect((await session.read("t", "a.md")).content ?? "").not.toContain("ATTACK");
  write(place, { "t/SKILL.md": skillText("t", "ATTACK") });
  await expect(session.activate("t", { source: "user" })).rejects.toMatchObject({
    code: "skill-not-offered",
  });
});

test("a skill whose scan had to be ended by force waits for somebody who scans it by name", async () => {
  const place = createPlace();
  write(place, { "t/SKILL.md": skillText("t", "Do it."), "fine/SKILL.md": skillText("fine", "Do it.") });
  const skills = await place.open();
  const skill = skills.snapshot.skills.find(({ name }) => name === "t");
  if (skill === undefined) throw new Error("t");
  const { files, ...content } = await skills.reader.readContent(skill, place.scan.bounds);
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const marks = join(place.home, "cache/scanning");
  mkdirSync(marks, { recursive: true });
  writeFileSync(join(marks, content.digest?.slice("sha256:".length) ?? ""), `${pid}\n`);
  const session = await (await place.open()).session();
  expect(usableIn(session).map(({ name }) => name)).toEqual(["fine"]);
  expect(session.catalog().report.hidden.map(({ reason }) => reason)).toEqual([
    "its scan did not finish; to scan it again, run: skillet scan t",
  ]);
  const vetter = place.vetter();
  const { path, scope } = skill;
  const toVet = {
    name: "t",
    scope,
    path,
    stamp: () => skills.reader.stamp(skill),
    read: () => Promise.reject(),
  };
  await vetter.keep(toVet, {
    content,
    stamp: skills.reader.stamp(skill),
    report: await place.scan.run(files),
  });
  await vetter.flush();
  expect(readdirSync(marks)).toEqual([]);
  expect(await offered(place)).toEqual(["fine", "t"]);
});
