import type { Diagnostic } from "@skillet/kit/diagnostics";
import { present } from "@skillet/kit/json";
import type { CallOptions } from "../../ask.ts";
import { readJournal, runNotFound } from "./journal.ts";
import type {
  HookRecord,
  ImplicitUseRecord,
  JournalRecord,
  OfferRecord,
  RefusalRecord,
  ResourceReadRecord,
  ScriptExecutionRecord,
} from "./session-record.ts";

export interface TimelineEvent {
  readonly sequence: number;
  readonly time: string;
  readonly runId: string;
  readonly what:
    | RefusalRecord["what"]
    | "policy"
    | "read"
    | "run"
    | "compact"
    | "hook"
    | "turn"
    | "offer"
    | "use"
    | "outcome"
    | "recover";
  readonly skill?: string;
  readonly subject?: string;
  /** `asked`: the policy asks, and the host passes the question to the user. */
  readonly outcome: "done" | "already-loaded" | "asked" | "refused" | "failed";
  readonly reason?: string;
}

export interface RunSummary {
  readonly runFolder: string;
  readonly events: readonly TimelineEvent[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The events of a run as a timeline. */
export async function summariseRun(runFolder: string, options: CallOptions = {}): Promise<RunSummary> {
  const { exists, entries, diagnostics } = await readJournal(runFolder, options);
  if (!exists) throw runNotFound(runFolder);
  const events = entries.map(({ sequence, time, runId, record }): TimelineEvent => {
    const { what, skill, subject, outcome = "done", reason } = tell(record);
    return present<TimelineEvent>({ sequence, time, runId, what, skill, subject, outcome, reason });
  });
  return { runFolder, events, diagnostics };
}

type Told = Pick<TimelineEvent, "what"> & {
  readonly [Key in "skill" | "subject" | "outcome" | "reason"]?: TimelineEvent[Key] | undefined;
};

function tell(record: JournalRecord): Told {
  switch (record.kind) {
    case "activation":
      return {
        what: "activate",
        skill: record.name,
        subject: record.arguments || undefined,
        outcome: record.duplicate ? "already-loaded" : "done",
        reason: `asked by ${record.source}${record.drifted ? ", with a file that had changed since the snapshot" : ""}`,
      };
    case "resource-read":
      return { what: "read", skill: record.skillName, subject: record.path, ...tellFile(record) };
    case "script-execution":
      return { what: "run", skill: record.skillName, subject: record.path, ...tellScript(record) };
    case "refusal":
      return tellRefusal(record);
    case "fork": {
      const { event, childRunId, skills, summaryCharacters } = record;
      const reason =
        event === "started"
          ? `began with ${skills.length === 0 ? "no skills" : skills.join(", ")}`
          : `gave back a summary of ${count(summaryCharacters ?? 0, "character")}`;
      return { what: "fork", subject: childRunId, reason };
    }
    case "turn-ended":
      return { what: "turn", reason: "ended" };
    case "offer":
      return { what: "offer", subject: record.message, reason: listOffered(record) };
    case "implicit-use": {
      const reason = `${record.certainty === "sure" ? "" : "likely, "}${USES[record.how]}`;
      return { what: "use", skill: record.name, subject: record.subject, reason };
    }
    case "outcome": {
      const reason = record.outcome === "wrong" ? "the wrong skill" : record.outcome;
      return { what: "outcome", skill: record.name, subject: record.message, reason };
    }
    case "compaction": {
      const dropped = record.dropped.length === 0 ? "" : `, dropped ${record.dropped.join(", ")}`;
      return { what: "compact", reason: `kept ${record.kept.join(", ") || "nothing"}${dropped}` };
    }
    case "hook":
      return tellHook(record);
    case "policy": {
      const { mode, interactive, skills, offered, roots } = record;
      const reason = `${count(offered?.count ?? skills.length, "skill")} from ${count(roots.length, "root")}`;
      return { what: "policy", subject: `${mode}, ${interactive ? "interactive" : "batch"}`, reason };
    }
    case "recovery": {
      const reason = `a line of ${count(record.bytes, "byte")} was cut short by a crash and moved aside`;
      return { what: "recover", subject: record.file, reason };
    }
  }
}

function tellHook({ plugin, event, tool, outcome, reason }: HookRecord): Told {
  const subject = `${event} of ${plugin}${tool === undefined ? "" : ` for ${tool}`}`;
  return { what: "hook", subject, outcome: outcome === "passed" ? "done" : outcome, reason };
}

function tellScript(record: ScriptExecutionRecord): Pick<Told, "outcome" | "reason"> {
  const { status, outcome, exitCode, signal, limit, sandbox, grants, args, diagnostics } = record;
  if (status === "error" || (exitCode ?? signal ?? outcome) === undefined) return tellFile(record);
  const ended = signal === undefined ? `exit code ${exitCode}` : `ended by ${signal}`;
  const end =
    outcome === "timed-out" ? "ended at its deadline" : outcome === "cancelled" ? "cancelled" : ended;
  const bound = limit === undefined ? "" : `, at its limit of ${limit}`;
  const place = sandbox?.place === undefined ? "" : `, on ${sandbox.place}`;
  const isDone = exitCode === 0 && (outcome ?? "executed") === "executed";
  const list = (name: string, values: readonly string[] = []): string =>
    values.length === 0 ? "" : `; ${name}: ${values.join(" ")}`;
  const given = `${list("arguments", args)}${list("network", grants?.network)}${list("writable", grants?.writable)}`;
  const warnings = diagnostics.filter(({ severity }) => severity === "warning");
  const told = warnings.map(({ message }) => `; ${message.replace(/\.$/, "")}`).join("");
  return { outcome: isDone ? "done" : "failed", reason: `${end}${bound}${place}${given}${told}` };
}

function tellFile(record: ResourceReadRecord | ScriptExecutionRecord): Pick<Told, "outcome" | "reason"> {
  const { error, status, digestMatchesRegistry } = record;
  if (status === "error") return { outcome: "refused", reason: error && `${error.code}: ${error.message}` };
  return digestMatchesRegistry === false ? { reason: "the file had changed since it was indexed" } : {};
}

function tellRefusal({ what, skillName, subject, error, rule }: RefusalRecord): Told {
  const isQuestion = error.code === "tool-ask";
  const reason = `${isQuestion ? "" : `${error.code}: `}${error.message}${rule === undefined ? "" : ` (${rule})`}`;
  return { what, skill: skillName, subject, outcome: isQuestion ? "asked" : "refused", reason };
}

function listOffered({ skills }: OfferRecord): string {
  const namesOf = (wanted: "activate" | "suggest"): string =>
    skills
      .filter(({ tier }) => tier === wanted)
      .map(({ name }) => name)
      .join(", ");
  const [sure, named] = [namesOf("activate"), namesOf("suggest")];
  return [sure && `to be used: ${sure}`, named && `named: ${named}`].filter(Boolean).join("; ") || "nothing";
}

const USES: Readonly<Record<ImplicitUseRecord["how"], string>> = {
  script: "the agent ran it",
  instructions: "the agent read its instructions",
  resource: "the agent read it",
  command: "the agent called a program that it is about",
};

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
