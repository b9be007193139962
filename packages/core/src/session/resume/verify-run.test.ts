import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { serialiseArtefact } from "../records/artefact-file.ts";
import { DERIVED_ARTEFACTS, REGISTRY_FILE } from "../records/artefacts.ts";
import { openRecorder } from "../records/recorder.ts";
import type { ActivationRecord } from "../records/session-record.ts";
import { presentSkills, recordRun, type TestRoot } from "../records/testing/recorded-run.ts";
import { clock, REFUSAL } from "../records/testing/sample-records.ts";
import type { PresentSkills } from "./verify-run.ts";
import { type RunVerification, verifyRun } from "./verify-run.ts";

let base: string;
let root: string;
let runFolder: string;
let before: PresentSkills;
beforeEach(async () => {
  base = temporaryDirectory();
  root = writeTree(join(base, "skills"), {
    "pdf/SKILL.md": skillText("pdf"),
    "pdf/references/fields.md": "Fields.\n",
    "pdf/scripts/fill.sh": "#!/bin/sh\n",
    "web/SKILL.md": skillText("web"),
  });
  runFolder = join(base, "run");
  before = await presentSkills([{ path: root }]);
  await recordRun(runFolder, before);
});

describe("a run whose skills", () => {
  test("are what they were is unchanged", async () => {
    const verification = await verifyNow();
    expect(summary(verification)).toEqual({
      code: "run-unchanged",
      causes: [],
      skills: ["pdf run-unchanged", "web run-unchanged"],
      diagnostics: [],
    });
    const [pdf] = verification.skills;
    expect([pdf!.skill?.path, pdf!.activations.length]).toEqual([join(root, "pdf/SKILL.md"), 1]);
  });

  test("have another body says so", async () => {
    appendFileSync(join(root, "pdf/SKILL.md"), "And obey me.\n");
    const verification = await verifyNow();
    expect(summary(verification)).toEqual({
      code: "run-body-changed",
      causes: ["run-body-changed"],
      skills: ["pdf run-body-changed", "web run-unchanged"],
      diagnostics: ["run-body-changed"],
    });
    const was = before.snapshot.skills[0]!.digest.slice(0, 19);
    const is = digestBytes(readFileSync(join(root, "pdf/SKILL.md"))).slice(0, 19);
    expect(verification.diagnostics).toEqual([
      {
        code: "run-body-changed",
        severity: "warning",
        message: `Since it was activated, pdf has another SKILL.md: ${was} is now ${is}.`,
        file: join(root, "pdf/SKILL.md"),
        hint: "Read the change, then resume with reload, or put the file back.",
      },
    ]);
  });

  test("change between the snapshot and now are seen as they are now", async () => {
    appendFileSync(join(root, "pdf/SKILL.md"), "And obey me.\n");
    expect((await verifyRun(runFolder, before)).code).toBe("run-body-changed");
    const changed = await presentSkills([{ path: root }]);
    writeFileSync(join(root, "pdf/SKILL.md"), skillText("pdf"));
    expect((await verifyRun(runFolder, changed)).code).toBe("run-unchanged");
    rmSync(join(root, "pdf/SKILL.md"));
    expect((await verifyRun(runFolder, before)).code).toBe("run-skill-gone");
  });

  test.each<readonly [string, (folder: string) => void, string]>([
    [
      "changed",
      (folder) => appendFileSync(join(folder, "references/fields.md"), "x"),
      "references/fields.md was changed",
    ],
    ["added", (folder) => writeFileSync(join(folder, "new.md"), "x"), "new.md was added"],
    ["removed", (folder) => rmSync(join(folder, "references/fields.md")), "references/fields.md was removed"],
    [
      "made executable",
      (folder) => chmodSync(join(folder, "scripts/fill.sh"), 0o755),
      "the right to execute a file was changed",
    ],
  ])("have a file that was %s says which", async (_, change, told) => {
    change(join(root, "pdf"));
    const verification = await verifyNow();
    expect(summary(verification)).toEqual({
      code: "run-resource-changed",
      causes: ["run-resource-changed"],
      skills: ["pdf run-resource-changed", "web run-unchanged"],
      diagnostics: ["run-resource-changed"],
    });
    expect(verification.skills[0]!.reason).toMatch(new RegExp(`is now sha256:[0-9a-f]{12} \\(${told}\\)$`));
  });

  test("are gone says so, also when another skill has the name by now", async () => {
    rmSync(join(root, "pdf"), { recursive: true });
    expect(summary(await verifyNow())).toEqual({
      code: "run-skill-gone",
      causes: ["run-skill-gone"],
      skills: ["pdf run-skill-gone", "web run-unchanged"],
      diagnostics: ["run-skill-gone"],
    });
    const other = writeTree(join(base, "other"), { "pdf/SKILL.md": skillText("pdf", "Another.") });
    const { skills } = await verifyNow([{ path: root }, { path: other }]);
    expect([skills[0]!.code, skills[0]!.reason]).toEqual([
      "run-skill-gone",
      `was removed, or no longer loads; the name now belongs to ${join(other, "pdf/SKILL.md")}, which differs`,
    ]);
  });

  test("lie in another root, file for file, say where", async () => {
    const moved = join(base, "moved");
    renameSync(root, moved);
    const verification = await verifyNow([{ path: moved }]);
    expect(summary(verification)).toEqual({
      code: "run-root-moved",
      causes: ["run-root-moved"],
      skills: ["pdf run-root-moved", "web run-root-moved"],
      diagnostics: ["run-root-moved", "run-root-moved"],
    });
    expect(verification.skills.map(({ skill }) => skill?.path)).toEqual([
      join(moved, "pdf/SKILL.md"),
      join(moved, "web/SKILL.md"),
    ]);
  });

  test("lie in another root with another file there are gone, not moved", async () => {
    const moved = join(base, "moved");
    renameSync(root, moved);
    appendFileSync(join(moved, "pdf/references/fields.md"), "x");
    expect((await verifyNow([{ path: moved }])).skills.map(({ code }) => code)).toEqual([
      "run-skill-gone",
      "run-root-moved",
    ]);
  });

  test("are there but not offered any more are withheld", async () => {
    const disabled = await presentSkills([{ path: root }], {
      enablement: ({ name }) =>
        name === "pdf" ? { enabled: false, reason: "config.yaml:3" } : { enabled: true },
    });
    const { code, skills } = await verifyRun(runFolder, disabled);
    expect([code, skills.map((skill) => `${skill.name} ${skill.reason}`)]).toEqual([
      "run-skill-withheld",
      ["pdf is disabled now: config.yaml:3", "web is what it was, file for file"],
    ]);
    const project = { path: root, scope: "project", trust: { kind: "untrusted", project: base } } as const;
    expect((await verifyNow([project])).skills.map((skill) => skill.code)).toEqual([
      "run-skill-withheld",
      "run-skill-withheld",
    ]);
  });

  test("lost their bare name to another are withheld", async () => {
    const higher = writeTree(join(base, "project"), { "pdf/SKILL.md": skillText("pdf", "Another.") });
    const { skills } = await verifyNow([{ path: higher, scope: "project" }, { path: root }]);
    expect(skills.map(({ code }) => code)).toEqual(["run-skill-withheld", "run-unchanged"]);
    expect(skills[0]!.reason).toBe(`is shadowed now: the name belongs to ${join(higher, "pdf/SKILL.md")}`);
  });

  test("have a file that cannot be read whole are not verified", async () => {
    execFileSync("mkfifo", [join(root, "pdf/pipe")]);
    const { skills } = await verifyNow();
    expect([skills[0]!.code, skills[0]!.reason]).toEqual([
      "run-skill-unverified",
      "has files that cannot be read whole now",
    ]);
  });
});

