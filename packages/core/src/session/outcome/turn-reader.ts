import type { Digest } from "@skillet/kit/digest";
import type { Snapshot } from "../../registry/snapshot.ts";
import type { SelectContext } from "../../selection.ts";
import type { Recorder } from "../records/recorder.ts";
import type {
  ActivationRecord,
  JournalRecord,
  OfferedSkill,
  OfferRecord,
  OutcomeRecord,
  SessionRecord,
} from "../records/session-record.ts";

type KnownSkill = Pick<TurnOutcome, "digest" | "origin">;

/** Far more than decisions offer, which name a handful of skills. */
const MAX_TURN_SKILLS = 100;

/**
 * Turns records into the outcomes of skills, turn by turn. A skill that a decision loaded does not count as
 * used, or selection would confirm itself. One that was already in context does not count as ignored if it is
 * not loaded again. Skills that the session did not have do not count.
 */
export class TurnReader {
  readonly #skills = new Map<string, KnownSkill>();
  readonly #find: (name: string) => KnownSkill | undefined;
  readonly #keepsSkills: boolean;
  #loaded = new Set<string>();
  #turn = new TurnFacts();

  /** @param find Looks up skills if the session is at hand; default: the skills that its records list. */
  constructor(find?: (name: string) => KnownSkill | undefined) {
    this.#find = find ?? ((name) => this.#skills.get(name));
    this.#keepsSkills = find === undefined;
  }

  take(record: JournalRecord): readonly TurnOutcome[] {
    if (record.kind === "turn-ended") return this.#settle("ended");
    this.#note(record);
    return [];
  }

  /** Settles a turn that never ended: its offers may still be taken up, so none counts as ignored. */
  finish(): readonly TurnOutcome[] {
    return this.#settle("cut-short");
  }

  #note(record: JournalRecord): void {
    if (record.kind === "policy" || record.kind === "offer") this.#learn(...record.skills);
    else if ("name" in record) this.#learn(record);
    if (record.kind === "offer") this.#turn.offer(record, this.#loaded);
    else if (record.kind === "outcome") this.#turn.say(record);
    else if (record.kind === "activation") {
      this.#turn.load(record);
      this.#loaded.add(record.name);
    } else if (record.kind === "implicit-use") {
      // A likely use, such as a program call, counts only with the skill's text in context.
      if (record.certainty === "sure" || this.#loaded.has(record.name)) this.#turn.use(record.name);
    } else if (record.kind === "resource-read" || record.kind === "script-execution") {
      if (record.status !== "error") this.#turn.use(record.skillName);
    } else if (record.kind === "compaction")
      this.#loaded = new Set(record.kept.filter((name) => this.#loaded.has(name)));
  }

  #learn(...named: readonly (Partial<KnownSkill> & { readonly name: string })[]): void {
    for (const { name, digest, origin } of this.#keepsSkills ? named : [])
      if (digest !== undefined && origin !== undefined) this.#skills.set(name, { digest, origin });
  }

  #settle(end: "ended" | "cut-short"): readonly TurnOutcome[] {
    const turn = this.#turn;
    this.#turn = new TurnFacts();
    return turn.outcomes(end).flatMap((outcome): TurnOutcome[] => {
      const skill = this.#find(outcome.name);
      return skill === undefined ? [] : [{ ...outcome, ...skill }];
    });
  }
}

class TurnFacts {
  readonly #offered = new Map<string, { readonly tier: OfferedSkill["tier"]; readonly message?: string }>();
  readonly #loaded = new Set<string>();
  readonly #used = new Set<string>();
  readonly #said = new Map<string, OutcomeRecord>();
  #message: string | undefined;

