import type {
  SandboxReport,
  ScriptCall,
  ScriptGrants,
  ScriptOutcome,
  ScriptRefusal,
  ScriptToRun,
} from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { describeRefusals } from "./network/describe-refusals.ts";
import { createRedactor } from "./output/create-redactor.ts";
import { MIN_SECRET_BYTES } from "./output/secret-forms.ts";
import { type WatchedOutput, watchOutput } from "./output/watch-output.ts";
import { refuse } from "./refuse.ts";
import type { RunSlots } from "./run-slots.ts";
import type { RunnerSettings } from "./runner-options.ts";
import type { ChosenInterpreter } from "./runtime/choose-interpreter.ts";
import type { Sandbox, SandboxJob, SandboxOutcome } from "./sandbox/sandbox.ts";
import { scriptEnvironment } from "./script-environment.ts";
import type { StagedTree } from "./stage/stage-skill.ts";
import { withStagedSkill } from "./stage/with-staged-skill.ts";

/** Everything that is settled before a script is called. */
export interface PreparedRun {
  readonly settings: RunnerSettings;
  readonly slots: RunSlots;
  readonly sandbox: Sandbox;
  readonly report: SandboxReport;
  readonly script: ScriptToRun;
  readonly tree: StagedTree;
  readonly chosen: ChosenInterpreter;
  readonly diagnostics: readonly Diagnostic[];
}

/** Runs a prepared script once there is room for it; its deadline counts from then. */
export async function runPrepared(
  call: ScriptCall,
  run: PreparedRun,
): Promise<ScriptOutcome | ScriptRefusal> {
  const { settings, slots, script, tree } = run;
  const misplaced = misplacedFault(call, run);
  if (misplaced !== undefined) return refuse("unsupported_runtime", misplaced);
  const environment = scriptEnvironment(call, { skill: script.skill.name, path: script.path });
  if ("refused" in environment) return refuse("permission_denied", environment.refused);
  const done = await slots.use(call.signal, () =>
    withStagedSkill(tree, settings.clock, () => start(call, run, environment.variables)),
  );
  if (done === "full")
    return refuse("too_many_runs", "Too many scripts run or wait already; try again when some have ended.");
  if (done === "changed")
    return refuse(
      "script_snapshot_mismatch",
      "The staged copy of the skill was changed or removed before the script started; run it again to stage it anew.",
    );
  return done === "cancelled" ? neverStarted(call, run) : done;
}

// What such a program finds in a workspace was verified by nobody, and would have the skill's secrets.
function misplacedFault({ cwd }: ScriptCall, { chosen, script }: PreparedRun): string | undefined {
  const { runtime, onlyIn } = chosen.candidate;
  if (onlyIn === undefined || cwd === onlyIn) return undefined;
  return `${script.path} is not run in the workspace: ${runtime} runs what it finds in its working directory. Start it in the skill's folder (cwd "skill"), or write it for another interpreter.`;
}

async function start(
  call: ScriptCall,
  run: PreparedRun,
  environment: Readonly<Record<string, string>>,
): Promise<ScriptOutcome | ScriptRefusal> {
  const { settings } = run;
  const watch = watchOutput({
    redactor: createRedactor(call.secrets),
    maxBytes: settings.limits.outputBytes,
    onOutput: call.onOutput,
  });
  try {
    const outcome = await run.sandbox.run(describeJob(call, run, environment, watch.listener));
    return {
      ...describeOutcome(outcome, watch.finish()),
      grants: grantsOf(settings),
      diagnostics: [
        ...run.diagnostics,
        ...shortSecrets(call, run.script),
        ...describeRefusals(outcome.refusals ?? [], run.script.path),
        ...describeCreated(outcome.created ?? [], run.script.path),
      ],
    };
  } catch (error) {
    const refusal = SkilletError.isInstance(error) ? REFUSALS.get(error.code) : undefined;
    if (refusal === undefined) throw error;
    return refuse(refusal, (error as SkilletError).message);
  }
}

// What a sandbox throws before anything ran.
const REFUSALS: ReadonlyMap<string, ScriptRefusal["code"]> = new Map([
  ["sandbox-unavailable", "sandbox_unavailable"],
  ["sandbox-folder-refused", "permission_denied"],
  ["sandbox-argument-invalid", "permission_denied"],
]);

function describeJob(
  call: ScriptCall,
  run: PreparedRun,
  environment: Readonly<Record<string, string>>,
  onOutput: SandboxJob["onOutput"],
): SandboxJob {
  const { settings, script, tree, chosen } = run;
  const { flags, separator } = chosen.candidate;
  const timeoutMs = Math.max(1, Math.min(call.timeoutMs, settings.maxTimeoutMs));
  return {
    skill: tree.skill,
    interpreter: chosen.interpreter,
    flags,
    script: script.path,
    args: separator === undefined ? call.args : [separator, ...call.args],
    cwd: call.cwd,
    writable: settings.writable,
    protect: call.protect,
    home: settings.home,
    network: settings.network,
    environment,
    limits: { ...settings.limits, timeoutMs },
    ...(call.workspace !== undefined && { workspace: call.workspace }),
    ...(call.stdin && { stdin: call.stdin }),
    ...(call.signal && { signal: call.signal }),
    ...(onOutput && { onOutput }),
  };
}

const STATUS = {
  exit: "executed",
  deadline: "timed-out",
  cancelled: "cancelled",
  "output-limit": "executed",
} as const satisfies Record<SandboxOutcome["result"]["ending"], ScriptOutcome["status"]>;

function describeOutcome(
  { result, report, argv, cwd, limit: named }: SandboxOutcome,
  output: WatchedOutput,
): Omit<ScriptOutcome, "diagnostics"> {
  const limit = result.ending === "output-limit" ? "output" : named;
  return {
    status: STATUS[result.ending],
    ...(result.exitCode !== undefined && { exitCode: result.exitCode }),
    ...(result.signal !== undefined && { signal: result.signal }),
    ...output,
    sandbox: report,
    durationMs: result.durationMs,
    argv,
    cwd,
    ...(limit && { limit }),
  };
}

function grantsOf({ network, writable }: RunnerSettings): ScriptGrants {
  const hosts = network.map(({ host, port }) => (port === undefined ? host : `${host}:${port}`));
  return { network: hosts, writable };
}

function neverStarted(call: ScriptCall, run: PreparedRun): ScriptOutcome {
  return {
    status: "cancelled",
    stdout: "",
    stderr: "",
    truncated: { stdout: false, stderr: false },
    sandbox: run.report,
    durationMs: 0,
    argv: [],
    cwd: call.workspace ?? "",
    grants: grantsOf(run.settings),
    diagnostics: run.diagnostics,
  };
}

function shortSecrets(call: ScriptCall, script: ScriptToRun): Diagnostic[] {
  return Object.entries(call.secrets)
    .filter(([, value]) => Buffer.byteLength(value.trim()) < MIN_SECRET_BYTES)
    .map(([name]) => ({
      code: "secret-too-short",
      severity: "warning",
      message: `The value of ${name} has fewer than ${MIN_SECRET_BYTES} bytes, so it was not taken out of the output.`,
      file: script.path,
      hint: "Grant a longer value, or do not declare it as a secret.",
    }));
}

function describeCreated(paths: readonly string[], script: string): Diagnostic[] {
  return paths.map((path) => ({
    code: "obeyed-path-created",
    severity: "warning",
    message: `${script} made ${path}, which tools run or obey without a question.`,
    file: script,
    hint: "Look at it before anything is started in that folder, or remove it.",
  }));
}
