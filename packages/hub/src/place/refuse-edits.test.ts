import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { SkilletError } from "@skillet/kit/errors";
import { describe, expect, test } from "vitest";
import { formatLock } from "../lock/format-lock.ts";
import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { type Change, commitChanges } from "./commit-changes.ts";
import {
  leftovers,
  lockOf,
  recordOf,
  type SandboxProject,
  sandboxProject,
  skillEntry,
  skillFiles,
} from "./testing/sandbox-project.ts";

const BOTH: readonly LockedTarget[] = [
  { path: ".agents/skills/pdf", how: "copy" },
  { path: ".claude/skills/pdf", how: "link" },
];

describe("what is saved while a commit is under way", () => {
  test.each(["checked", "stored", "journalled", "staged", "prepared"])(
    "after %s of an update ends it, and everything is as it was with the edit in it",
    async (when) => {
      const project = await installed();
      const skill = join(project.root, ".agents/skills/pdf/SKILL.md");
      const error = await failureOf(
        commitMeanwhile(project, when, update(project), () => writeFileSync(skill, "my own words")),
      );
      expect([error.code, error.data]).toMatchObject(["edited", { files: [{ file: "SKILL.md" }] }]);
      expect(readFileSync(skill, "utf8")).toBe("my own words");
      expect(lockOf(project).get("pdf")?.digest).toBe(skillEntry("pdf", skillFiles("pdf", "1")).digest);
      expect(leftovers(project.root)).toEqual([]);
    },
  );

  test("before the last of several steps brings back those that were swapped already", async () => {
    const project = await installed();
    const other = skillFiles("other", "1");
    const added: Change = {
      kind: "put",
      record: recordOf("install", "other"),
      name: "other",
      files: other,
      entry: skillEntry("other", other),
      discardEdits: false,
    };
    const notes = join(project.root, ".agents/skills/pdf/notes.md");
    const edit = (): void => writeFileSync(notes, "mine");
    const error = await failureOf(commitMeanwhile(project, "swapped 0", [added, ...update(project)], edit));
    expect(error.code).toBe("edited");
    expect([readFileSync(notes, "utf8"), existsSync(join(project.root, ".agents/skills/other"))]).toEqual([
      "mine",
      false,
    ]);
    expect(leftovers(project.root)).toEqual([]);
  });

  test("into what is removed keeps it", async () => {
    const project = await installed();
    const notes = join(project.root, ".agents/skills/pdf/notes.md");
    const error = await failureOf(
      commitMeanwhile(project, "prepared", removal(project), () => writeFileSync(notes, "mine")),
    );
    expect([error.code, readFileSync(notes, "utf8")]).toEqual(["edited", "mine"]);
    expect([[...lockOf(project).keys()], leftovers(project.root)]).toEqual([["pdf"], []]);
  });

  test("goes where edits are to be discarded, but a folder in place of a link never does", async () => {
    const project = await installed(BOTH);
    const link = join(project.root, ".claude/skills/pdf");
    const own = join(link, "own.md");
    const replace = (): void => {
      rmSync(link);
      mkdirSync(link);
      writeFileSync(own, "mine");
    };
    const discarding = removal(project, { discardEdits: true });
    const error = await failureOf(commitMeanwhile(project, "prepared", discarding, replace));
    expect([error.code, readFileSync(own, "utf8")]).toEqual(["target-occupied", "mine"]);
    rmSync(link, { recursive: true });
    const notes = join(project.root, ".agents/skills/pdf/notes.md");
    await commitMeanwhile(project, "prepared", discarding, () => writeFileSync(notes, "mine"));
    expect(readdirSync(join(project.root, ".agents/skills"))).toEqual([]);
  });

  test("a link that leads elsewhere by then is kept", async () => {
    const project = await installed(BOTH);
    const [link, elsewhere] = [join(project.root, ".claude/skills/pdf"), temporaryDirectory()];
    const retarget = (): void => {
      rmSync(link);
      symlinkSync(elsewhere, link);
    };
    const error = await failureOf(commitMeanwhile(project, "prepared", removal(project), retarget));
    expect([error.code, existsSync(join(project.root, ".agents/skills/pdf/SKILL.md"))]).toEqual([
      "edited",
      true,
    ]);
    expect(leftovers(project.root)).toEqual([]);
  });

  test("is kept also where the lock with the new entries comes from elsewhere at that moment", async () => {
    const project = await installed();
    const changes = update(project);
    const skill = join(project.root, ".agents/skills/pdf/SKILL.md");
    const entry = skillEntry("pdf", skillFiles("pdf", "2"));
    await commitMeanwhile(project, "prepared", changes, () => {
      writeFileSync(skill, "my own words");
      writeFileSync(project.lockFile, formatLock({ skills: new Map([["pdf", entry]]) }));
    });
    expect(readFileSync(skill, "utf8")).toBe("my own words");
    expect(leftovers(project.root)).toEqual([]);
  });
});

describe("a place that two targets share through a link of folders", () => {
  test.each([
    ["copy first", BOTH],
    ["link first", [...BOTH].reverse()],
  ])("keeps what was edited in it, %s", async (_, targets) => {
    const project = sandboxProject(temporaryDirectory());
    mkdirSync(join(project.root, ".agents/skills"), { recursive: true });
    mkdirSync(join(project.root, ".claude"));
    symlinkSync("../.agents/skills", join(project.root, ".claude/skills"));
    await install(project, BOTH);
    const entry = { ...(lockOf(project).get("pdf") as LockEntry), targets };
    writeFileSync(project.lockFile, formatLock({ skills: new Map([["pdf", entry]]) }));
    const skill = join(project.root, ".agents/skills/pdf/SKILL.md");
    const original = readFileSync(skill);
    writeFileSync(skill, "my own words");
    for (const changes of [removal(project), update(project, targets)])
      expect((await failureOf(commitChanges({ ...project, changes }))).code).toBe("edited");
    expect(readFileSync(skill, "utf8")).toBe("my own words");
    writeFileSync(skill, original);
    await commitChanges({ ...project, changes: removal(project) });
    expect(existsSync(skill)).toBe(false);
  });
});

