import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalSource } from "@skillet/core";
import { expect, onTestFinished, test } from "vitest";
import { fixSkillFile } from "./fix-skill-file.ts";
import type { ValidationResult } from "./validation-result.ts";

const REPAIRABLE = "---\nname: pdf\ndescription: Use this: now\n---\nBody.\n";

/** Somebody else who does something right after the file was read for the second time, before it is written. */
class DisturbedSource extends LocalSource {
  #reads = 0;
  readonly #disturb: () => void;

  constructor(root: string, disturb: () => void) {
    super(root);
    this.#disturb = disturb;
  }

  override async read(...args: Parameters<LocalSource["read"]>): ReturnType<LocalSource["read"]> {
    this.#reads += 1;
    if (this.#reads === 2) this.#disturb();
    return super.read(...args);
  }
}

function createSkill(): { file: string; fix(source: LocalSource): Promise<ValidationResult>; root: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-fix-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "pdf"));
  const file = join(root, "pdf/SKILL.md");
  writeFileSync(file, REPAIRABLE);
  const skill = { kind: "skill", path: "pdf", file: "pdf/SKILL.md", directoryName: "pdf" } as const;
  return {
    root,
    file,
    fix: (source) =>
      fixSkillFile({ ...skill, source, sourcePath: "pdf/SKILL.md", isLink: false }, { write: true }),
  };
}

const codesOf = ({ diagnostics }: ValidationResult): string[] => diagnostics.map(({ code }) => code);

test("a file is repaired where nobody disturbs", async () => {
  const { root, file, fix } = createSkill();
  expect(codesOf(await fix(new LocalSource(root)))).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe(REPAIRABLE.replace("Use this: now", "'Use this: now'"));
});

test("a file that somebody saves meanwhile keeps what they wrote", async () => {
  const { root, file, fix } = createSkill();
  const source = new DisturbedSource(root, () => writeFileSync(file, `${REPAIRABLE}More.\n`));
  expect(codesOf(await fix(source))).toEqual(["unquoted-colon", "file-changed"]);
  expect(readFileSync(file, "utf8")).toBe(`${REPAIRABLE}More.\n`);
});

test("a link that is put in the file's place is not written through", async () => {
  const { root, file, fix } = createSkill();
  const target = join(root, "target.md");
  writeFileSync(target, REPAIRABLE);
  const source = new DisturbedSource(root, () => {
    rmSync(file);
    symlinkSync(target, file);
  });
  expect(codesOf(await fix(source))).toEqual(["unquoted-colon", "link-refused"]);
  expect(readFileSync(target, "utf8")).toBe(REPAIRABLE);
});
