import { homedir } from "node:os";
import { join } from "node:path";
import type { HookEnd, HookJob, HookStarter } from "@skillet/core";
import { type CapturedOutput, createLimitMark, runProcess } from "@skillet/kit/process";
import { passedOn } from "@skillet/kit/program";
import { findPrlimit } from "./sandbox/no-sandbox.ts";
import { stageSkill, withStagedSkill } from "./stage/stage-skill.ts";

/** Where copies of plugins are kept, and which variables of the host their hooks see. */
export interface HookStarterOptions {
  /** Skillet's own folder; default `SKILLET_HOME`, else `~/.skillet`. */
  readonly home?: string;
  /** Source of the few variables that are passed on; default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Further variables for hooks. */
  readonly grant?: Readonly<Record<string, string>>;
}

// No other variables: a host's environment holds keys.
const PASSED_ON = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR"];
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Makes the hook starter for sessions: a hook runs with the user's rights, in the workspace, from a verified,
 * read-only copy of its plugin, so only the approved bytes run.
 *
 * @example
 * const skills = await openSkills({ plugins: () => hub.plugins() });
 * const session = await skills.session({ hooks: createHookStarter() });
 */
export function createHookStarter(options: HookStarterOptions = {}): HookStarter {
  const { environment = process.env, grant = {} } = options;
  const home = options.home ?? environment.SKILLET_HOME ?? join(homedir(), ".skillet");
  const passed = passedOn(environment, (name) => PASSED_ON.includes(name));
  return async (job) => {
    const { digest, files } = job.plugin;
    const directory = join(home, "cache", "staged");
    const staged = await stageSkill({ digest, files, directory });
    const ended = await withStagedSkill(
      staged,
      () => new Date(),
      () => {
        const { directory: root } = staged.skill;
        const project = job.cwd !== undefined && { CLAUDE_PROJECT_DIR: job.cwd };
        const places = { CLAUDE_PLUGIN_ROOT: root, ...project };
        return run({ cwd: root, ...job }, { ...passed, ...grant, ...places });
      },
    );
    return ended === "changed" ? { failed: "its copy was changed" } : ended;
  };
}

async function run(
  { command, input, cwd, timeoutMs }: HookJob & { readonly cwd: string },
  environment: Readonly<Record<string, string>>,
): Promise<HookEnd> {
  const shell = ["/bin/sh", "-c", command] as const;
  const prlimit = findPrlimit();
  const mark = prlimit === undefined ? undefined : createLimitMark();
  const marked = prlimit !== undefined && mark !== undefined;
  const { ending, exitCode, signal, stdout, stderr } = await runProcess({
    argv: marked ? [prlimit, `--rttime=${mark}:${mark}`, "--", ...shell] : shell,
    environment,
    cwd,
    deadlineMs: timeoutMs,
    limitMark: mark,
    stdin: Buffer.from(input),
    maxOutputBytes: MAX_OUTPUT_BYTES,
    maxSeenBytes: 4 * MAX_OUTPUT_BYTES,
  });
  if (ending === "deadline") return { failed: `it was ended at its deadline of ${timeoutMs} ms` };
  if (ending === "output-limit" || stdout.omittedBytes > 0) return { failed: "it wrote too much output" };
  if (exitCode === undefined) return { failed: `it was ended by ${signal ?? "a signal"}` };
  return { exitCode, stdout: textOf(stdout), stderr: textOf(stderr) };
}

function textOf({ head, tail }: CapturedOutput): string {
  return new TextDecoder().decode(Buffer.concat([head, tail]));
}
