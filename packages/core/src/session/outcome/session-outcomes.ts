import { createHmac } from "node:crypto";
import { onceUntilSuccess } from "@skillet/kit/async";
import { callInvalid, SkilletError } from "@skillet/kit/errors";
import { cutText, removeHidden } from "@skillet/kit/text";
import type { CalledBy } from "../../ask.ts";
import type { AgentEvent, DetectedUse, UseDetector } from "../../behaviour/create-use-detector.ts";
import type { Skill } from "../../registry/skill.ts";
import { givenOptions, showValue } from "../model-input.ts";
import type { OfferedSkill, OfferRecord } from "../records/session-record.ts";
import { findNamed, resolveFor } from "../skill-access.ts";
import { usableSkills } from "../skill-view.ts";
import type { SessionState } from "../state.ts";

/** A host's verdict on a skill in one turn. */
export interface SkillOutcome {
  readonly skill: string;
  /** Wrong: it was loaded or offered for something that it is not meant for. */
  readonly outcome: "used" | "ignored" | "wrong";
  /** The message it was offered for; default: that of the turn's offer. */
  readonly message?: string;
}

/** Options for observing an agent's action. */
export interface ObserveOptions {
  readonly calledBy?: CalledBy | undefined;
  /** For a host whose agent has copies of the skills elsewhere; default: one for their real places. */
  readonly detector?: UseDetector | undefined;
}

export async function observe(
  session: SessionState,
  event: AgentEvent,
  given?: UseDetector,
): Promise<readonly DetectedUse[]> {
  const uses = (given ?? (await openDetector(session))).detect(givenOptions(event));
  const { seen, guessed } = session.turn;
  const fresh = uses.filter(
    ({ skill, certainty }) => !seen.has(skill) && (certainty === "sure" || !guessed.has(skill)),
  );
  for (const { skill, certainty } of fresh) (certainty === "sure" ? seen : guessed).add(skill);
  for (const { skill, how, certainty, subject: found } of fresh) {
    const subject = session.secrets.redact(found);
    await session.recorder.append({ kind: "implicit-use", ...nameOf(skill), how, certainty, subject });
  }
  return uses;
}

// Created on first use: most sessions observe nothing, and it resolves the place of every skill.
function openDetector(session: SessionState): Promise<UseDetector> {
  session.detector ??= onceUntilSuccess(async () => {
    const { createUseDetector } = await import("../../behaviour/create-use-detector.ts");
    const skills = [...usableSkills(session, "model"), ...usableSkills(session, "user")];
    return createUseDetector([...new Set(skills)]);
  });
  return session.detector();
}

/** Without an offer, a turn's first message is recorded only if texts are: selection learns from misses. */
export async function recordOffer(
  session: SessionState,
  message: string,
  offered: readonly { readonly skill: Skill; readonly tier: OfferedSkill["tier"] }[],
): Promise<void> {
  const isText = session.options.recordMessages === true;
  if (offered.length === 0 && (!isText || session.turn.isMessageRecorded)) return;
  session.turn.isMessageRecorded = true;
  const skills = offered.map(({ skill, tier }) => ({ ...nameOf(skill), tier }));
  await session.recorder.append({ kind: "offer", skills, ...describeMessage(session, message) });
}

// A large library is not listed in the journal, so learning from a run relies on these fields.
function nameOf({ qualifiedName: name, digest, origin }: Skill): Omit<OfferedSkill, "tier"> {
  return { name, digest, origin };
}

const OUTCOMES: readonly string[] = ["used", "ignored", "wrong"] satisfies readonly SkillOutcome["outcome"][];

export async function recordOutcome(session: SessionState, said: SkillOutcome): Promise<void> {
  checkOutcome(said);
  const { outcome, message } = givenOptions(said);
  const skill =
    findNamed(said.skill, usableSkills(session, "user"), session.snapshot) ??
    resolveFor(session, said.skill, "model");
  const wrong = `There is no outcome ${showValue(outcome)}; pass "used", "ignored" or "wrong".`;
  if (!OUTCOMES.includes(outcome)) throw new SkilletError("invalid-outcome", wrong, { data: { outcome } });
  const about = message === undefined ? {} : describeMessage(session, message);
  await session.recorder.append({ kind: "outcome", ...nameOf(skill), outcome, ...about });
}

function checkOutcome(said: SkillOutcome): void {
  if (typeof said !== "object" || said === null) throw callInvalid("The outcome", OUTCOME_SHAPE);
  const { skill, message }: { readonly skill?: unknown; readonly message?: unknown } = said;
  if (typeof skill !== "string" || skill === "")
    throw callInvalid("`skill` of the outcome", "a skill's name");
  if (message !== undefined && message !== null && typeof message !== "string")
    throw callInvalid("`message` of the outcome", "a text, or leave it out");
}

const OUTCOME_SHAPE = '{ skill, outcome }, such as { skill: "pdf", outcome: "used" }';

// As much of a message as is worth learning from.
const MAX_EXCERPT_CHARACTERS = 400;
// Cleaning scans every character, and pasted text can be a megabyte.
const MAX_CLEANED_CHARACTERS = 8_000;

function describeMessage(
  { options, secrets, messageKey }: SessionState,
  message: string,
): Pick<OfferRecord, "message" | "messageDigest"> {
  if (options.recordMessages !== true)
    return { messageDigest: `sha256:${createHmac("sha256", messageKey).update(message).digest("hex")}` };
  // Redacted before the cut, because half a secret is not found, and again without hidden characters.
  const cleaned = removeHidden(secrets.redact(message).slice(0, MAX_CLEANED_CHARACTERS));
  const excerpt = secrets.redact(cleaned).replace(/\s+/g, " ").trim();
  return { message: cutText(excerpt, MAX_EXCERPT_CHARACTERS) };
}