describe("a folder that is used where it lies", () => {
  test("is neither taken away with its entry nor replaced by a copy", async () => {
    const project = sandboxProject(temporaryDirectory());
    const own = join(project.root, ".agents/skills/pdf");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "SKILL.md"), "mine");
    const entry: LockEntry = {
      ...skillEntry("pdf", []),
      linked: true,
      resolved: { kind: "local", path: ".agents/skills/pdf" },
      targets: [{ path: ".agents/skills/pdf", how: "link" }],
    };
    const put: Change = {
      kind: "put",
      record: recordOf("install", "pdf"),
      name: "pdf",
      files: [],
      entry,
      discardEdits: false,
    };
    await commitChanges({ ...project, changes: [put] });
    expect((await failureOf(commitChanges({ ...project, changes: update(project) }))).code).toBe(
      "target-occupied",
    );
    await commitChanges({ ...project, changes: removal(project, { discardEdits: true }) });
    expect([readFileSync(join(own, "SKILL.md"), "utf8"), lockOf(project).size]).toEqual(["mine", 0]);
  });
});

describe("a place outside the folders that count today", () => {
  test("is taken away as the user's lock recorded it, while it holds what was installed", async () => {
    const { project, claude } = await moved();
    await commitChanges({ ...project, outside: [project.home], changes: removal(project) });
    expect([readdirSync(claude), lockOf(project).size, leftovers(project.root)]).toEqual([[], 0, []]);
  });

  test("is taken away by an update that has it no more", async () => {
    const { project, claude } = await moved();
    await commitChanges({ ...project, outside: [project.home], changes: update(project) });
    expect([readdirSync(claude), lockOf(project).get("pdf")?.targets.length]).toEqual([[], 1]);
  });

  test("is not written", async () => {
    const { project, targets } = await moved();
    const changes = update(project, targets);
    const error = await failureOf(commitChanges({ ...project, outside: [project.home], changes }));
    expect(error.code).toBe("target-refused");
  });

  test("keeps what was edited there, even where edits are to be discarded", async () => {
    const { project, claude } = await moved();
    writeFileSync(join(claude, "pdf/notes.md"), "mine");
    const changes = removal(project, { discardEdits: true });
    const error = await failureOf(commitChanges({ ...project, outside: [project.home], changes }));
    expect([error.code, readFileSync(join(claude, "pdf/notes.md"), "utf8")]).toEqual([
      "target-refused",
      "mine",
    ]);
  });

  test("is no one's where a project's lock names it", async () => {
    const { project, claude } = await moved();
    const error = await failureOf(commitChanges({ ...project, changes: removal(project) }));
    expect([error.code, readdirSync(claude)]).toEqual(["target-refused", ["pdf"]]);
  });

  /** A skill with a second copy in a folder that only counted when it was installed. */
  async function moved(): Promise<{
    project: SandboxProject;
    claude: string;
    targets: readonly LockedTarget[];
  }> {
    const project = sandboxProject(temporaryDirectory());
    const claude = join(temporaryDirectory(), "skills");
    const targets = [
      { path: ".agents/skills/pdf", how: "copy" },
      { path: join(claude, "pdf"), how: "copy" },
    ] as const;
    await install({ ...project, outside: [claude] }, targets);
    return { project, claude, targets };
  }
});

async function installed(targets?: readonly LockedTarget[]): Promise<SandboxProject> {
  const project = sandboxProject(temporaryDirectory());
  await install(project, targets);
  return project;
}

async function install(
  project: SandboxProject & { readonly outside?: readonly string[] },
  targets?: readonly LockedTarget[],
): Promise<void> {
  const files = skillFiles("pdf", "1");
  const entry = skillEntry("pdf", files, targets);
  const put: Change = {
    kind: "put",
    record: recordOf("install", "pdf"),
    name: "pdf",
    files,
    entry,
    discardEdits: false,
  };
  await commitChanges({ ...project, changes: [put] });
}

function update(project: SandboxProject, targets?: readonly LockedTarget[]): readonly Change[] {
  const files = skillFiles("pdf", "2");
  const before = lockOf(project).get("pdf")!;
  return [
    {
      kind: "put",
      record: recordOf("install", "pdf"),
      name: "pdf",
      files,
      entry: skillEntry("pdf", files, targets),
      before,
      discardEdits: false,
    },
  ];
}

function removal(project: SandboxProject, { discardEdits = false } = {}): readonly Change[] {
  return [
    {
      kind: "remove",
      record: recordOf("remove", "pdf"),
      name: "pdf",
      before: lockOf(project).get("pdf")!,
      discardEdits,
    },
  ];
}

function commitMeanwhile(
  project: SandboxProject,
  when: string,
  changes: readonly Change[],
  act: () => void,
): Promise<unknown> {
  const onStage = (stage: string): void => {
    if (stage === when) act();
  };
  return commitChanges({ ...project, changes, onStage });
}

async function failureOf(work: Promise<unknown>): Promise<SkilletError> {
  return work.then(
    () => expect.fail("nothing was thrown"),
    (error: SkilletError) => error,
  );
}
