import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { SkilletError } from "@skillet/kit/errors";
import { describe, expect, test } from "vitest";
import { formatEntry } from "../lock/format-lock.ts";
import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { asOrdinaryUser } from "../testing/as-ordinary-user.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { type Change, commitChanges } from "./commit-changes.ts";
import {
  auditOf,
  leftovers,
  lockOf,
  recordOf,
  type SandboxProject,
  sandboxProject,
  skillEntry,
  skillFiles,
} from "./testing/sandbox-project.ts";
import { verifyEntry } from "./verify-entry.ts";

const BOTH: readonly LockedTarget[] = [
  { path: ".agents/skills/pdf", how: "copy" },
  { path: ".claude/skills/pdf", how: "link", agent: "claude-code" },
];

describe("commitChanges", () => {
  test("installs copies and relative links, locks them, records it and leaves nothing else", async () => {
    const project = newProject();
    const entries = await commit(project, put("pdf", "1", { targets: BOTH }));
    expect([...entries.keys()]).toEqual(["pdf"]);
    expect(readlinkSync(join(project.root, ".claude/skills/pdf"))).toBe("../../.agents/skills/pdf");
    expect(statSync(join(project.root, ".claude/skills/pdf/scripts/run.sh")).mode & 0o100).toBe(0o100);
    await expectWhole(project);
    expect(auditOf(project)).toMatchObject([
      { action: "install", skill: "pdf", transaction: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ]);
    expect(readdirSync(project.root).sort()).toEqual([".agents", ".claude", "skillet.lock"]);
  });

  test("an update replaces the copy, keeps the link, and takes away targets that are no more", async () => {
    const project = newProject();
    const more: readonly LockedTarget[] = [...BOTH, { path: ".other/skills/pdf", how: "copy" }];
    await commit(project, put("pdf", "1", { targets: more }));
    const before = lockOf(project).get("pdf")!;
    const link = lstatSync(join(project.root, ".claude/skills/pdf")).ino;
    await commit(project, put("pdf", "2", { targets: BOTH, before }));
    expect(existsSync(join(project.root, ".other/skills/pdf"))).toBe(false);
    expect(lstatSync(join(project.root, ".claude/skills/pdf")).ino).toBe(link);
    expect(versionAt(project, ".claude/skills/pdf")).toBe("2");
    await expectWhole(project);
    expect(await project.store.get(before.digest)).toBeDefined();
  });

  test("several skills happen together or not at all", async () => {
    const project = newProject();
    mkdirSync(join(project.root, ".agents/skills/b"), { recursive: true });
    writeFileSync(join(project.root, ".agents/skills/b/own.txt"), "mine");
    const error = await failureOf(commit(project, put("a", "1"), put("b", "1"), put("c", "1")));
    expect(error.code).toBe("target-occupied");
    expect(readdirSync(join(project.root, ".agents/skills"))).toEqual(["b"]);
    expect([existsSync(project.lockFile), auditOf(project)]).toEqual([false, []]);
  });

  test("a removal takes the copy and the link, and never what a link leads to", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1", { targets: BOTH }), put("zip", "1"));
    await commit(project, remove("pdf", lockOf(project).get("pdf")!));
    expect([...lockOf(project).keys()]).toEqual(["zip"]);
    expect(readdirSync(join(project.root, ".agents/skills"))).toEqual(["zip"]);
    expect(readdirSync(join(project.root, ".claude/skills"))).toEqual([]);
    expect(auditOf(project).at(-1)).toMatchObject({ action: "remove", skill: "pdf" });
    await expectWhole(project);
  });

  test("a linked folder is linked, never copied, and stays when it is removed", async () => {
    const project = newProject();
    const source = join(project.home, "mine");
    mkdirSync(source);
    writeFileSync(join(source, "SKILL.md"), "mine");
    const entry: LockEntry = {
      ...skillEntry("mine", []),
      linked: true,
      resolved: { kind: "local", path: source },
      targets: [{ path: ".agents/skills/mine", how: "link" }],
    };
    await commit(project, {
      kind: "put",
      record: recordOf("install", "mine"),
      name: "mine",
      files: [],
      entry,
      discardEdits: false,
    });
    expect(readlinkSync(join(project.root, ".agents/skills/mine"))).toBe(source);
    await expectWhole(project);
    await commit(project, remove("mine", lockOf(project).get("mine")!));
    expect(readdirSync(join(project.root, ".agents/skills"))).toEqual([]);
    expect(readFileSync(join(source, "SKILL.md"), "utf8")).toBe("mine");
  });

  test("a note changes the entry alone", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1"));
    const before = lockOf(project).get("pdf")!;
    await commit(project, {
      kind: "note",
      record: recordOf("pin", "pdf"),
      name: "pdf",
      before,
      entry: { ...before, pinned: { reason: "tested" } },
    });
    expect(lockOf(project).get("pdf")!.pinned?.reason).toBe("tested");
    expect(auditOf(project).at(-1)).toMatchObject({ action: "pin" });
  });

  test("a name can change hands in one commit", async () => {
    const project = newProject();
    const targets: readonly LockedTarget[] = [{ path: ".agents/skills/shared", how: "copy" }];
    await commit(project, put("old", "1", { targets }));
    const before = lockOf(project).get("old")!;
    await commit(project, remove("old", before), put("new", "2", { targets }));
    expect([...lockOf(project).keys()]).toEqual(["new"]);
    await expectWhole(project);
  });

  test("what is there already, byte by byte, is adopted instead of refused", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1"));
    rmSync(project.lockFile);
    const place = join(project.root, ".agents/skills/pdf");
    const { ino } = statSync(place);
    await commit(project, put("pdf", "1"));
    expect(statSync(place).ino).toBe(ino);
    await expectWhole(project);
  });

  test("a folder that is a link to another agent's is the same place, and is placed once", async () => {
    const project = newProject();
    mkdirSync(join(project.root, ".agents/skills"), { recursive: true });
    mkdirSync(join(project.root, ".claude"));
    symlinkSync("../.agents/skills", join(project.root, ".claude/skills"));
    await commit(project, put("pdf", "1", { targets: BOTH }));
    expect(lstatSync(join(project.root, ".agents/skills/pdf")).isDirectory()).toBe(true);
    await expectWhole(project);
    await commit(project, remove("pdf", lockOf(project).get("pdf")!));
    expect(readdirSync(join(project.root, ".agents/skills"))).toEqual([]);
  });

  test("keys of an entry that no one knows outlive an update, and keys of the document anything", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1"));
    const text = readFileSync(project.lockFile, "utf8");
    writeFileSync(
      project.lockFile,
      text
        .replace('"folder"', '"x-team": "docs",\n      "folder"')
        .replace('"lockVersion"', '"x-tool": [1],\n  "lockVersion"'),
    );
    await commit(project, put("pdf", "2", { before: lockOf(project).get("pdf")! }), put("zip", "1"));
    expect(JSON.parse(readFileSync(project.lockFile, "utf8"))).toMatchObject({
      "x-tool": [1],
      skills: { pdf: { "x-team": "docs" } },
    });
  });

  test("a lock that does not parse is left alone, and so is everything else", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1"));
    writeFileSync(project.lockFile, `${readFileSync(project.lockFile, "utf8")}garbage`);
    const before = readFileSync(project.lockFile, "utf8");
    expect((await failureOf(commit(project, put("zip", "1")))).code).toBe("lock-invalid");
    expect(readFileSync(project.lockFile, "utf8")).toBe(before);
    expect(readdirSync(join(project.root, ".agents/skills"))).toEqual(["pdf"]);
  });

  test("a plan made on an older entry loses and says so", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1"));
    const before = lockOf(project).get("pdf")!;
    await commit(project, put("pdf", "2", { before }));
    expect((await failureOf(commit(project, put("pdf", "3", { before })))).code).toBe("lock-changed");
    expect((await failureOf(commit(project, put("pdf", "3")))).code).toBe("lock-changed");
    expect((await failureOf(commit(project, remove("zip", before)))).code).toBe("lock-changed");
    expect(versionAt(project, ".agents/skills/pdf")).toBe("2");
  });

  test("the mode of the lock stays as someone set it", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1"));
    chmodSync(project.lockFile, 0o640);
    await commit(project, put("zip", "1"));
    expect(statSync(project.lockFile).mode & 0o777).toBe(0o640);
  });

  test("a signal ends it before anything is swapped, with nothing left", async () => {
    const project = newProject();
    for (const last of ["checked", "journalled", "staged 0", "staged"]) {
      const controller = new AbortController();
      const onStage = (stage: string): void => {
        if (stage === last) controller.abort(new Error("enough"));
      };
      const work = commitChanges({
        ...project,
        changes: [put("pdf", "1")],
        onStage,
        signal: controller.signal,
      });
      await expect(work).rejects.toThrow("enough");
      expect([existsSync(project.lockFile), leftovers(project.root)]).toEqual([false, []]);
    }
  });
});

