import type { Snapshot } from "../../registry/snapshot.ts";
import type { SelectContext } from "../../select/selector.ts";
import type { Recorder, SessionRecord } from "../records/session-record.ts";
import { TurnReader } from "./turn-reader.ts";

/** A skill that was called wrong was not only passed over. */
const WRONG_COUNTS = 2;

/**
 * What a session remembers of its own turns, for the choices of the next ones.
 *
 * It listens to the records, so that what is remembered and what can be learned later are the same. A turn counts when it
 * has ended: its own evidence never predicts itself.
 */
export class OutcomeMemory {
  /** Passes records on and remembers them once they are written. */
  readonly recorder: Recorder;
  readonly #turns: TurnReader;
  readonly #clock: () => number;
  readonly #uses = new Map<string, { readonly lastUsedAt: number; readonly count: number }>();
  readonly #ignored = new Map<string, number>();

  constructor(recorder: Recorder, session: { readonly snapshot: Snapshot; readonly clock: () => number }) {
    const { snapshot, clock } = session;
    this.#clock = clock;
    // Looked up when it is needed: a hundred thousand skills are not kept a second time.
    this.#turns = new TurnReader((name) =>
      snapshot.skills.find(({ qualifiedName }) => qualifiedName === name),
    );
    const { runId, runFolder } = recorder;
    this.recorder = {
      runId,
      ...(runFolder !== undefined && { runFolder }),
      append: async (record) => {
        await recorder.append(record);
        this.#remember(record);
      },
    };
  }

  /** What the turns so far say about skills, by qualified name. */
  context(): Pick<SelectContext, "recentUse" | "ignored"> {
    return { recentUse: { now: this.#clock(), uses: new Map(this.#uses) }, ignored: new Map(this.#ignored) };
  }

  #remember(record: SessionRecord): void {
    for (const { name, outcome, isDisplaced } of this.#turns.take(record)) {
      if (outcome === "used") {
        const count = (this.#uses.get(name)?.count ?? 0) + 1;
        this.#uses.set(name, { lastUsedAt: this.#clock(), count });
        // Whoever took it up after all does not pass it over any more.
        this.#ignored.delete(name);
      } else if (!isDisplaced) {
        const times = outcome === "wrong" ? WRONG_COUNTS : 1;
        this.#ignored.set(name, (this.#ignored.get(name) ?? 0) + times);
      }
    }
  }
}
