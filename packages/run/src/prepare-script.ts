import type { PreparedScript, SandboxReport, ScriptRefusal, ScriptToRun, TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import type { ProbedSandbox } from "./probed-sandbox.ts";
import { refuse } from "./refuse.ts";
import { runPrepared } from "./run-prepared.ts";
import type { RunSlots } from "./run-slots.ts";
import type { RunnerSettings } from "./runner-options.ts";
import { type ChosenInterpreter, chooseInterpreter } from "./runtime/choose-interpreter.ts";
import { planRuntime } from "./runtime/plan-runtime.ts";
import type { RuntimeRefusal } from "./runtime/runtime-plan.ts";
import type { SandboxProbe } from "./sandbox/sandbox.ts";
import { cleanSometimes } from "./stage/clean-sometimes.ts";
import { type StagedTree, stageSkill } from "./stage/stage-skill.ts";

// Where headers are looked for; the rest of a script decides nothing about how it is run.
const MAX_HEAD_BYTES = 64 * 1024;

/** What a runner has besides the script. */
export interface RunnerParts {
  readonly settings: RunnerSettings;
  readonly slots: RunSlots;
  readonly sandbox: ProbedSandbox;
}

/** Stages a skill, plans how its script is run and proves the sandbox, in this order; the first no is a refusal. */
export async function prepareScript(
  script: ScriptToRun,
  parts: RunnerParts,
): Promise<PreparedScript | ScriptRefusal> {
  const { settings } = parts;
  const entry = new EntryWatch(script.path);
  const tree = await stage(script, entry, settings);
  if ("status" in tree) return tree;
  if (entry.head === undefined)
    return refuse("script_not_file", `${script.path} is no file of the skill; name one of its scripts.`);
  const network = settings.network.length > 0 ? "granted" : "none";
  const plan = planRuntime({
    path: script.path,
    executable: script.facts.executable,
    head: entry.head,
    network,
  });
  if ("refused" in plan) return refuse("unsupported_runtime", plan.refused);
  const { sandbox, probe } = await parts.sandbox.open();
  if (sandbox === undefined || !probe.ok) return refuse("sandbox_unavailable", describeProbe(probe));
  const choose = (distrusted: readonly string[]): Promise<ChosenInterpreter | RuntimeRefusal> =>
    chooseInterpreter(plan, script.path, {
      find: (name) => sandbox.findInterpreter(name, distrusted),
      versionOf: async (node) => node.version ?? (await sandbox.nodeVersion?.(node)),
    });
  const chosen = await choose(settings.writable);
  if ("refused" in chosen) return refuse("unsupported_runtime", chosen.refused);
  const cleaning = await cleanSometimes(settings.directory, settings.clock());
  const diagnostics: readonly Diagnostic[] = [...tree.diagnostics, ...plan.diagnostics, ...cleaning];
  return {
    runtime: chosen.candidate.runtime,
    target: script.target,
    ...whereOf(sandbox.name, probe.report),
    run: async (call) => {
      // Only now the workspace is known, where an earlier script may have put a program.
      const workspace = call.workspace === undefined ? [] : [call.workspace];
      const again = await choose([...settings.writable, ...workspace]);
      if ("refused" in again) return refuse("unsupported_runtime", again.refused);
      // Whoever agreed to the run was told about the first.
      if (again.candidate.runtime !== chosen.candidate.runtime)
        return refuse("unsupported_runtime", describeMoved(script.path, chosen, again));
      return runPrepared(call, {
        ...parts,
        sandbox,
        report: probe.report,
        script,
        tree,
        chosen: again,
        diagnostics,
      });
    },
  };
}

async function stage(
  script: ScriptToRun,
  entry: EntryWatch,
  settings: RunnerSettings,
): Promise<StagedTree | ScriptRefusal> {
  try {
    return await stageSkill({
      digest: script.skill.treeDigest,
      files: entry.watch(script.files),
      directory: settings.directory,
      clock: settings.clock,
    });
  } catch (error) {
    // What the files themselves throw is the session's, and goes back to it.
    if (SkilletError.isInstance(error) && error.code === "staging-mismatch")
      return refuse("script_snapshot_mismatch", error.message);
    if (SkilletError.isInstance(error) && FAULTS_OF_SKILLS.has(error.code))
      return refuse("permission_denied", error.message);
    throw error;
  }
}

// What is wrong with the files of a skill themselves, whoever stages them.
const FAULTS_OF_SKILLS: ReadonlySet<string> = new Set(["staging-path-refused", "staging-too-large"]);

/** Keeps the beginning of one file while a tree passes. */
class EntryWatch {
  readonly #path: string;
  head: Uint8Array | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Can be gone through again, as the files themselves can: staging another spelling of a tree reads it twice. */
  watch(files: AsyncIterable<TreeFile>): AsyncIterable<TreeFile> {
    return { [Symbol.asyncIterator]: () => this.#pass(files) };
  }

  async *#pass(files: AsyncIterable<TreeFile>): AsyncGenerator<TreeFile> {
    for await (const file of files) {
      // A copy: whoever gives the bytes may use them again.
      if (file.path === this.#path && file.mode !== "120000")
        this.head = Uint8Array.from(file.bytes.subarray(0, MAX_HEAD_BYTES));
      yield file;
    }
  }
}

// Another machine may have no sandbox of its own.
function whereOf(
  name: string,
  { place, strength }: SandboxReport,
): Pick<PreparedScript, "sandbox" | "place"> {
  return place === undefined ? { sandbox: name } : { sandbox: strength === "none" ? "none" : name, place };
}

function describeMoved(path: string, planned: ChosenInterpreter, found: ChosenInterpreter): string {
  return `${path} is not run: it was to be run by ${planned.interpreter.path}, which lies in the workspace or is gone, and not by ${found.interpreter.path}. Install ${planned.interpreter.name} outside of the workspace.`;
}

function describeProbe(probe: SandboxProbe): string {
  if (probe.ok) return "Scripts are not run: the sandbox is gone.";
  const fix = probe.fix === undefined ? "Pass another sandbox to the runner." : `To mend it: ${probe.fix}`;
  return `Scripts are not run: ${probe.reason}. ${fix}`;
}
