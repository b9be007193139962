import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { type Change, commitChanges } from "./commit-changes.ts";
import { recover } from "./recover.ts";
import { inspectProject } from "./testing/inspect-project.ts";
import {
  lockOf,
  recordOf,
  type SandboxProject,
  sandboxProject,
  skillEntry,
  skillFiles,
} from "./testing/sandbox-project.ts";

const refusal = probe();
if (refusal !== undefined) console.warn(`Skipped: tests of full and read-only disks, because ${refusal}.`);

describe.skipIf(refusal !== undefined)("a disk", () => {
  test("that fills up at any moment leaves the old version whole, and says so", async () => {
    const project = sandboxProject(mount("size=600k"));
    await commit(project, "1");
    const codes = new Set<string>();
    // From room for nothing to room for everything, a page at a time: each write on the way fails once.
    for (let pages = 0; pages <= 40; pages++) {
      const filler = join(project.root, "filler");
      const { bavail, bsize } = statfsSync(project.root);
      writeFileSync(filler, Buffer.alloc(Math.max(0, (bavail - pages) * bsize)));
      const version = lockOf(project).get("pdf")?.digest === digestOf("1") ? "2" : "1";
      const expected = version === "2" ? "1" : "2";
      const code = await commit(project, version).then(
        () => "done",
        (error: { code: string }) => error.code,
      );
      codes.add(code);
      rmSync(filler);
      await recover(project);
      const state = await inspectProject(project, ["pdf"]);
      // An audit log that is full comes after the commit, which then stands.
      const isDone = code === "done" || code === "place-unfinished";
      expect([pages, code, state]).toEqual([
        pages,
        code,
        { versions: { pdf: isDone ? version : expected }, problems: [] },
      ]);
      for (const name of readdirSync(project.store.folder))
        if (/\.(?:tree|tmp)$/.test(name)) rmSync(join(project.store.folder, name));
    }
    expect([...codes].filter((code) => code !== "done").length).toBeGreaterThan(1);
    expect(codes).toContain("done");
  });

  test("of a target that is read-only is named before anything is touched", async () => {
    const project = sandboxProject(temporaryDirectory());
    const target = join(project.root, ".other/skills");
    mkdirSync(target, { recursive: true });
    mountAt(target, "size=100k,ro");
    await expect(commit(project, "1")).rejects.toMatchObject({
      code: "target-unwritable",
      data: { errno: "EROFS" },
    });
    expect([existsSync(join(project.root, ".agents")), existsSync(project.lockFile)]).toEqual([false, false]);
  });
});

function commit(project: SandboxProject, version: string): Promise<unknown> {
  const files = skillFiles("pdf", version);
  const before = lockOf(project).get("pdf");
  const entry = skillEntry("pdf", files, [
    { path: ".agents/skills/pdf", how: "copy" },
    { path: ".other/skills/pdf", how: "copy" },
  ]);
  const change: Change = {
    kind: "put",
    record: recordOf("install", "pdf"),
    name: "pdf",
    files,
    entry,
    discardEdits: false,
    ...(before && { before }),
  };
  return commitChanges({ ...project, changes: [change] });
}

function digestOf(version: string): string {
  return skillEntry("pdf", skillFiles("pdf", version)).digest;
}

function mount(options: string): string {
  const folder = temporaryDirectory();
  mountAt(folder, options);
  return folder;
}

function mountAt(folder: string, options: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "pipe" });
  onTestFinished(() => {
    execFileSync("umount", ["-l", folder], { stdio: "pipe" });
  });
}

function probe(): string | undefined {
  if (process.platform !== "linux") return "only Linux has tmpfs";
  if (process.getuid?.() !== 0) return "only root mounts file systems";
  const folder = join("/tmp", `skillet-probe-${process.pid}`);
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=100k", "tmpfs", folder], { stdio: "pipe" });
    execFileSync("umount", [folder], { stdio: "pipe" });
    return undefined;
  } catch {
    return "this container may not mount file systems";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
