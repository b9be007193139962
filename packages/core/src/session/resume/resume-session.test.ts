import { cpSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SkilletError } from "@skillet/kit/errors";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { writeArtefacts } from "../records/artefacts.ts";
import { openRecorder } from "../records/recorder.ts";
import { summariseRun } from "../records/summarise-run.ts";
import { ACTIVATION } from "../records/testing/sample-records.ts";
import { openFolder, openSession } from "../testing/open-session.ts";
import { resumePlan } from "./resume-session.ts";
import {
  DRIFT_CODES,
  type DriftCode,
  describeDrift,
  type RunVerification,
  type SkillVerdict,
  type VerifiedSkill,
} from "./verify-run.ts";

let base: string;
let folder: string;
let runFolder: string;
beforeEach(async () => {
  base = temporaryDirectory();
  folder = writeTree(join(base, "skills"), {
    "pdf/SKILL.md": skillText("pdf"),
    "pdf/references/fields.md": "Fields.",
  });
  const session = await openSession(folder);
  runFolder = session.runFolder;
  await session.activate("pdf", { arguments: "a" });
  await session.turn().end();
});

const CHANGES: readonly (readonly [string, string, () => void])[] = [
  [
    "a changed body",
    "run-body-changed",
    () => writeFileSync(join(folder, "pdf/SKILL.md"), skillText("pdf", "New.")),
  ],
  [
    "a changed file",
    "run-resource-changed",
    () => writeFileSync(join(folder, "pdf/references/fields.md"), "New."),
  ],
  ["a skill that is gone", "run-skill-gone", () => rmSync(join(folder, "pdf"), { recursive: true })],
  ["a root that moved", "run-root-moved", moveRoot],
  [
    "a damaged artefact",
    "run-artefact-damaged",
    () => writeFileSync(join(runFolder, "skill-activations.json"), "{"),
  ],
];

function moveRoot(): void {
  cpSync(folder, join(base, "moved"), { recursive: true });
  rmSync(folder, { recursive: true });
  renameSync(join(base, "moved"), join(base, "elsewhere"));
  folder = join(base, "elsewhere");
}

test("an unchanged run goes on, and what it had loaded is not loaded twice", async () => {
  const { session, reactivated, diagnostics } = await (await openFolder(folder)).resume(runFolder);
  expect({ reactivated, diagnostics, runId: session.runId }).toEqual({
    reactivated: [],
    diagnostics: [],
    runId: "run-1",
  });
  expect((await session.activate("pdf", { arguments: "a" })).duplicate).toBe(true);
  expect((await session.activate("pdf", { arguments: "b" })).duplicate).toBe(false);
});

test("a run that an earlier version recorded, with codes in snake case, goes on and is told as it was written", async () => {
  const session = await openSession(folder, { records: join(base, "earlier") });
  const recorder = await openRecorder({ runFolder: session.runFolder, runId: "run-1", clock: Date.now });
  const error = { code: "resource_not_indexed", message: "x.md is not a file of pdf." };
  await recorder.append({
    kind: "resource-read",
    skillName: "pdf",
    path: "x.md",
    status: "error",
    diagnostics: [],
    error,
  });
  const { snapshot } = session;
  await writeArtefacts(session.runFolder, { snapshot, resources: new Map() });
  const { diagnostics } = await session.skills.resume(session.runFolder);
  expect(diagnostics).toEqual([]);
  const { events } = await summariseRun(session.runFolder);
  expect(events.map(({ reason }) => reason)).toContain(`${error.code}: ${error.message}`);
});

describe("fails with a code of its own, with a person to ask and in batch", () => {
  test.each(CHANGES)("%s: %s", async (_, code, change) => {
    change();
    const skills = await openFolder(folder);
    await expect(skills.resume(runFolder, { interactive: true })).rejects.toMatchObject({ code });
    await expect(skills.resume(runFolder)).rejects.toMatchObject({ code });
  });
});

