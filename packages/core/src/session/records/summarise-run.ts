import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type JournalEntry, readJournal, runNotFound } from "./journal.ts";
import type { JournalRecord } from "./record-shape.ts";
import type {
  ActivationRecord,
  ForkRecord,
  ImplicitUseRecord,
  OfferRecord,
  OutcomeRecord,
  RefusalRecord,
  ResourceReadRecord,
  ScriptExecutionRecord,
} from "./session-record.ts";

/** One thing that happened in a run, for people. */
export interface TimelineEvent {
  readonly sequence: number;
  readonly time: string;
  readonly runId: string;
  readonly what:
    | "policy"
    | "activate"
    | "read"
    | "run"
    | "tool"
    | "command"
    | "dependencies"
    | "fork"
    | "compact"
    | "turn"
    | "offer"
    | "use"
    | "outcome"
    | "resources"
    | "recover";
  readonly skill?: string;
  /** What it was about: a path, a tool with its input, a child. */
  readonly subject?: string;
  /** `asked`: the policy had a question, which the host puts to a person. */
  readonly outcome: "done" | "already-loaded" | "asked" | "refused" | "failed";
  readonly reason?: string;
}

/** What happened in a run, in order, and what of it could not be read. */
export interface RunSummary {
  readonly runFolder: string;
  readonly events: readonly TimelineEvent[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Tells what happened in a run as a timeline.
 *
 * @example
 * const { events } = await summariseRun(".skillet/runs/42");
 * for (const { time, what, skill, outcome } of events) console.log(time, what, skill, outcome);
 */
export async function summariseRun(
  runFolder: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<RunSummary> {
  const { exists, entries, diagnostics } = await readJournal(runFolder, options);
  if (!exists) throw runNotFound(runFolder);
  return { runFolder, events: entries.map(describe), diagnostics };
}

type Told = Omit<TimelineEvent, "sequence" | "time" | "runId">;

function describe({ sequence, time, runId, record }: JournalEntry): TimelineEvent {
  return { sequence, time, runId, ...tell(record) };
}

function tell(record: JournalRecord): Told {
  switch (record.kind) {
    case "activation":
      return tellActivation(record);
    case "resource-read":
      return { what: "read", skill: record.skillName, subject: record.path, ...outcomeOf(record) };
    case "script-execution":
      return { what: "run", skill: record.skillName, subject: record.path, ...outcomeOfScript(record) };
    case "refusal":
      return tellRefusal(record);
    case "fork":
      return tellFork(record);
    case "turn-ended":
      return { what: "turn", outcome: "done", reason: "ended" };
    case "offer":
      return tellOffer(record);
    case "implicit-use":
      return tellImplicitUse(record);
    case "outcome":
      return tellOutcome(record);
    case "compaction":
      return {
        what: "compact",
        outcome: "done",
        reason: `kept ${record.kept.join(", ") || "nothing"}${record.dropped.length === 0 ? "" : `, dropped ${record.dropped.join(", ")}`}`,
      };
    case "policy": {
      const { mode, interactive, skills, roots } = record;
      const reason = `${count(skills.length, "skill")} from ${count(roots.length, "root")}`;
      return {
        what: "policy",
        subject: `${mode}, ${interactive ? "interactive" : "batch"}`,
        outcome: "done",
        reason,
      };
    }
    case "recovery": {
      const reason = `a line of ${count(record.bytes, "byte")} was cut short by a crash and moved aside`;
      return { what: "recover", subject: record.file, outcome: "done", reason };
    }
  }
}

function tellActivation(record: ActivationRecord): Told {
  const { name, source, duplicate, drifted } = record;
  const given = record.arguments;
  return {
    what: "activate",
    skill: name,
    ...(given === undefined || given === "" ? {} : { subject: given }),
    outcome: duplicate ? "already-loaded" : "done",
    reason: `asked by ${source}${drifted ? ", with a file that had changed since the snapshot" : ""}`,
  };
}

function outcomeOfScript(record: ScriptExecutionRecord): Pick<Told, "outcome" | "reason"> {
  const { status, outcome, exitCode, signal, limit, sandbox } = record;
  if (status === "error" || (exitCode ?? signal ?? outcome) === undefined) return outcomeOf(record);
  const end =
    outcome === "timed-out"
      ? "ended at its deadline"
      : outcome === "cancelled"
        ? "cancelled"
        : signal === undefined
          ? `exit code ${exitCode}`
          : `ended by ${signal}`;
  const bound = limit === undefined ? "" : `, at its limit of ${limit}`;
  const place = sandbox?.place === undefined ? "" : `, on ${sandbox.place}`;
  const confinement = sandbox?.strength === "none" ? ", without a sandbox" : "";
  const isDone = exitCode === 0 && (outcome ?? "executed") === "executed";
  return { outcome: isDone ? "done" : "failed", reason: `${end}${bound}${place}${confinement}` };
}

function outcomeOf(record: ResourceReadRecord | ScriptExecutionRecord): Pick<Told, "outcome" | "reason"> {
  const { error } = record;
  if (record.status === "error")
    return { outcome: "refused", ...(error && { reason: `${error.code}: ${error.message}` }) };
  if (record.digestMatchesRegistry === false)
    return { outcome: "done", reason: "the file had changed since it was indexed" };
  return { outcome: "done" };
}

function tellRefusal({ what, skillName, subject, error, rule }: RefusalRecord): Told {
  return {
    what,
    ...(skillName === undefined ? {} : { skill: skillName }),
    subject,
    outcome: error.code === "tool-ask" ? "asked" : "refused",
    reason: `${error.code === "tool-ask" ? "" : `${error.code}: `}${error.message}${rule === undefined ? "" : ` (${rule})`}`,
  };
}

function tellFork({ event, childRunId, skills, summaryCharacters }: ForkRecord): Told {
  const reason =
    event === "started"
      ? `began with ${skills.length === 0 ? "no skills" : skills.join(", ")}`
      : `gave back a summary of ${count(summaryCharacters ?? 0, "character")}`;
  return { what: "fork", subject: childRunId, outcome: "done", reason };
}

function tellOffer({ skills, message }: OfferRecord): Told {
  const namesOf = (wanted: "activate" | "suggest"): string =>
    skills
      .filter(({ tier }) => tier === wanted)
      .map(({ name }) => name)
      .join(", ");
  const [sure, named] = [namesOf("activate"), namesOf("suggest")];
  const reason = [sure && `to be used: ${sure}`, named && `named: ${named}`].filter(Boolean).join("; ");
  return {
    what: "offer",
    ...(message !== undefined && { subject: message }),
    outcome: "done",
    reason: reason || "nothing",
  };
}

function tellImplicitUse({ name, how, certainty, subject }: ImplicitUseRecord): Told {
  const reason = `${certainty === "sure" ? "" : "likely, "}${USES[how]}`;
  return { what: "use", skill: name, subject, outcome: "done", reason };
}

const USES: Readonly<Record<ImplicitUseRecord["how"], string>> = {
  script: "the agent ran it",
  instructions: "the agent read its instructions",
  resource: "the agent read it",
  command: "the agent called a program that it is about",
};

function tellOutcome({ name, outcome, message }: OutcomeRecord): Told {
  return {
    what: "outcome",
    skill: name,
    ...(message !== undefined && { subject: message }),
    outcome: "done",
    reason: outcome === "wrong" ? "the wrong skill" : outcome,
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
