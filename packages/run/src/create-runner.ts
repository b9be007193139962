import type {
  PreparedScript,
  SandboxReport,
  ScriptCall,
  ScriptRefusal,
  ScriptRunner,
  ScriptToRun,
  TreeFile,
} from "@skillet/core";
import { onceUntilSuccess } from "@skillet/kit/async";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { present } from "@skillet/kit/json";
import { neverStarted, refuse, runJob } from "./run-job.ts";
import { type RunnerOptions, type RunnerSettings, resolveRunnerOptions } from "./runner-options.ts";
import {
  type ChosenInterpreter,
  chooseInterpreter,
  denoPermissions,
  type Interpreter,
} from "./runtime/choose-runtime.ts";
import { planRuntime } from "./runtime/plan-runtime.ts";
import { hostSandbox } from "./sandbox/no-sandbox.ts";
import type { Sandbox, SandboxJob, SandboxProbe } from "./sandbox/sandbox.ts";
import { secretsFault } from "./script-secrets.ts";
import { cleanSometimes } from "./stage/clean-staged.ts";
import { type StagedSkill, type StagedTree, stageSkill, withStagedSkill } from "./stage/stage-skill.ts";
import { Turns } from "./turns.ts";

// If more are waiting, calls come faster than scripts can run, and a longer queue would only hide that.
const MAX_WAITING_RUNS = 64;

/** Runs scripts for sessions, and reports how well they are contained. */
export interface SkillRunner extends ScriptRunner {
  /** Proves that the sandbox holds, or says what is wrong with it and how to fix it. */
  probe(): Promise<SandboxProbe>;
}

/**
 * Makes a runner for sessions: scripts are staged and run in a sandbox, with only what is granted here.
 *
 * @example
 * const runner = createRunner({ allow: ["pdf-forms:scripts/fill.py"], writable: [workspace] });
 * const session = await skills.session({ runner });
 */
export function createRunner(options: RunnerOptions = {}): SkillRunner {
  const settings = resolveRunnerOptions(options);
  const slots = new Turns<undefined>((_, ahead) => ahead.length >= settings.concurrentRuns, MAX_WAITING_RUNS);
  const sandbox = provedOnce(settings.sandbox, settings.writable);
  const host = provedOnce(hostSandbox(), []);
  return {
    allow: settings.allow,
    probe: async () => (await sandbox()).probe,
    prepare: (script) =>
      prepareScript(script, { settings, slots, prove: script.target === "host" ? host : sandbox }),
  };
}

// Where headers are looked for; the rest of the file does not affect how a script is run.
const MAX_HEAD_BYTES = 64 * 1024;

/** Stages the skill, plans the run and proves the sandbox, in order; the first failure is the refusal. */
async function prepareScript(
  script: ScriptToRun,
  runner: {
    readonly settings: RunnerSettings;
    readonly slots: Turns<undefined>;
    readonly prove: () => Promise<ProvedSandbox>;
  },
): Promise<PreparedScript | ScriptRefusal> {
  const { settings, slots, prove } = runner;
  const entry: { head?: Uint8Array } = {};
  const files = keepHead(script.files, script.path, (head) => {
    entry.head = head;
  });
  const tree = await stage(script, files, settings);
  if ("status" in tree) return tree;
  if (entry.head === undefined)
    return refuse("script-not-file", `${script.path} is not a file of the skill; name one of its scripts.`);
  const network = settings.network.length > 0 ? "granted" : "none";
  const plan = planRuntime({
    path: script.path,
    executable: script.facts.executable,
    head: entry.head,
    network,
  });
  if ("refused" in plan) return refuse("unsupported-runtime", plan.refused);
  const { sandbox, probe } = await prove();
  if (sandbox === undefined || !probe.ok) return refuse("sandbox-unavailable", describeProbe(probe));
  const choose = (distrusted: readonly string[]) =>
    chooseInterpreter(plan, script.path, {
      find: (name) => sandbox.findInterpreter(name, distrusted),
      versionOf: async (node) => node.version ?? (await sandbox.nodeVersion?.(node)),
    });
  const planned = await choose(settings.writable);
  if ("refused" in planned) return refuse("unsupported-runtime", planned.refused);
  const cleaning = await cleanSometimes(settings.directory, settings.clock());
  const diagnostics: readonly Diagnostic[] = [...tree.diagnostics, ...plan.diagnostics, ...cleaning];
  const { runtime } = planned.candidate;
  return {
    runtime,
    target: script.target,
    ...whereOf(sandbox.name, probe.report),
    run: async (given) => {
      // Copied, because the values are checked now and used after a wait.
      const call = { ...given, secrets: { ...given.secrets } };
      // The workspace is known only now, and an earlier script may have put a program there.
      const workspace = call.workspace === undefined ? [] : [call.workspace];
      const chosen = await choose([...settings.writable, ...workspace]);
      if ("refused" in chosen) return refuse("unsupported-runtime", chosen.refused);
      // The user who approved the run was shown the planned runtime.
      if (chosen.candidate.runtime !== runtime)
        return refuse(
          "unsupported-runtime",
          describeMoved(script.path, planned.interpreter, chosen.interpreter),
        );
      const { onlyIn } = chosen.candidate;
      // Files that such a program finds in a workspace are not verified, and would get the skill's secrets.
      if (onlyIn !== undefined && call.cwd !== onlyIn)
        return refuse(
          "unsupported-runtime",
          `${script.path} is not run in the workspace: ${runtime} runs what it finds in its working directory. Start it in the skill's folder (cwd "skill"), or write it for another interpreter.`,
        );
      const fault = secretsFault(call.secrets);
      if (fault !== undefined) return refuse("permission-denied", fault);
      const isContained = probe.report.strength !== "none";
      const job = jobOf(script, call, { settings, skill: tree.skill, chosen, isContained });
      // The deadline starts only when a slot is free.
      const release = await slots.take(undefined, call.signal);
      if (release === "full")
        return refuse(
          "too-many-runs",
          "Too many scripts are running or waiting; try again when some have finished.",
        );
      if (release === "cancelled") return { ...neverStarted(job, probe.report), diagnostics };
      try {
        const done = await withStagedSkill(tree, settings.clock, () => runJob(job, sandbox, call.secrets));
        if (done === "changed")
          return refuse(
            "script-snapshot-mismatch",
            "The staged copy of the skill was changed or removed before the script started; run it again to stage it anew.",
          );
        return done.status === "refused"
          ? done
          : { ...done, diagnostics: [...diagnostics, ...(done.diagnostics ?? [])] };
      } finally {
        release();
      }
    },
  };
}

