import { randomUUID } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import type { PolicyMode } from "../../config/config.ts";
import { type Narrowing, narrowingTo } from "../../policy/narrowing.ts";
import type { Skill } from "../../registry/skill.ts";
import type { Recorder } from "../records/session-record.ts";
import { inheritScripts } from "../run/inherit-scripts.ts";
import { type ScriptAllowlist, showScript } from "../run/script-allowlist.ts";
import type { ScriptRunner } from "../run/script-runner.ts";
import type { SessionOptions } from "../session-options.ts";
import type { SkillSessionParts } from "../skill-session-parts.ts";
import type { SessionVetting } from "../vetting/session-vetting.ts";
import type { ForkOptions, ForkSession } from "./fork-session.ts";
import { ForkedSession } from "./forked-session.ts";
import type { ParentSession } from "./parent-session.ts";

/** What a fork is made from. */
export interface ForkParts {
  readonly options: SessionOptions;
  readonly runner: ScriptRunner | undefined;
  readonly recorder: Recorder;
  readonly mode: PolicyMode;
  readonly narrowing: readonly (readonly Narrowing[])[];
  readonly allowlist: ScriptAllowlist;
  readonly protect: readonly string[];
  readonly vetting: SessionVetting;
  /** Puts the child together over the parent's own snapshot. */
  prepare(options: SessionOptions, parent: ParentSession): Promise<SkillSessionParts>;
}

/** Opens a child session with these skills and tools, and records that it was. */
export async function openFork(
  fork: ForkOptions,
  skills: readonly Skill[],
  parts: ForkParts,
): Promise<ForkSession> {
  const { options, runner, recorder, mode, allowlist, protect, vetting } = parts;
  const scripts = inheritScripts(fork.scripts ?? [], skills, allowlist);
  const runId = randomUUID();
  const records =
    recorder.runFolder === undefined ? undefined : await makeChildFolder(recorder.runFolder, runId);
  const given = narrowingTo(fork.tools ?? [], {
    by: "the list of tools that this fork was given",
    project: options.projectDirectory ?? "/",
  });
  const names = skills.map(({ qualifiedName }) => qualifiedName);
  const child = await parts.prepare(
    childOptions(options, { runId, records, runner, allow: names, profile: fork.profile }),
    {
      runId: recorder.runId,
      mode,
      skills: new Set(skills),
      narrowing: [...parts.narrowing, [given.narrowing]],
      scripts,
      protect,
      vetting,
    },
  );
  const record = {
    kind: "fork",
    childRunId: runId,
    childFolder: records ?? "",
    skills: names,
    tools: fork.tools ?? [],
    ...(scripts.length > 0 && { scripts: scripts.map(showScript) }),
    ...(fork.context !== undefined && { context: fork.context }),
  } as const;
  await recorder.append({ ...record, event: "started" });
  return new ForkedSession(child, { parent: recorder, record, diagnostics: given.diagnostics });
}

// A link in the run folder would lead the records of children wherever somebody likes.
async function makeChildFolder(runFolder: string, runId: string): Promise<string> {
  const children = join(runFolder, "children");
  await mkdir(children, { recursive: true, mode: 0o700 });
  if ((await lstat(children)).isSymbolicLink())
    throw new SkilletError(
      "records-unavailable",
      `${children} is a link, which is not followed; remove it, or record into another folder.`,
      { data: { runFolder } },
    );
  return join(children, runId);
}

// Nothing of the parent's comes along but how careful it is: no grants, no profile of its own, no run id, no commands.
// The runner does, but a child that was given no scripts does not keep it.
function childOptions(
  { ask, interactive, product, projectDirectory, files, onDrift, clock }: SessionOptions,
  own: {
    readonly runId: string;
    readonly records: string | undefined;
    readonly runner: ScriptRunner | undefined;
    readonly allow: readonly string[];
    readonly profile: string | undefined;
  },
): SessionOptions {
  return {
    runId: own.runId,
    allow: own.allow,
    ...(own.profile !== undefined && { profile: own.profile }),
    ...(own.records !== undefined && { records: own.records }),
    ...(own.runner !== undefined && { runner: own.runner }),
    ...(ask !== undefined && { ask }),
    ...(interactive !== undefined && { interactive }),
    ...(product !== undefined && { product }),
    ...(projectDirectory !== undefined && { projectDirectory }),
    ...(files !== undefined && { files }),
    ...(onDrift !== undefined && { onDrift }),
    ...(clock !== undefined && { clock }),
  };
}
