import { createHmac, randomBytes } from "node:crypto";
import { callInvalid, SkilletError } from "@skillet/kit/errors";
import { onceUntilSuccess } from "@skillet/kit/once-until-success";
import { cutText, removeHidden } from "@skillet/kit/text";
import { loadUseDetector } from "../../behaviour/load-use-detector.ts";
import type { AgentEvent, DetectedUse, UseDetector } from "../../behaviour/use-detector.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SessionCore } from "../equip-session.ts";
import type { OfferedSkill, OfferRecord, OutcomeRecord } from "../records/session-record.ts";

/** What a host says came of a skill. */
export interface SkillOutcome {
  /** A name, qualified where there are several. */
  readonly skill: string;
  /** Wrong: it was loaded or offered for something that it is not for. */
  readonly outcome: "used" | "ignored" | "wrong";
  /** What it was offered for; default: what the turn's offer was about. */
  readonly message?: string;
}

/** As much of a message as is worth learning from. */
const MAX_EXCERPT_CHARACTERS = 400;

// Cleaning looks at every character, and what is pasted can be a megabyte.
const MAX_CLEANED_CHARACTERS = 8_000;

const OUTCOMES: readonly string[] = ["used", "ignored", "wrong"] satisfies readonly SkillOutcome["outcome"][];

export class SessionOutcomes {
  readonly #core: SessionCore;
  // Never written: short messages could be guessed from a plain digest.
  readonly #key = randomBytes(32);
  // Made when first needed: it resolves the place of every skill.
  readonly #getDetector: () => Promise<UseDetector>;
  #seen = new Set<Skill>();
  // A guess that becomes certain is worth a second record.
  #guessed = new Set<Skill>();
  #isMessageRecorded = false;

  constructor(core: SessionCore) {
    this.#core = core;
    this.#getDetector = onceUntilSuccess(async () => {
      const { createUseDetector } = await loadUseDetector();
      return createUseDetector(core.skills.usableByAnyone());
    });
  }

  /** Which skills something that the agent did belongs to; each is recorded once a turn. */
  async observe(event: AgentEvent): Promise<readonly DetectedUse[]> {
    const detector = await this.#getDetector();
    const uses = detector.detect(event);
    const isNew = ({ skill, certainty }: DetectedUse): boolean =>
      !this.#seen.has(skill) && (certainty === "sure" || !this.#guessed.has(skill));
    const fresh = uses.filter(isNew);
    for (const { skill, certainty } of fresh) (certainty === "sure" ? this.#seen : this.#guessed).add(skill);
    for (const { skill, how, certainty, subject } of fresh)
      await this.#core.recorder.append({
        kind: "implicit-use",
        name: skill.qualifiedName,
        how,
        certainty,
        subject: this.#core.secrets.redact(subject),
      });
    return uses;
  }

  endTurn(): void {
    this.#seen = new Set();
    this.#guessed = new Set();
    this.#isMessageRecorded = false;
  }

  /**
   * Records what a decision offered for a message.
   *
   * An offer of nothing is none; but where texts are recorded, the turn's is, so that a skill which is used all the same
   * can be learned from: those are the messages that selection misses.
   */
  async offer(
    message: string,
    offered: readonly { readonly skill: Skill; readonly tier: OfferedSkill["tier"] }[],
  ): Promise<void> {
    const isText = this.#core.options.recordMessages === true;
    if (offered.length === 0 && (!isText || this.#isMessageRecorded)) return;
    this.#isMessageRecorded = true;
    const skills = offered.map(({ skill, tier }) => ({ name: skill.qualifiedName, tier }));
    await this.#core.recorder.append({ kind: "offer", skills, ...this.#describe(message) });
  }

  /** Records what the host says about a skill of the session, which `resolve` finds by name. */
  async say(said: SkillOutcome, resolve: (name: string) => Skill): Promise<void> {
    checkOutcome(said);
    const { outcome, message } = said;
    const skill = resolve(said.skill);
    if (!OUTCOMES.includes(outcome))
      throw new SkilletError(
        "invalid-outcome",
        `There is no outcome ${JSON.stringify(outcome)}; pass "used", "ignored" or "wrong".`,
        { data: { outcome } },
      );
    const record: OutcomeRecord = { kind: "outcome", name: skill.qualifiedName, outcome };
    await this.#core.recorder.append({
      ...record,
      ...(message !== undefined && this.#describe(message)),
    });
  }

  #describe(message: string): Pick<OfferRecord, "message" | "messageDigest"> {
    if (this.#core.options.recordMessages === true) return { message: this.#excerpt(message) };
    return { messageDigest: `sha256:${createHmac("sha256", this.#key).update(message).digest("hex")}` };
  }

  // Secrets before anything is cut, because half of one is not found any more; and after what was hidden in them is gone.
  #excerpt(message: string): string {
    const { secrets } = this.#core;
    const cleaned = removeHidden(secrets.redact(message).slice(0, MAX_CLEANED_CHARACTERS));
    return cutText(secrets.redact(cleaned).replace(/\s+/g, " ").trim(), MAX_EXCERPT_CHARACTERS);
  }
}

function checkOutcome(said: SkillOutcome): void {
  if (typeof said !== "object" || said === null) throw callInvalid("The outcome", OUTCOME_SHAPE);
  const { skill, message }: { readonly skill?: unknown; readonly message?: unknown } = said;
  if (typeof skill !== "string" || skill === "")
    throw callInvalid("`skill` of the outcome", "a skill's name");
  if (message !== undefined && typeof message !== "string")
    throw callInvalid("`message` of the outcome", "a text, or leave it out");
}

const OUTCOME_SHAPE = '{ skill, outcome }, such as { skill: "pdf", outcome: "used" }';