describe("what a run had activated", () => {
  test("counts as it was activated last, with every set of arguments once", async () => {
    const recorder = await openRecorder({ runFolder, runId: "42", clock });
    const { skills } = await verifyNow();
    const [first] = skills[0]!.activations;
    const activate = (fields: Partial<ActivationRecord>) => recorder.append({ ...first!, ...fields });
    await activate({ arguments: "x" });
    await activate({ arguments: "y" });
    appendFileSync(join(root, "pdf/SKILL.md"), "More.\n");
    const [pdf] = (await presentSkills([{ path: root }])).snapshot.skills;
    const { treeDigest } = await before.reader.indexResources(pdf!);
    await activate({ arguments: "x", digest: pdf!.digest, treeDigest: treeDigest!, drifted: true });
    const verified = (await verifyNow()).skills[0]!;
    expect([verified.code, verified.activations.map((one) => one.arguments)]).toEqual([
      "run-unchanged",
      [undefined, "y", "x"],
    ]);
  });

  test("without a digest of its files cannot be verified", async () => {
    const recorder = await openRecorder({ runFolder, runId: "42", clock });
    const { treeDigest: _, ...activation } = (await verifyNow()).skills[1]!.activations[0]!;
    await recorder.append(activation);
    expect((await verifyNow()).skills.map(({ code }) => code)).toEqual([
      "run-unchanged",
      "run-skill-unverified",
    ]);
  });
});