function jobOf(
  script: ScriptToRun,
  call: ScriptCall,
  planned: {
    readonly settings: RunnerSettings;
    readonly skill: StagedSkill;
    readonly chosen: ChosenInterpreter;
    readonly isContained: boolean;
  },
): SandboxJob {
  const { settings, skill, chosen, isContained } = planned;
  const { folder, workspace, stdin, signal, onOutput } = call;
  const { flags, separator, permissions } = chosen.candidate;
  const permitted = permissions === undefined || !isContained ? [] : denoPermissions(settings.network);
  const timeoutMs = Math.max(1, Math.min(call.timeoutMs, settings.maxTimeoutMs));
  return {
    skill,
    interpreter: chosen.interpreter,
    flags: [...flags, ...permitted],
    script: script.path,
    args: separator === undefined ? call.args : [separator, ...call.args],
    cwd: call.cwd,
    writable: settings.writable,
    protect: call.protect,
    home: settings.home,
    network: settings.network,
    environment: Object.assign(Object.create(null), call.secrets, {
      SKILL_NAME: script.skill.name,
      SKILL_SCRIPT: script.path,
      SKILLET_RUN_ID: call.runId,
      SKILLET_EXECUTION_TARGET: isContained ? "sandbox" : "host",
    }),
    limits: { ...settings.limits, timeoutMs },
    ...present({ folder, workspace, stdin, signal, onOutput }),
  };
}

async function stage(
  script: ScriptToRun,
  files: AsyncIterable<TreeFile>,
  settings: RunnerSettings,
): Promise<StagedTree | ScriptRefusal> {
  try {
    return await stageSkill({
      digest: script.skill.treeDigest,
      files,
      directory: settings.directory,
      clock: settings.clock,
    });
  } catch (error) {
    // The session handles errors of its own files.
    if (SkilletError.isInstance(error) && error.code === "staging-mismatch")
      return refuse("script-snapshot-mismatch", error.message);
    if (SkilletError.isInstance(error) && FAULTS_OF_SKILLS.has(error.code))
      return refuse("permission-denied", error.message);
    throw error;
  }
}

const FAULTS_OF_SKILLS: ReadonlySet<string> = new Set(["staging-path-refused", "staging-too-large"]);

/** Passes files on and keeps the head of one. Iterable repeatedly, as staging another spelling needs. */
function keepHead(
  files: AsyncIterable<TreeFile>,
  path: string,
  keep: (head: Uint8Array) => void,
): AsyncIterable<TreeFile> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const file of files) {
        // Copied, because the buffer's owner may reuse it.
        if (file.path === path && file.mode !== "120000")
          keep(Uint8Array.from(file.bytes.subarray(0, MAX_HEAD_BYTES)));
        yield file;
      }
    },
  };
}

// Another machine may have no sandbox.
function whereOf(
  name: string,
  { place, strength }: SandboxReport,
): Pick<PreparedScript, "sandbox" | "place"> {
  return place === undefined ? { sandbox: name } : { sandbox: strength === "none" ? "none" : name, place };
}

function describeMoved(path: string, planned: Interpreter, found: Interpreter): string {
  return `${path} was not run: it was planned for ${planned.path}, which is in the workspace or gone, and only ${found.path} was found. Install ${planned.name} outside of the workspace.`;
}

function describeProbe(probe: SandboxProbe): string {
  if (probe.ok) return "Scripts are not run: the sandbox is gone.";
  const fix = probe.fix === undefined ? "Choose another sandbox (--sandbox)." : `Fix: ${probe.fix}`;
  return `Scripts are not run: ${probe.reason}. ${fix}`;
}

type ProvedSandbox = { readonly sandbox?: Sandbox; readonly probe: SandboxProbe };

/**
 * Probes the sandbox before anything runs in it. A failure is retried, since what was missing may have been
 * installed. No program in the `distrusted` folders, which scripts may write to, is started for the probe.
 */
function provedOnce(given: Sandbox | undefined, distrusted: readonly string[]): () => Promise<ProvedSandbox> {
  const prove = async (): Promise<ProvedSandbox> => {
    const sandbox = given ?? (await defaultSandbox());
    if (sandbox === undefined)
      return { probe: { ok: false, reason: `there is no sandbox for ${process.platform} yet` } };
    const probe = await sandbox.probe(distrusted);
    return probe.ok ? { sandbox, probe } : { probe };
  };
  return onceUntilSuccess(prove, ({ probe }) => probe.ok);
}

/** The default sandbox of this platform, if it has one; loaded only when needed. */
async function defaultSandbox(): Promise<Sandbox | undefined> {
  if (process.platform === "linux") return (await import("./sandbox/bubblewrap/bubblewrap.ts")).bubblewrap();
  if (process.platform === "darwin") return (await import("./sandbox/seatbelt.ts")).seatbelt();
  return undefined;
}
