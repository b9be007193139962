import { inspect } from "node:util";
import { SkilletError } from "@skillet/kit/errors";
import type { ToolCall } from "../../policy/check-tool-call.ts";
import type { Recorder, RefusalRecord } from "./session-record.ts";

const MAX_SUBJECT_CHARACTERS = 500;

export class RefusalLog {
  readonly #recorder: Recorder;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /** Does something; when it is refused, that is on record before the caller hears of it. */
  async watch<Result>(
    what: RefusalRecord["what"],
    subject: string,
    action: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await action();
    } catch (error) {
      if (SkilletError.isInstance(error)) await this.add({ what, subject, error });
      throw error;
    }
  }

  async add({ what, subject, error, rule }: Omit<RefusalRecord, "kind" | "skillName">): Promise<void> {
    await this.#recorder.append({
      kind: "refusal",
      what,
      subject: subject.slice(0, MAX_SUBJECT_CHARACTERS),
      error: { code: error.code, message: error.message },
      ...(rule !== undefined && { rule }),
    });
  }
}

/** A tool call on one line, whatever the host passes: not every value is JSON. */
export function describeCall({ tool, input }: ToolCall): string {
  if (input === undefined) return tool;
  const text =
    typeof input === "string" ? input : inspect(input, { depth: 3, breakLength: Number.POSITIVE_INFINITY });
  return `${tool} ${text}`;
}
