import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditEntry, TreeFile } from "@skillet/core";
import { digestBytes, treeDigestOf } from "@skillet/kit/digest";
import {
  CAPABILITY_NAMES,
  type LockEntry,
  type LockedFile,
  type LockedTarget,
} from "../../lock/lock-entry.ts";
import { parseLock } from "../../lock/read-lock.ts";
import { type AuditWriter, auditWriter } from "../recover.ts";
import { TreeStore } from "../tree-store.ts";

/** A project and a home in one folder, with everything that a commit needs. */
export interface SandboxProject {
  readonly root: string;
  readonly home: string;
  readonly lockFile: string;
  readonly auditFile: string;
  readonly store: TreeStore;
  readonly audit: AuditWriter;
}

/** Creates a project below a folder, or reopens it. */
export function sandboxProject(folder: string): SandboxProject {
  const [root, home] = [join(folder, "project"), join(folder, "home")];
  for (const path of [root, home]) mkdirSync(path, { recursive: true });
  const auditFile = join(home, "audit.jsonl");
  return {
    root,
    home,
    lockFile: join(root, "skillet.lock"),
    auditFile,
    store: new TreeStore(join(home, "store")),
    audit: auditWriter(auditFile, () => 0, "test"),
  };
}

/** The files of a small skill, each of which contains its version. */
export function skillFiles(name: string, version: string): readonly TreeFile[] {
  const header = `---\nname: ${name}\ndescription: Version ${version}.\n---\n`;
  return [
    { path: "SKILL.md", mode: "644", bytes: Buffer.from(`${header}\nBody ${version}\n`) },
    { path: "references/guide.md", mode: "644", bytes: Buffer.from(`${version} `.repeat(5_000)) },
    { path: "scripts/run.sh", mode: "755", bytes: Buffer.from(`echo ${version}\n`) },
  ];
}

/** The lock entry of such a skill. Default target: the project's own folder. */
export function skillEntry(
  name: string,
  files: readonly TreeFile[],
  targets: readonly LockedTarget[] = [{ path: `.agents/skills/${name}`, how: "copy" }],
): LockEntry {
  const listed: Record<string, LockedFile> = {};
  for (const { path, mode, bytes } of files)
    listed[path] = { digest: digestBytes(bytes), size: bytes.length, mode: mode === "755" ? "755" : "644" };
  return {
    kind: "skill",
    source: `owner/${name}`,
    resolved: { kind: "git", url: `https://github.com/owner/${name}`, commit: "a".repeat(40) },
    folder: "",
    digest: treeDigestOf(files),
    files: listed,
    capabilities: Object.fromEntries(
      CAPABILITY_NAMES.map((key) => [key, []]),
    ) as unknown as LockEntry["capabilities"],
    report: { origin: "community", verdict: "safe", scanner: "1" },
    targets,
  };
}

export function leftovers(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?:\.new|\.old|\.undone|\.journal|\.skillet-[^/]*)$/.test(path))
    .sort();
}

export function lockOf({ lockFile }: SandboxProject): ReadonlyMap<string, LockEntry> {
  return existsSync(lockFile) ? parseLock(readFileSync(lockFile, "utf8"), lockFile).skills : new Map();
}

export function auditOf({ auditFile }: SandboxProject): readonly AuditEntry[] {
  if (!existsSync(auditFile)) return [];
  const lines = readFileSync(auditFile, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as AuditEntry);
}

export function recordOf(action: AuditEntry["action"], skill: string): AuditEntry {
  return { action, skill, decision: "allow" };
}
