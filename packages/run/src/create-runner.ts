import type {
  PreparedScript,
  SandboxReport,
  ScriptRefusal,
  ScriptRunner,
  ScriptToRun,
  TreeFile,
} from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { refuse, runPrepared } from "./run-prepared.ts";
import { RunSlots } from "./run-slots.ts";
import { type RunnerOptions, type RunnerSettings, resolveRunnerOptions } from "./runner-options.ts";
import type { RuntimeRefusal } from "./runtime/choose-runtime.ts";
import { type ChosenInterpreter, chooseInterpreter } from "./runtime/interpreter.ts";
import { planRuntime } from "./runtime/plan-runtime.ts";
import { hostSandbox } from "./sandbox/no-sandbox.ts";
import type { Sandbox, SandboxProbe } from "./sandbox/sandbox.ts";
import { cleanSometimes } from "./stage/clean-staged.ts";
import { type StagedTree, stageSkill } from "./stage/stage-skill.ts";

// Beyond this many somebody asks faster than scripts can run, and waiting would only hide it.
const MAX_WAITING_RUNS = 64;

/** Runs scripts for sessions, and says how well they are held in. */
export interface SkillRunner extends ScriptRunner {
  /** Proves the sandbox, or says what is wrong with it and what mends it. */
  probe(): Promise<SandboxProbe>;
}

/**
 * Makes a runner for sessions: scripts are staged by digest and run in a sandbox, with nothing that was not given here.
 *
 * @example
 * const runner = createRunner({ allow: ["pdf-forms:scripts/fill.py"], writable: [workspace] });
 * const session = await skills.session({ runner });
 */
export function createRunner(options: RunnerOptions = {}): SkillRunner {
  const settings = resolveRunnerOptions(options);
  const slots = new RunSlots({ concurrent: settings.concurrentRuns, waiting: MAX_WAITING_RUNS });
  const sandbox = new ProbedSandbox(settings.sandbox, settings.writable);
  const host = new ProbedSandbox(hostSandbox());
  return {
    allow: settings.allow,
    probe: () => sandbox.probe(),
    prepare: (script) =>
      prepareScript(script, { settings, slots, sandbox: script.target === "host" ? host : sandbox }),
  };
}

// Where headers are looked for; the rest of a script decides nothing about how it is run.
const MAX_HEAD_BYTES = 64 * 1024;

interface RunnerParts {
  readonly settings: RunnerSettings;
  readonly slots: RunSlots;
  readonly sandbox: ProbedSandbox;
}

/** Stages a skill, plans how its script is run and proves the sandbox, in this order; the first no is a refusal. */
async function prepareScript(
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
  const fix = probe.fix === undefined ? "Pass another sandbox to the runner." : `Fix: ${probe.fix}`;
  return `Scripts are not run: ${probe.reason}. ${fix}`;
}

/** A sandbox that has proved itself before anything runs in it. */
class ProbedSandbox {
  readonly #given: Sandbox | undefined;
  #ready: Promise<{ readonly sandbox?: Sandbox; readonly probe: SandboxProbe }> | undefined;

  readonly #distrusted: readonly string[];

  /** `distrusted` are the folders that scripts may write: nothing from there is started for the proof. */
  constructor(given: Sandbox | undefined, distrusted: readonly string[] = []) {
    this.#given = given;
    this.#distrusted = distrusted;
  }

  async probe(): Promise<SandboxProbe> {
    return (await this.open()).probe;
  }

  /** The sandbox and its proof; without a sandbox, why there is none. */
  async open(): Promise<{ readonly sandbox?: Sandbox; readonly probe: SandboxProbe }> {
    this.#ready ??= this.#open();
    const ready = this.#ready;
    try {
      const opened = await ready;
      // Asked again the next time: somebody may have installed what was missing.
      if (!opened.probe.ok) this.#forget(ready);
      return opened;
    } catch (error) {
      this.#forget(ready);
      throw error;
    }
  }

  #forget(ready: Promise<unknown>): void {
    if (this.#ready === ready) this.#ready = undefined;
  }

  async #open(): Promise<{ readonly sandbox?: Sandbox; readonly probe: SandboxProbe }> {
    const sandbox = this.#given ?? (await defaultSandbox());
    if (sandbox === undefined)
      return { probe: { ok: false, reason: `there is no sandbox for ${process.platform} yet` } };
    const probe = await sandbox.probe(this.#distrusted);
    return probe.ok ? { sandbox, probe } : { probe };
  }
}

/** The sandbox of this platform; nothing where there is none. Loaded when it is needed. */
async function defaultSandbox(platform: NodeJS.Platform = process.platform): Promise<Sandbox | undefined> {
  if (platform === "linux") return (await import("./sandbox/bubblewrap/bubblewrap.ts")).bubblewrap();
  if (platform === "darwin") return (await import("./sandbox/seatbelt.ts")).seatbelt();
  return undefined;
}
