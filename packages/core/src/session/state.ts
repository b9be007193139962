import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import { type ApprovalOptions, type AskFailed, askPerson, type Question, unlessAborted } from "../ask.ts";
import type { UseDetector } from "../behaviour/create-use-detector.ts";
import type { CatalogGuidance } from "../catalog/catalog-guidance.ts";
import type { Catalog } from "../catalog/create-catalog.ts";
import type { Config, PolicyMode } from "../config/config.ts";
import type { ConfigLayer } from "../config/config-layer.ts";
import type { AllowedPlugin } from "../plugin/allowed-plugin.ts";
import type { ToolCall } from "../policy/check-tool-call.ts";
import type { Decision } from "../policy/decision.ts";
import type { Narrowing } from "../policy/narrowing.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { Selector } from "../selection.ts";
import type { UseRules } from "../use/may-use.ts";
import type { SkillVetter } from "../vetting/skill-vetter.ts";
import type { ActiveSkill } from "./active-skills.ts";
import type { HookAnswer } from "./hooks/run-hooks.ts";
import { toJson } from "./model-input.ts";
import type { OutcomeMemory } from "./outcome/turn-reader.ts";
import { type Recorder, sessionEnded } from "./records/recorder.ts";
import type { AllowedScript, ScriptAllowlist } from "./run/script-allowlist.ts";
import type { ScriptRunner } from "./script-runner.ts";
import type { SkillSecrets } from "./secrets.ts";
import type { ActivationSource, SessionOptions } from "./session.ts";
import type { Vettings } from "./session-vetting.ts";
import type { SourceReader } from "./skill-reader.ts";
import type { SkillView } from "./skill-view.ts";

/** The registry's side of a session; a refresh replaces it. */
export interface SessionParts {
  readonly snapshot: Snapshot;
  readonly reader: SourceReader;
  readonly config: Config;
  readonly layers: readonly ConfigLayer[];
  readonly userHome: string;
  /** The folder that scripts start in: canonical, and on this machine. */
  readonly workspace: string;
  /** Whether the workspace is in no project, or in one that the user trusts. */
  readonly isTrusted: boolean;
  /** Judges skills before they are offered; without it none is judged. */
  readonly vetter: SkillVetter | undefined;
  readonly plugins: readonly AllowedPlugin[];
  readonly openSelector: () => Promise<Selector>;
  readonly reload: (signal?: AbortSignal) => Promise<SessionParts>;
}

export interface ParentLimits {
  readonly session: SessionState;
  readonly skills: ReadonlySet<Skill>;
  /** A call must be covered at every level. */
  readonly narrowing: readonly (readonly Narrowing[])[];
  readonly scripts: readonly AllowedScript[];
}

/** Derived from configuration, mode and skills; computed again when one of them changes. */
export interface SessionRules extends Omit<UseRules, "interactive" | "layers"> {
  /** Names and patterns of skills that may be used in locked mode. */
  readonly allowed: readonly string[];
  readonly preferred: readonly string[];
  /** The files that the conversation is about, as path segments. */
  readonly filesInPlay: readonly (readonly string[])[] | undefined;
  readonly runner: ScriptRunner | undefined;
  readonly allowlist: ScriptAllowlist;
}

/** One conversation: its options, then what changes in it. The functions of this folder work on it. */
export interface SessionState extends SessionParts, SessionRules {
  readonly options: SessionOptions;
  readonly interactive: boolean;
  readonly parent: ParentLimits | undefined;
  /** Names and patterns of its only skills; a skill must match every list, and a resumed run keeps them. */
  readonly subsets: readonly (readonly string[])[];
  readonly recorder: Recorder;
  readonly memory: OutcomeMemory;
  readonly askFailed: AskFailed;
  /** Folders that no script may write to: the records of this session and of its parents. */
  readonly protect: readonly string[];

  hasEnded: boolean;
  closing: Promise<void> | undefined;
  /** Cancels scripts when the session ends. */
  readonly ending: AbortController;
  /** Calls whose script has started: they are recorded before the records are released. */
  readonly running: Set<Promise<unknown>>;
  /** The mode that the host asked for; the one in force may be stricter. */
  wantedMode: PolicyMode;
  /** Modes asked for since, whose turn has not come: none is stricter than the one in force. */
  readonly pendingModes: PolicyMode[];
  turn: Turn;
  /** The load in progress: two parallel loads of the same text would both return it. */
  loading: Promise<unknown>;
  /** Everything that the registry artefact was last written from. */
  writtenRegistry: readonly unknown[];
  /** Weak: a host that forgets a child without finishing it must not keep it in memory. */
  readonly children: Set<WeakRef<SessionState>>;
  readonly secrets: SkillSecrets;
  readonly vetted: Vettings;
  /** The files of skills when last loaded, by qualified name; later reads are compared with them. */
  readonly frozen: Map<string, ResourceIndex>;
  /** The instructions that the model was given, by qualified name, latest last. */
  readonly active: Map<string, ActiveSkill>;
  /** The narrowing of every activated skill, by qualified name. */
  readonly narrowings: Map<string, Narrowing>;
  /** Those of served skills, until the session ends, even if withdrawn: the model has their text. */
  readonly served: Map<string, Narrowing>;
  /** Questions about scripts that were approved or are being asked. */
  readonly scriptQuestions: Map<
    string,
    { readonly asked: Promise<Asked>; readonly over: AbortController; waiting: number; isApproved: boolean }
  >;
  /** Never stored: short messages could be guessed from a plain digest. */
  readonly messageKey: Uint8Array;
  /** The catalogue that the host got last, and how to make it again. */
  told: ToldCatalog | undefined;
  /** Computed on first use, and dropped when the set of usable skills may have changed. */
  readonly views: Map<ActivationSource, { readonly view: SkillView; readonly version: number }>;
  detector: (() => Promise<UseDetector>) | undefined;
}

