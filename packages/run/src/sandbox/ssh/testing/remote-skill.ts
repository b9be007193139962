import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { DEFAULT_RUN_LIMITS } from "../../../run-limits.ts";
import type { SandboxJob } from "../../sandbox.ts";

const folders: string[] = [];

/** A staged skill for tests; files with a shebang can be executed. */
export function stageForTest(files: Readonly<Record<string, string | Buffer>>): SandboxJob["skill"] {
  const directory = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(directory, dirname(path)), { recursive: true });
    writeFileSync(join(directory, path), content);
    chmodSync(join(directory, path), String(content).startsWith("#!") ? 0o555 : 0o444);
  }
  return { directory, digest: digestBytes(Buffer.from(JSON.stringify(Object.keys(files)))) };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "skillet-ssh-"));
  folders.push(folder);
  return folder;
}

export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) {
    execFileSync("/bin/chmod", ["-R", "u+w", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

export function jobFor(script: string, more: Partial<SandboxJob> = {}): SandboxJob {
  return {
    skill: stageForTest({ "scripts/run.sh": script }),
    interpreter: { name: "sh", path: "/bin/sh" },
    flags: [],
    script: "scripts/run.sh",
    args: [],
    cwd: "workspace",
    writable: [],
    protect: [],
    network: [],
    environment: {},
    limits: { ...DEFAULT_RUN_LIMITS, timeoutMs: 30_000 },
    ...more,
  };
}
