import { mkdir, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AuditEntry } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { removeTree, writeAtomic } from "@skillet/kit/files";
import { type CapturedOutput, runProcess } from "@skillet/kit/process";
import { passedOn } from "@skillet/kit/program";
import { stageTree } from "../place/stage.ts";
import { unpackArchive } from "../sources/archive.ts";
import { download } from "../sources/http/download.ts";
import type { HubParts } from "./hub-parts.ts";
import type { ToolPlan, ToolResult, ToolStep } from "./plan-tools.ts";

interface RunToolOptions
  extends Pick<HubParts, "home" | "environment" | "fetching" | "ask" | "signal" | "lockFile" | "writeAudit"> {
  /** The user saw the plan and agreed already. Otherwise `ask` is called for every step; without it, nothing is run. */
  readonly accepted: boolean;
}

const DEADLINE_MS = 15 * 60_000;
const MAX_SHOWN_CHARACTERS = 2_000;
const MAX_RECORDED_CHARACTERS = 500;

/** Installs the tools of a plan step by step, each after the user agrees; a failure does not stop the others. */
export async function runToolPlan(plan: ToolPlan, options: RunToolOptions): Promise<readonly ToolResult[]> {
  const results: ToolResult[] = [];
  for (const step of plan.steps) {
    options.signal?.throwIfAborted();
    const isAgreed = options.accepted || (await isWanted(step, options));
    // Recorded before anything runs, so that the record exists even if the step kills the process.
    await options.writeAudit(recordOf(step, options, { isAgreed }));
    if (!isAgreed)
      results.push({ step, outcome: "declined", reason: `${describeStep(step)} was not approved.` });
    else
      results.push(step.kind === "download" ? await fetchTool(step, options) : await runTool(step, options));
  }
  return results;
}

function recordOf(
  step: ToolStep,
  { accepted, ask, lockFile }: RunToolOptions,
  { isAgreed }: { readonly isAgreed: boolean },
): AuditEntry {
  const agreed = accepted ? "accepted beforehand" : "approved";
  const how = isAgreed ? agreed : ask === undefined ? "no one was asked" : "declined";
  return {
    action: "tool",
    skill: step.skill,
    path: lockFile,
    ...(step.kind === "download" && { source: step.url.slice(0, MAX_RECORDED_CHARACTERS) }),
    decision: isAgreed ? "allow" : "deny",
    reason: `${how}: ${describeStep(step)}`.slice(0, MAX_RECORDED_CHARACTERS),
  };
}

export function describeStep(step: ToolStep): string {
  return step.kind === "download" ? `downloading ${step.url} to ${step.path}` : step.argv.join(" ");
}

async function isWanted(
  step: ToolStep,
  { ask, signal = new AbortController().signal }: RunToolOptions,
): Promise<boolean> {
  const isUnchecked = step.kind === "download" && step.digest === undefined;
  const reason = `needs ${step.bins.join(", ")}: ${describeStep(step)}${isUnchecked ? ", with nothing to check it by" : ""}`;
  const question = { kind: "dependencies", skill: step.skill, reason, choices: ["yes", "no"] } as const;
  return (await ask?.(question, { signal }))?.choice === "yes";
}

type Step<Kind extends ToolStep["kind"]> = Extract<ToolStep, { readonly kind: Kind }>;

async function runTool(
  step: Step<"brew" | "npm" | "uv" | "go">,
  { home, environment, signal }: RunToolOptions,
): Promise<ToolResult> {
  const cwd = join(home, "tools");
  await mkdir(cwd, { recursive: true });
  const { ending, exitCode, stdout, stderr } = await runProcess({
    argv: step.argv,
    environment: passedOn(environment, (name) => PASSED.test(name)),
    cwd,
    deadlineMs: DEADLINE_MS,
    ...(signal && { signal }),
  });
  if (ending === "exit" && exitCode === 0) return { step, outcome: "installed" };
  const said = textOf(stderr) || textOf(stdout);
  const how = ending === "exit" ? `ended with ${exitCode ?? "a signal"}` : `was ended: ${ending}`;
  const reason = `${basename(step.argv[0])} ${how}. ${said.slice(-MAX_SHOWN_CHARACTERS)}`.trim();
  return { step, outcome: "failed", reason };
}

function textOf({ head, tail }: CapturedOutput): string {
  return new TextDecoder().decode(tail.length > 0 ? tail : head).trim();
}

// Enough for package managers to find their own folders and a proxy, but without tokens.
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TMPDIR|XDG_[A-Z_]+|HOMEBREW_PREFIX|HOMEBREW_CELLAR|GOPATH|GOBIN|GOPROXY|GOFLAGS|(?:https?|no|all)_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS)$/i;

async function fetchTool(step: Step<"download">, { fetching }: RunToolOptions): Promise<ToolResult> {
  const { url, path, unpack } = step;
  try {
    const { bytes } = await download(url, fetching);
    const digest = digestBytes(bytes);
    if (step.digest !== undefined && digest !== step.digest) {
      const reason = `${url} gave ${digest} instead of ${step.digest}; nothing was written.`;
      return { step, outcome: "failed", reason };
    }
    await mkdir(dirname(path), { recursive: true });
    if (unpack) {
      const staged = `${path}.new`;
      await removeTree(staged);
      await stageTree(staged, unpackArchive(bytes, { name: url, limits: fetching.limits }));
      await removeTree(path);
      await rename(staged, path);
    } else await writeAtomic(path, bytes, { mode: 0o755, links: "refuse" });
    return { step, outcome: "installed" };
  } catch (error) {
    if (SkilletError.isInstance(error)) return { step, outcome: "failed", reason: error.message };
    const errno = errorCode(error);
    if (errno === undefined) throw error;
    const reason = `${path} cannot be written (${errno}); check its permissions and free space.`;
    return { step, outcome: "failed", reason };
  }
}
