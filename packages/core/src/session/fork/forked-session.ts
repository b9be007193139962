import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { ForkRecord, Recorder } from "../records/session-record.ts";
import { SkillSession } from "../skill-session.ts";
import type { SkillSessionParts } from "../skill-session-parts.ts";
import { cleanSummary } from "./clean-summary.ts";
import type { ForkSession } from "./fork-session.ts";

/** What a child knows of its parent. */
export interface ForkLink {
  readonly parent: Recorder;
  /** What was recorded when it began. */
  readonly record: Omit<ForkRecord, "event">;
  /** Rules for tools that could not be understood; they cover nothing. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A child session; `openFork` makes one. */
export class ForkedSession extends SkillSession implements ForkSession {
  readonly #link: ForkLink;

  constructor(parts: SkillSessionParts, link: ForkLink) {
    super(parts);
    this.#link = link;
  }

  get parentRunId(): string {
    return this.#link.parent.runId;
  }

  get context(): string | undefined {
    return this.#link.record.context;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#link.diagnostics;
  }

  async finish(summary: string): Promise<string> {
    const { parent, record } = this.#link;
    const cleaned = cleanSummary(summary);
    await this.end();
    await parent.append({ ...record, event: "returned", summaryCharacters: cleaned.length });
    return cleaned;
  }
}