describe("what is not replaced", () => {
  test("edited files are named, unless they are to be discarded", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1"));
    const before = lockOf(project).get("pdf")!;
    writeFileSync(join(project.root, ".agents/skills/pdf/references/guide.md"), "my own");
    for (const change of [put("pdf", "2", { before }), remove("pdf", before)]) {
      const error = await failureOf(commit(project, change));
      expect(error.code).toBe("edited");
      expect(error.message).toContain("references/guide.md has 6 bytes");
      expect(readFileSync(join(project.root, ".agents/skills/pdf/references/guide.md"), "utf8")).toBe(
        "my own",
      );
    }
    await commit(project, put("pdf", "2", { before, discardEdits: true }));
    await expectWhole(project);
  });

  test("an edited copy can be put back although the lock does not change", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1"));
    writeFileSync(join(project.root, ".agents/skills/pdf/SKILL.md"), "x");
    const before = lockOf(project).get("pdf")!;
    await commit(project, put("pdf", "1", { before, discardEdits: true }));
    await expectWhole(project);
  });

  test.each(["prepared", "moved 0", "swapped 0"])(
    "a lock laid out by hand does not make a repair that failed after %s look done",
    async (last) => {
      const project = newProject();
      await commit(project, put("pdf", "1"));
      writeFileSync(project.lockFile, JSON.stringify(JSON.parse(readFileSync(project.lockFile, "utf8"))));
      const edited = join(project.root, ".agents/skills/pdf/SKILL.md");
      writeFileSync(edited, "x");
      const onStage = (stage: string): void => {
        if (stage === last) throw new Error("died");
      };
      const changes = [put("pdf", "1", { before: lockOf(project).get("pdf")!, discardEdits: true })];
      await failureOf(commitChanges({ ...project, changes, onStage }));
      expect(readFileSync(edited, "utf8")).toBe("x");
      expect(leftovers(project.root)).toEqual([]);
    },
  );

  test.each(["2", "1"])(
    "caches of an interpreter are no edits, and none stays with version %s",
    async (next) => {
      const project = newProject();
      await commit(project, put("pdf", "1"));
      const cache = join(project.root, ".agents/skills/pdf/scripts/__pycache__");
      mkdirSync(cache);
      // Python would run this instead of the source that was checked.
      writeFileSync(join(cache, "helper.cpython-311.pyc"), "poisoned");
      await commit(project, put("pdf", next, { before: lockOf(project).get("pdf")! }));
      await expectWhole(project);
    },
  );

  test("a folder where a link was recorded is someone's own, whatever was said about edits", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1", { targets: BOTH }));
    const place = join(project.root, ".claude/skills/pdf");
    rmSync(place);
    mkdirSync(place);
    writeFileSync(join(place, "own.txt"), "mine");
    const before = lockOf(project).get("pdf")!;
    for (const change of [
      put("pdf", "2", { before, targets: BOTH, discardEdits: true }),
      remove("pdf", before, true),
    ])
      expect((await failureOf(commit(project, change))).code).toBe("target-occupied");
    expect(readFileSync(join(place, "own.txt"), "utf8")).toBe("mine");
    expect(versionAt(project, ".agents/skills/pdf")).toBe("1");
  });

  test("a copy that became a link is removed as a link, and only when edits are discarded", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1"));
    const place = join(project.root, ".agents/skills/pdf");
    renameSync(place, join(project.home, "moved"));
    symlinkSync(join(project.home, "moved"), place);
    const before = lockOf(project).get("pdf")!;
    expect((await failureOf(commit(project, remove("pdf", before)))).code).toBe("edited");
    await commit(project, remove("pdf", before, true));
    expect(existsSync(join(project.home, "moved/SKILL.md"))).toBe(true);
    expect(existsSync(place)).toBe(false);
  });

  test.each([
    ["the root", "."],
    ["the parent", ".."],
    ["a folder beside the project", "../home/x"],
    ["an absolute folder", "/tmp/skillet-never"],
    ["a path with a step up", ".agents/../../x"],
    ["git's folder", ".git/skills/pdf"],
  ])("a target that is %s is refused", async (_, path) => {
    const project = newProject();
    const error = await failureOf(commit(project, put("pdf", "1", { targets: [{ path, how: "copy" }] })));
    expect(error.code).toBe("target-refused");
    expect(readdirSync(project.root)).toEqual([]);
  });

  test("a hostile lock cannot have folders outside its own removed", async () => {
    const project = newProject();
    const outside = temporaryDirectory();
    const victim = join(outside, "victim");
    mkdirSync(victim);
    const entry = skillEntry("pdf", [], [{ path: victim, how: "copy" }]);
    const { formatLock } = await import("../lock/format-lock.ts");
    writeFileSync(project.lockFile, formatLock({ skills: new Map([["pdf", entry]]) }));
    expect((await failureOf(commit(project, remove("pdf", entry, true)))).code).toBe("target-refused");
    expect(existsSync(victim)).toBe(true);
    await commitChanges({ ...project, outside: [outside], changes: [remove("pdf", entry)] });
    expect(existsSync(victim)).toBe(false);
  });

  test("a link on the way to a target that leaves the project is refused", async () => {
    const project = newProject();
    symlinkSync(project.home, join(project.root, ".agents"));
    const error = await failureOf(commit(project, put("pdf", "1")));
    expect([error.code, error.message.includes("through links")]).toEqual(["target-refused", true]);
    expect(readdirSync(project.home)).toEqual([]);
  });

  test("a target inside another skill, or around one, is refused", async () => {
    const project = newProject();
    await commit(project, put("pdf", "1"));
    for (const path of [".agents/skills/pdf/scripts/x", ".agents/skills", ".agents/skills/pdf"]) {
      const error = await failureOf(commit(project, put("zip", "1", { targets: [{ path, how: "copy" }] })));
      expect(error.code).toBe("target-occupied");
    }
    await expectWhole(project);
  });

  test("files that are not those of the entry are never placed", async () => {
    const project = newProject();
    const change = put("pdf", "1");
    const wrong: readonly Change[] = [
      { ...change, files: skillFiles("pdf", "2") },
      { ...change, files: [...change.files, { path: "../evil", mode: "644", bytes: Buffer.from("x") }] },
      { ...change, files: [{ path: "SKILL.md", mode: "120000", bytes: Buffer.from("/etc/passwd") }] },
      { ...change, entry: { ...change.entry, files: {} } },
      { ...change, entry: { ...change.entry, targets: [] } },
    ];
    for (const each of wrong) expect((await failureOf(commit(project, each))).code).toBe("change-invalid");
    expect((await failureOf(commit(project, change, change))).code).toBe("change-invalid");
    expect(readdirSync(project.root)).toEqual([]);
  });

  test("a folder that cannot be written is named, and nothing is left", async () => {
    const project = newProject();
    mkdirSync(join(project.root, ".claude/skills"), { recursive: true });
    chmodSync(join(project.root, ".claude/skills"), 0o500);
    const failure = await asOrdinaryUser([dirname(project.root)], () =>
      failureOf(commit(project, put("pdf", "1", { targets: BOTH }))),
    );
    // The kernel answers "may I" for the real user: to root in someone's shoes it shows at the first write, and is undone.
    expect(failure.code).toBe(process.getuid?.() === 0 ? "place-failed" : "target-unwritable");
    expect(existsSync(join(project.root, ".agents/skills/pdf"))).toBe(false);
    expect([existsSync(project.lockFile), leftovers(project.root)]).toEqual([false, []]);
  });

  test("a file where a folder is needed is named before anything is touched", async () => {
    const project = newProject();
    writeFileSync(join(project.root, ".claude"), "");
    expect((await failureOf(commit(project, put("pdf", "1", { targets: BOTH })))).code).toBe(
      "target-unwritable",
    );
    expect(readdirSync(project.root)).toEqual([".claude"]);
  });
});

