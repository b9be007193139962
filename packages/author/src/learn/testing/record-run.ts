import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSkills, type Session, type SessionOptions, type Skills } from "@skillet/core";
import { onTestFinished } from "vitest";

/** A home and a folder of skills of its own; both are deleted after the running test. */
export interface Place {
  readonly home: string;
  readonly runs: string;
  open(): Promise<Skills>;
  /** Opens a session that records into the run of that name. */
  session(run: string, options?: SessionOptions): Promise<Session>;
  writeSkill(name: string, description: string): void;
}

/** Creates a place with these skills (name to description). */
export function makePlace(skills: Readonly<Record<string, string>>): Place {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), "skillet-learn-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, ".skillet");
  const runs = join(home, "runs");
  const writeSkill = (name: string, description: string): void => {
    mkdirSync(join(root, "skills", name), { recursive: true });
    const text = `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nInstructions.\n`;
    writeFileSync(join(root, "skills", name, "SKILL.md"), text);
  };
  for (const [name, description] of Object.entries(skills)) writeSkill(name, description);
  const open = (): Promise<Skills> =>
    openSkills({
      workspace: root,
      roots: [join(root, "skills")],
      home,
      userHome: root,
      environment: {},
      organisationDirectory: join(root, "organisation"),
      bundledDirectory: false,
      cacheDirectory: false,
    });
  return {
    home,
    runs,
    open,
    writeSkill,
    session: async (run, options = {}) =>
      (await open()).session({ records: join(runs, run), runId: run, ...options }),
  };
}

/** Writes a journal line by line, as anyone with write access to the folder could. */
export function forgeRun(runFolder: string, records: Iterable<Readonly<Record<string, unknown>>>): void {
  mkdirSync(runFolder, { recursive: true });
  let sequence = 0;
  const lines: string[] = [];
  for (const record of records) {
    sequence += 1;
    lines.push(JSON.stringify({ sequence, runId: runFolder, time: "2026-01-01T00:00:00.000Z", record }));
  }
  writeFileSync(join(runFolder, "journal.jsonl"), `${lines.join("\n")}\n`);
}
