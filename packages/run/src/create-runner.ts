import type { ScriptRunner } from "@skillet/core";
import { prepareScript } from "./prepare-script.ts";
import { ProbedSandbox } from "./probed-sandbox.ts";
import { RunSlots } from "./run-slots.ts";
import { type RunnerOptions, resolveRunnerOptions } from "./runner-options.ts";
import { hostSandbox } from "./sandbox/none/no-sandbox.ts";
import type { SandboxProbe } from "./sandbox/sandbox.ts";

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