describe("faults on the way", () => {
  test.each(["journalled", "staged 0", "staged", "prepared", "moved 0", "swapped 0", "swapped 1"])(
    "an error after %s undoes everything at once",
    async (last) => {
      const project = newProject();
      await commit(
        project,
        put("pdf", "1", { targets: [...BOTH, { path: ".other/skills/pdf", how: "copy" }] }),
      );
      const before = lockOf(project).get("pdf")!;
      const onStage = (stage: string): void => {
        if (stage === last) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      };
      const change = put("pdf", "2", { before, targets: before.targets });
      const error = await failureOf(
        commitChanges({ ...project, changes: [change, put("new", "1")], onStage }),
      );
      expect([error.code, error.data.errno]).toEqual(["place-failed", "ENOSPC"]);
      expect(versionAt(project, ".agents/skills/pdf")).toBe("1");
      expect(formatEntry(lockOf(project).get("pdf")!)).toBe(formatEntry(before));
      expect(existsSync(join(project.root, ".agents/skills/new"))).toBe(false);
      await expectWhole(project);
      expect(auditOf(project)).toHaveLength(1);
    },
  );

  test("an audit log that cannot be written keeps the journal, and the next command records it once", async () => {
    const project = newProject();
    const audit = (): Promise<void> => Promise.reject(new Error("disk on fire"));
    const error = await failureOf(commitChanges({ ...project, audit, changes: [put("pdf", "1")] }));
    expect([error.code, error.message.includes("disk on fire")]).toEqual(["place-unfinished", true]);
    expect(existsSync(`${project.lockFile}.journal`)).toBe(true);
    await commit(project, put("zip", "1"));
    expect(auditOf(project).map(({ skill }) => skill)).toEqual(["pdf", "zip"]);
    await expectWhole(project);
  });

  test("a folder that appears while a skill is staged is kept", async () => {
    const project = newProject();
    const place = join(project.root, ".agents/skills/pdf");
    const onStage = (stage: string): void => {
      if (stage === "prepared") mkdirSync(place);
    };
    expect((await failureOf(commitChanges({ ...project, changes: [put("pdf", "1")], onStage }))).code).toBe(
      "target-occupied",
    );
    expect(readdirSync(place)).toEqual([]);
    expect([existsSync(project.lockFile), leftovers(project.root)]).toEqual([false, []]);
  });
});

