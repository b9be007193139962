import type { TreeFile } from "../../registry/read-tree.ts";
import {
  refuse,
  type ScriptCall,
  type ScriptOutcome,
  type ScriptRefusal,
  type ScriptRunner,
  type ScriptToRun,
} from "../script-runner.ts";
import type { Session } from "../session.ts";

/** A runner that stages into memory, starts nothing, and records what it gets. */
export interface RecordingRunner extends ScriptRunner {
  readonly prepared: (Omit<ScriptToRun, "files"> & { readonly files: readonly string[] })[];
  readonly calls: ScriptCall[];
  /** The staged files of each call, by path. */
  readonly staged: ReadonlyMap<string, TreeFile>[];
}

/** Options for a recording runner. */
export interface RecordingRunnerOptions {
  readonly allow?: readonly string[];
  /** Called before it looks at any file. */
  readonly onPrepare?: () => ScriptRefusal | undefined;
  /** Stops reading after this many files, like a runner that has them already. */
  readonly readFiles?: number;
  /** Called while the script "runs". */
  readonly onRun?: (call: ScriptCall) => Promise<ScriptRefusal | Partial<ScriptOutcome> | undefined>;
}

/** Makes a recording runner. */
export function recordingRunner(options: RecordingRunnerOptions = {}): RecordingRunner {
  const runner: RecordingRunner = {
    allow: options.allow ?? ["tools:scripts/main.sh"],
    prepared: [],
    calls: [],
    staged: [],
    prepare: async ({ files, ...script }) => {
      const refusal = options.onPrepare?.();
      if (refusal !== undefined) return refusal;
      const staged = new Map<string, TreeFile>();
      const most = options.readFiles ?? Number.POSITIVE_INFINITY;
      if (most > 0)
        for await (const file of files) {
          staged.set(file.path, file);
          if (staged.size >= most) break;
        }
      runner.prepared.push({ ...script, files: [...staged.keys()] });
      if (script.facts.runtime === "unknown")
        return refuse("unsupported-runtime", "Nothing here runs such a script.");
      return {
        runtime: script.facts.runtime,
        target: script.target,
        sandbox: "memory",
        run: async (call) => {
          runner.calls.push(call);
          runner.staged.push(staged);
          const own = await options.onRun?.(call);
          if (own !== undefined && own.status === "refused") return own as ScriptRefusal;
          return { ...DONE, ...own } as ScriptOutcome;
        },
      };
    },
  };
  return runner;
}

/** Loads a skill, runs its scripts/main.sh, and returns the secrets that it was given. */
export async function scriptSecrets(
  session: Session,
  runner: RecordingRunner,
  skill: string,
): Promise<Readonly<Record<string, string>>> {
  await session.activate(skill, { source: "user" });
  const { status } = await session.run(skill, "scripts/main.sh");
  if (status === "refused") throw new Error(`${skill} was not run`);
  return { ...runner.calls.at(-1)?.secrets };
}

/** The default outcome of a run. */
export const DONE: ScriptOutcome = {
  status: "executed",
  exitCode: 0,
  stdout: "out",
  stderr: "",
  truncated: { stdout: false, stderr: false },
  sandbox: { backend: "memory", strength: "full", weaknesses: [], memoryLimit: "tree" },
  durationMs: 5,
  argv: ["bash", "/skill/scripts/main.sh"],
  cwd: "/workspace",
  diagnostics: [],
};
