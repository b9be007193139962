import type { Ask } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { Interruption } from "../run/interruption.ts";
import { type CommandHub, openCommandHub } from "./open-command-hub.ts";
import { createProgressLine, type ProgressLine } from "./progress-line.ts";

/** What the work of a hub command gets. */
export interface HubWork extends CommandHub {
  readonly progress: ProgressLine;
  readonly signal: AbortSignal;
}

/** Opens the hub, does a command's work with it, and ends it properly when somebody interrupts. */
export async function withHub(
  context: CommandContext,
  options: {
    readonly project: boolean;
    readonly dryRun?: boolean;
    readonly ask?: (progress: ProgressLine) => Ask | undefined;
  },
  work: (hub: HubWork) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { terminal, json } = context;
  const progress = createProgressLine(terminal, { json });
  const interruption = new Interruption({ ...context, terminal: { ...terminal, isErrorTerminal: false } });
  const { signal } = interruption;
  try {
    const opened = await openCommandHub(context, {
      project: options.project,
      dryRun: options.dryRun ?? false,
      ask: options.ask?.(progress),
      onStep: (step) => progress.show(step),
      signal,
    });
    return await work({ ...opened, progress, signal });
  } catch (error) {
    if (SkilletError.isInstance(error) && isNo(error)) throw noOf(error);
    if (interruption.exitCode === undefined || !interruption.explains(error)) throw error;
    progress.clear();
    terminal.warn("Stopped. Whatever was begun is undone or completed by the next command.");
    return interruption.exitCode;
  } finally {
    progress.clear();
    interruption.release();
  }
}

// Something is in the way, or not there, which is a no and nothing that broke.
const NOS: ReadonlySet<string> = new Set([
  "edited",
  "lock-changed",
  "not-installed",
  "no-earlier-version",
  "version-ambiguous",
  "plugin-changed",
  "target-occupied",
]);

// Nothing can be had from a source: the same answer, whether one command asks for it or another.
const UNAVAILABLE: ReadonlySet<string> = new Set([
  "address-refused",
  "archive-refused",
  "digest-mismatch",
  "offer-not-found",
  "nothing-to-install",
  "source-changed",
  "source-not-found",
  "source-outside-project",
  "source-too-large",
  "source-unreadable",
]);

// What was written wrong is no matter of the source.
const MISWRITTEN: ReadonlySet<string> = new Set(["npm-name-invalid", "oci-reference-malformed"]);

function isNo({ code }: SkilletError): boolean {
  if (NOS.has(code) || UNAVAILABLE.has(code)) return true;
  return /^(?:git|http|index|npm|oci)-/.test(code) && !MISWRITTEN.has(code);
}

function noOf({ code, message, data }: SkilletError): CliError {
  const hints = code === "edited" ? ["Pass --discard to lose the edits."] : [];
  return new CliError(code, message, { exitCode: 1, hints, details: data });
}