function newProject(): SandboxProject {
  return sandboxProject(temporaryDirectory());
}

function commit(project: SandboxProject, ...changes: readonly Change[]): ReturnType<typeof commitChanges> {
  return commitChanges({ ...project, changes });
}

function put(
  name: string,
  version: string,
  options: { targets?: readonly LockedTarget[]; before?: LockEntry; discardEdits?: boolean } = {},
): Extract<Change, { kind: "put" }> {
  const files = skillFiles(name, version);
  const { targets, before, discardEdits = false } = options;
  return {
    kind: "put",
    record: recordOf("install", name),
    name,
    files,
    entry: skillEntry(name, files, targets),
    discardEdits,
    ...(before && { before }),
  };
}

function remove(name: string, before: LockEntry, discardEdits: boolean = false): Change {
  return { kind: "remove", record: recordOf("remove", name), name, before, discardEdits };
}

function versionAt(project: SandboxProject, target: string): string | undefined {
  return /Body (.+)/.exec(readFileSync(join(project.root, target, "SKILL.md"), "utf8"))?.[1];
}

async function expectWhole(project: SandboxProject): Promise<void> {
  for (const [name, entry] of lockOf(project))
    expect(await verifyEntry(project.root, name, entry)).toEqual([]);
  expect(leftovers(project.root)).toEqual([]);
}

async function failureOf(work: Promise<unknown>): Promise<SkilletError> {
  return work.then(
    () => expect.fail("nothing was thrown"),
    (error: SkilletError) => error,
  );
}