  offer({ skills, message }: OfferRecord, inContext: ReadonlySet<string>): void {
    this.#message ??= message;
    for (const { name, tier } of skills) {
      if (inContext.has(name) || this.#offered.size >= MAX_TURN_SKILLS) continue;
      // If a turn has two decisions, the surer one counts.
      if (this.#offered.get(name)?.tier === "activate") continue;
      this.#offered.set(name, { tier, ...(message !== undefined && { message }) });
    }
  }

  load({ name, source }: ActivationRecord): void {
    if (source === "preload" || source === "parent") return;
    const isOwnDecision = source === "model" && this.#offered.get(name)?.tier === "activate";
    if (isOwnDecision && this.#loaded.size < MAX_TURN_SKILLS) this.#loaded.add(name);
    if (!isOwnDecision) this.use(name);
  }

  use(name: string): void {
    if (this.#used.size < MAX_TURN_SKILLS) this.#used.add(name);
  }

  say(record: OutcomeRecord): void {
    if (this.#said.has(record.name) || this.#said.size < MAX_TURN_SKILLS) this.#said.set(record.name, record);
  }

  outcomes(end: "ended" | "cut-short"): readonly Omit<TurnOutcome, "digest" | "origin">[] {
    const names = new Set([...this.#offered.keys(), ...this.#used, ...this.#said.keys()]);
    return [...names].flatMap((name) => {
      const outcome = this.#outcomeOf(name, end);
      if (outcome === undefined) return [];
      const isDisplaced = outcome === "ignored" && this.#hasTakenAnother(name);
      const message = this.#said.get(name)?.message ?? this.#offered.get(name)?.message ?? this.#message;
      return [{ name, outcome, isDisplaced, ...(message !== undefined && { message }) }];
    });
  }

  // With one skill loaded, a second is rarely needed; one that was called wrong displaces none.
  #hasTakenAnother(name: string): boolean {
    return [...this.#used, ...this.#loaded].some(
      (other) => other !== name && this.#said.get(other)?.outcome !== "wrong",
    );
  }

  #outcomeOf(name: string, end: "ended" | "cut-short"): TurnOutcome["outcome"] | undefined {
    const said = this.#said.get(name)?.outcome;
    if (said !== undefined) return said;
    if (this.#used.has(name)) return "used";
    const isOpen = end === "cut-short" || this.#loaded.has(name);
    return this.#offered.has(name) && !isOpen ? "ignored" : undefined;
  }
}

export interface TurnOutcome {
  readonly name: string;
  readonly digest: Digest;
  readonly origin: string;
  readonly outcome: "used" | "ignored" | "wrong";
  /** Offered and ignored while another skill was used, or loaded by the decision: weaker evidence. */
  readonly isDisplaced: boolean;
  readonly message?: string;
}

/** A skill that was called wrong counts as ignored twice. */
const WRONG_COUNTS = 2;

/** Listens to the records and so agrees with `skillet eval learn`; a turn counts once it has ended. */
export class OutcomeMemory {
  readonly recorder: Recorder;
  readonly #turns: TurnReader;
  readonly #clock: () => number;
  readonly #uses = new Map<string, { readonly lastUsedAt: number; readonly count: number }>();
  readonly #ignored = new Map<string, number>();

  constructor(
    recorder: Recorder,
    session: { readonly snapshot: () => Snapshot; readonly clock: () => number },
  ) {
    const { snapshot, clock } = session;
    this.#clock = clock;
    // Looked up on demand: a hundred thousand skills are not stored twice.
    this.#turns = new TurnReader((name) =>
      snapshot().skills.find(({ qualifiedName }) => qualifiedName === name),
    );
    this.recorder = {
      ...recorder,
      append: async (record) => {
        await recorder.append(record);
        this.#remember(record);
      },
    };
  }

  context(): Pick<SelectContext, "recentUse" | "ignored"> {
    return { recentUse: { now: this.#clock(), uses: new Map(this.#uses) }, ignored: new Map(this.#ignored) };
  }

  #remember(record: SessionRecord): void {
    for (const { name, outcome, isDisplaced } of this.#turns.take(record)) {
      if (outcome === "used") {
        const count = (this.#uses.get(name)?.count ?? 0) + 1;
        this.#uses.set(name, { lastUsedAt: this.#clock(), count });
        // It was used after all.
        this.#ignored.delete(name);
      } else if (!isDisplaced) {
        const times = outcome === "wrong" ? WRONG_COUNTS : 1;
        this.#ignored.set(name, (this.#ignored.get(name) ?? 0) + times);
      }
    }
  }
}