describe("one folder is one run", () => {
  test("a second session on a records folder is refused, and told to resume or to take another", async () => {
    const skills = await openFolder(folder);
    await expect(skills.session({ records: runFolder })).rejects.toMatchObject({
      code: "records-in-use",
      message: /resume/,
    });
    const records = join(base, "fresh");
    const opened = await Promise.allSettled([skills.session({ records }), skills.session({ records })]);
    expect(opened.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("of two resumes at once, one goes on and the other is refused", async () => {
    const skills = await openFolder(folder);
    const resumed = await Promise.allSettled([skills.resume(runFolder), skills.resume(runFolder)]);
    expect(resumed.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(resumed.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "records-in-use" },
    });
  });

  test("a session whose run was resumed elsewhere records nothing more, and says so", async () => {
    const skills = await openFolder(folder);
    const { session: first } = await skills.resume(runFolder);
    const { session: second } = await skills.resume(runFolder);
    await second.activate("pdf", { arguments: "second" });
    await expect(first.activate("pdf", { arguments: "first" })).rejects.toMatchObject({
      code: "records-in-use",
    });
    await second.turn().end();
  });

  test("records of another run in the folder do not count, and are told", async () => {
    const recorder = await openRecorder({ runFolder, runId: "another", clock: Date.now });
    await recorder.append({ ...ACTIVATION, name: "gone", folder: "gone" });
    const { session, diagnostics } = await (await openFolder(folder)).resume(runFolder);
    expect(diagnostics).toMatchObject([{ code: "run-records-mixed", severity: "warning" }]);
    expect(session.runId).toBe("run-1");
    expect((await session.activate("pdf", { arguments: "a" })).duplicate).toBe(true);
  });
});

describe("resume honours an explicit onDrift in batch", () => {
  test.each(CHANGES)("%s is passed over with warn, and told: %s", async (_, code, change) => {
    change();
    const { diagnostics } = await (await openFolder(folder)).resume(runFolder, { onDrift: "warn" });
    expect(diagnostics.map((one) => one.code)).toContain(code);
  });

  test("with reload, a changed skill is loaded again", async () => {
    writeFileSync(join(folder, "pdf/SKILL.md"), skillText("pdf", "New."));
    const { reactivated } = await (await openFolder(folder)).resume(runFolder, { onDrift: "reload" });
    expect(reactivated).toMatchObject([{ name: "pdf", duplicate: false }]);
  });
});

test("with reload, a changed skill is loaded anew, with the arguments that it had", async () => {
  writeFileSync(join(folder, "pdf/SKILL.md"), skillText("pdf", "New."));
  const skills = await openFolder(folder);
  const { reactivated } = await skills.resume(runFolder, { interactive: true, onDrift: "reload" });
  expect(reactivated).toMatchObject([{ name: "pdf", duplicate: false }]);
  expect(reactivated[0]?.text).toContain("ARGUMENTS: a");
});

test("with warn, it goes on, says so, and gives the new text when it is asked for", async () => {
  writeFileSync(join(folder, "pdf/SKILL.md"), skillText("pdf", "New."));
  const skills = await openFolder(folder);
  const { session, diagnostics } = await skills.resume(runFolder, { interactive: true, onDrift: "warn" });
  expect(diagnostics).toMatchObject([{ code: "run-body-changed" }]);
  expect((await session.activate("pdf", { arguments: "a" })).duplicate).toBe(false);
});

test("a run that is not there is said not to be", async () => {
  await expect((await openFolder(folder)).resume(join(base, "nowhere"))).rejects.toMatchObject({
    code: "run-not-found",
  });
});

const SAME = skill("web", "run-unchanged");
const RELOADED: readonly DriftCode[] = ["run-body-changed", "run-resource-changed", "run-root-moved"];

test.each(["fail", "warn", "reload"] as const)("an unchanged run goes on as it was with %s", (onDrift) => {
  expect(resumePlan(verification([SAME]), onDrift)).toEqual({
    keep: [SAME],
    reactivate: [],
    diagnostics: [],
  });
});

describe.each(DRIFT_CODES)("%s", (code) => {
  const found = drift(code);

  test("stops a run that fails on drift, with a code of its own", () => {
    const error = failure(() => resumePlan(found, "fail"));
    expect([error.code, error.data]).toEqual([
      code,
      { runFolder: "/run", onDrift: "fail", diagnostics: found.diagnostics },
    ]);
    expect(error.message).toMatch(/^The run \/run was not resumed\. /);
  });

  test("is told and passed over with warn", () => {
    expect(resumePlan(found, "warn")).toEqual({
      keep: found.skills,
      reactivate: [],
      diagnostics: found.diagnostics,
    });
  });
});

test.each(RELOADED)("%s is put right by activating anew", (code) => {
  const found = drift(code);
  expect(resumePlan(found, "reload")).toEqual({
    keep: [SAME],
    reactivate: [found.skills[0]],
    diagnostics: found.diagnostics,
  });
});

test("damaged artefacts keep nothing from being activated anew: the journal tells the same", () => {
  const found = drift("run-artefact-damaged");
  expect(resumePlan(found, "reload")).toEqual({
    keep: [SAME],
    reactivate: [],
    diagnostics: found.diagnostics,
  });
});

test.each(DRIFT_CODES.filter((code) => !RELOADED.includes(code) && code !== "run-artefact-damaged"))(
  "%s cannot be put right by activating anew",
  (code) => {
    expect(failure(() => resumePlan(drift(code), "reload")).code).toBe(code);
  },
);

test("of several causes the weightiest gives the code, and the message says how many are like it", () => {
  const found = verification([
    skill("a", "run-root-moved"),
    skill("b", "run-body-changed"),
    skill("c", "run-body-changed"),
  ]);
  const error = failure(() => resumePlan(found, "fail"));
  expect([error.code, error.message]).toEqual([
    "run-body-changed",
    "The run /run was not resumed. Since it was activated, b became run-body-changed. (and 1 more like it) " +
      "Read the change, then resume with reload, or put the file back.",
  ]);
});

function skill(name: string, code: SkillVerdict): VerifiedSkill {
  return { name, code, reason: `became ${code}`, activations: [{ ...ACTIVATION, name }] };
}

function verification(skills: readonly VerifiedSkill[]): RunVerification {
  const causes = DRIFT_CODES.filter((cause) => skills.some(({ code }) => code === cause));
  return {
    runFolder: "/run",
    entries: [],
    lastSequence: 0,
    code: causes[0] ?? "run-unchanged",
    causes,
    skills,
    diagnostics: skills.flatMap(describeDrift),
  };
}

function drift(code: DriftCode): RunVerification {
  if (code !== "run-journal-damaged" && code !== "run-artefact-damaged")
    return verification([skill("pdf", code), SAME]);
  const diagnostics = [
    { code, severity: "error", message: "Damaged.", file: "/run", hint: "New run." },
  ] as const;
  return { ...verification([SAME]), code, causes: [code], diagnostics };
}

function failure(action: () => unknown): SkilletError {
  try {
    action();
  } catch (error) {
    return error as SkilletError;
  }
  throw new Error("nothing was thrown");
}
