import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SandboxReport, ScriptOutcome } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import { DEFAULT_RUN_LIMITS, type RunLimits } from "../../../run-limits.ts";
import type { Sandbox, SandboxJob } from "../../sandbox.ts";
import { bubblewrap } from "../bubblewrap.ts";

export interface TriedJob extends Partial<Omit<SandboxJob, "limits" | "interpreter">> {
  readonly interpreter?: string;
  readonly limits?: Partial<RunLimits>;
}

export interface TriedOutcome extends ScriptOutcome {
  readonly ending: string;
  readonly report: SandboxReport;
}

const ENDINGS = { executed: "exit", "timed-out": "deadline", cancelled: "cancelled" };

export class SandboxBench {
  readonly root: string;
  readonly skill: string;
  readonly workspace: string;
  readonly sandbox: Sandbox;

  constructor(sandbox: Sandbox = bubblewrap()) {
    this.sandbox = sandbox;
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-bench-")));
    chmodSync(this.root, 0o755);
    this.skill = join(this.root, "staged", "skill");
    this.workspace = join(this.root, "workspace");
    for (const folder of [this.skill, this.workspace]) mkdirSync(folder, { recursive: true });
  }

  write(path: string, text: string, mode = 0o644): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
    return file;
  }

  async run(script: string, job: TriedJob = {}): Promise<TriedOutcome> {
    this.write("staged/skill/scripts/script", script);
    const interpreter = await this.sandbox.findInterpreter(job.interpreter ?? "bash");
    if (interpreter === undefined) throw new Error(`there is no ${job.interpreter}`);
    const outcome = await this.sandbox.run({
      skill: { directory: this.skill, digest: digestBytes(Buffer.from(script)) },
      flags: [],
      script: "scripts/script",
      args: [],
      cwd: "workspace",
      workspace: this.workspace,
      writable: [],
      protect: [],
      network: [],
      environment: {},
      ...job,
      interpreter,
      limits: { ...DEFAULT_RUN_LIMITS, timeoutMs: 30_000, ...job.limits },
    });
    return {
      ...outcome,
      ending: outcome.limit === "output" ? "output-limit" : ENDINGS[outcome.status],
      report: outcome.sandbox,
    };
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Why bubblewrap cannot be tried here; undefined if it can. */
export async function missingSandbox(): Promise<string | undefined> {
  const probe = await bubblewrap().probe();
  if (probe.ok) return undefined;
  console.warn(`Tests of bubblewrap are skipped: ${probe.reason}.`);
  return probe.reason;
}