export interface ToldCatalog {
  readonly catalog: Pick<Catalog, "text" | "report">;
  readonly again: () => Catalog | Promise<Catalog>;
  readonly guidance: CatalogGuidance | undefined;
}

export interface Turn {
  narrowing: readonly Narrowing[];
  readonly seen: Set<Skill>;
  /** Skills whose use was a guess: if it becomes certain, it is recorded again. */
  readonly guessed: Set<Skill>;
  isMessageRecorded: boolean;
  /** Hooks' answers by call, when a host asks before the call, so that the call does not run them again. */
  readonly hookAnswers: Map<string, readonly HookAnswer[]>;
}

export function newTurn(narrowing: readonly Narrowing[] = []): Turn {
  return { narrowing, seen: new Set(), guessed: new Set(), isMessageRecorded: false, hookAnswers: new Map() };
}

export function rootOf(session: SessionState): SessionState {
  return session.parent === undefined ? session : rootOf(session.parent.session);
}

export function childrenOf({ children }: SessionState): readonly SessionState[] {
  return [...children].flatMap((child) => {
    const present = child.deref();
    if (present === undefined) children.delete(child);
    return present ?? [];
  });
}

export function forgetUsable(session: SessionState): void {
  session.views.clear();
  session.detector = undefined;
}

export function checkOpen({ hasEnded, parent, recorder: { runId } }: SessionState): void {
  if (parent !== undefined) checkOpen(parent.session);
  if (!hasEnded) return;
  throw sessionEnded(runId);
}

export function refusesDrift({ options, mode, interactive }: SessionState): boolean {
  const isStrict = mode === "locked" || !interactive;
  return (options.onDrift ?? (isStrict ? "refuse" : "report")) === "refuse";
}

export interface Asked {
  readonly isAllowed: boolean;
  /** Why it was not allowed; an error from the host's `ask` is for the host and the record. */
  readonly why?: string;
  readonly failure?: unknown;
  /** The host has no `ask`, or passed the answer to another question. */
  readonly isOpen?: true;
}

/** A decision, and the question to the user if it asks. */
export interface Judged extends Decision {
  readonly question: Question;
}

/** A decision after the user was asked; `question` is present while it is open. */
export interface Settled extends Omit<Asked, "isOpen"> {
  readonly decision: Decision;
  readonly question?: Question;
}

/**
 * Asks the user if the decision says so, then decides again: what was denied meanwhile stays denied.
 *
 * @param ask How to ask; default: for this caller alone.
 */
export async function settle(
  session: SessionState,
  { question, ...decision }: Judged,
  { approval, signal }: ApprovalOptions,
  decide: () => Decision,
  ask: () => Promise<Asked> = () => askToAllow(session, question, { approval, signal }),
): Promise<Settled> {
  if (decision.outcome !== "ask") return { isAllowed: decision.outcome === "allow", decision };
  const { isOpen, ...asked } = await unlessAborted(ask(), signal);
  checkOpen(session);
  const now = decide();
  if (now.outcome === "deny") return { isAllowed: false, decision: now };
  if (asked.isAllowed) return { ...asked, decision };
  const reason = `${decision.reason}; ${asked.why}`;
  return { ...asked, decision: { ...decision, reason }, ...(isOpen && { question }) };
}

export const SAID_NO = "a person said no";

/** Whether the user allows something; no user, a failure, an abort or no answer in time means no. */
export async function askToAllow(
  { interactive, options, askFailed }: SessionState,
  question: Question,
  { approval, signal }: ApprovalOptions,
): Promise<Asked> {
  if (!interactive) return { isAllowed: false, why: "there is no one to ask" };
  const { id } = question;
  if (approval !== undefined && (id === undefined || approval.id !== id))
    return { isAllowed: false, why: "the approval is for another call", isOpen: true };
  if (approval === undefined && options.ask === undefined)
    return { isAllowed: false, why: "it waits for approval", isOpen: true };
  let failed: Pick<Asked, "failure" | "why"> = {};
  const answer =
    approval ??
    (await askPerson(
      options.ask,
      question,
      async (asked, failure) => {
        failed = { failure, why: "the host failed to ask the question" };
        await askFailed(asked, failure);
      },
      signal,
    ));
  const why = answer === undefined ? "no one answered" : SAID_NO;
  return answer?.choice === "allow" ? { isAllowed: true } : { isAllowed: false, why, ...failed };
}

/** A question about one call; its id binds the answer to exactly that call of this run or its forks. */
export function questionAbout(
  session: SessionState,
  asked: Pick<Question, "kind" | "skill" | "digest" | "reason"> & { readonly call: ToolCall },
): Question {
  const { kind, skill, digest, call } = asked;
  const { runId } = rootOf(session).recorder;
  const json = toJson([runId, kind, skill, digest, call.tool, call.input]);
  const id = json === undefined ? {} : { id: digestBytes(Buffer.from(json)) };
  return { ...asked, choices: ["allow", "deny"], ...id };
}

export function notOffered({ qualifiedName: skill }: Skill, reason: string, why: object): SkilletError {
  const message = `${showName(skill)} cannot be used: ${reason}.`;
  return new SkilletError("skill-not-offered", message, { data: { skill, ...why } });
}