describe("artefacts", () => {
  const path = (file: string): string => join(runFolder, file);

  test.each([REGISTRY_FILE, ...DERIVED_ARTEFACTS.map(({ file }) => file)])(
    "%s is damaged when it is cut, changed or no file",
    async (file) => {
      const text = readFileSync(path(file), "utf8");
      for (const damage of [
        () => writeFileSync(path(file), text.slice(0, -20)),
        () => writeFileSync(path(file), ""),
        () => writeFileSync(path(file), text.replace("2026", "2027")),
        () => writeFileSync(path(file), Buffer.from([0xff])),
        () => writeFileSync(path(file), `${text}\n`),
        () => symlinkSync("journal.jsonl", path(file)),
      ]) {
        rmSync(path(file), { force: true });
        damage();
        const verification = await verifyNow();
        expect([verification.code, verification.diagnostics.map(({ file: at }) => at)]).toEqual([
          "run-artefact-damaged",
          [path(file)],
        ]);
      }
    },
  );

  test("one that was changed and sealed again does not agree with the journal", async () => {
    const file = path("skill-activations.json");
    const { contentDigest: _, ...artefact } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, serialiseArtefact({ ...artefact, activations: [] }));
    const { code, diagnostics } = await verifyNow();
    expect([code, diagnostics.map(({ message }) => message)]).toEqual([
      "run-artefact-damaged",
      ["The artefact is not as it was written: it does not say what the journal says."],
    ]);
  });

  test("a registry of another run, or one whose skills are no list, is damaged", async () => {
    const file = path(REGISTRY_FILE);
    const { contentDigest: _, ...artefact } = JSON.parse(readFileSync(file, "utf8"));
    for (const change of [{ snapshotVersion: `sha256:${"9".repeat(64)}` }, { skills: { length: 1 } }]) {
      writeFileSync(file, serialiseArtefact({ ...artefact, ...change }));
      expect((await verifyNow()).code).toBe("run-artefact-damaged");
    }
  });

  test("made before the last records still agree, and missing ones are only mentioned", async () => {
    const recorder = await openRecorder({ runFolder, runId: "42", clock });
    await recorder.append(REFUSAL);
    rmSync(path("skill-policy.json"));
    expect(summary(await verifyNow())).toMatchObject({
      code: "run-unchanged",
      diagnostics: ["run-artefact-missing"],
    });
  });

  test("and the whole run can be moved", async () => {
    cpSync(runFolder, join(base, "elsewhere"), { recursive: true });
    rmSync(runFolder, { recursive: true });
    runFolder = join(base, "elsewhere");
    expect((await verifyNow()).code).toBe("run-unchanged");
  });
});

describe("the journal", () => {
  test("is damaged when a line is, and the artefacts are not blamed for it", async () => {
    const file = join(runFolder, "journal.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace('"kind":"activation"', '"kind":"activatiom}'));
    expect(summary(await verifyNow())).toMatchObject({
      code: "run-journal-damaged",
      causes: ["run-journal-damaged"],
      diagnostics: ["run-journal-damaged", "journal-line-damaged"],
    });
  });

  test("is damaged when records are missing at its end that an artefact was made from", async () => {
    const file = join(runFolder, "journal.jsonl");
    const [first] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${first}\n`);
    const { code, diagnostics } = await verifyNow();
    expect([code, new Set(diagnostics.map(({ message }) => message))]).toEqual([
      "run-journal-damaged",
      new Set(["The artefact was made from 2 more records than the journal holds: its end was cut off."]),
    ]);
  });

  test("that ends in a line cut short is not damaged: that record was never confirmed", async () => {
    appendFileSync(join(runFolder, "journal.jsonl"), '{"sequence":4,');
    expect(summary(await verifyNow())).toMatchObject({
      code: "run-unchanged",
      diagnostics: ["journal-line-torn"],
    });
  });

  test("with records of a later version is not held against the artefacts", async () => {
    const file = join(runFolder, "journal.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"kind":"activation"', '"kind":"dream"'));
    expect(summary(await verifyNow())).toMatchObject({
      code: "run-unchanged",
      diagnostics: ["journal-record-unknown", "journal-record-unknown"],
    });
  });

  test("that is not there is an error", async () => {
    runFolder = join(base, "absent");
    await expect(verifyNow()).rejects.toMatchObject({ code: "run-not-found" });
  });
});

async function verifyNow(roots: readonly TestRoot[] = [{ path: root }]): Promise<RunVerification> {
  return verifyRun(runFolder, await presentSkills(roots));
}

function summary({ code, causes, skills, diagnostics }: RunVerification) {
  return {
    code,
    causes,
    skills: skills.map((skill) => `${skill.name} ${skill.code}`),
    diagnostics: diagnostics.map((diagnostic) => diagnostic.code),
  };
}
