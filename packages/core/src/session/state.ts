import { SkilletError } from "@skillet/kit/errors";
import { askPerson, type Question } from "../ask.ts";
import type { UseDetector } from "../behaviour/use-detector.ts";
import type { FindObstacles } from "../catalog/visible-skills.ts";
import type { Config, PolicyMode } from "../config/config.ts";
import type { ConfigLayer } from "../config/config-layer.ts";
import type { Narrowing } from "../policy/narrowing.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { Selector } from "../selection.ts";
import type { SkillVetter, Vetting } from "../vetting/skill-vetter.ts";
import type { ActiveSkill } from "./active-skills.ts";
import type { OutcomeMemory } from "./outcome/turn-reader.ts";
import type { Recorder } from "./records/recorder.ts";
import type { AllowedScript, ScriptAllowlist } from "./run/script-allowlist.ts";
import type { ScriptRunner } from "./script-runner.ts";
import type { NamedSkills } from "./search/resolve-mentions.ts";
import type { UsableSkills } from "./search/usable-skills.ts";
import type { SkillSecrets } from "./secrets.ts";
import type { SessionOptions } from "./session.ts";
import type { SkillReader } from "./skill-reader.ts";

/** What a session is opened over. */
export interface SessionParts {
  readonly snapshot: Snapshot;
  readonly reader: SkillReader;
  readonly config: Config;
  /** The layers of the config: rules combine over them by the strictest. */
  readonly layers: readonly ConfigLayer[];
  /** What `~` means in rules for paths. */
  readonly userHome: string;
  /** The folder that scripts start in: canonical, and on this machine. */
  readonly workspace: string;
  /** Judges skills before they are offered; without it none is judged. */
  readonly vetter: SkillVetter | undefined;
  /** The selector over everything that a session could have, made when it is first asked for. */
  readonly openSelector: () => Promise<Selector>;
}

/** What a child session is held to. */
export interface ParentLimits {
  readonly runId: string;
  readonly mode: PolicyMode;
  /** The only skills that the child has. */
  readonly skills: ReadonlySet<Skill>;
  /** Every level must cover what the child does. */
  readonly narrowing: readonly (readonly Narrowing[])[];
  /** Each is on the parent's own list. */
  readonly scripts: readonly AllowedScript[];
  /** The folders that no script may write, the parents' records among them. */
  readonly protect: readonly string[];
  readonly vetted: Map<Skill, Vetting>;
}

/** One conversation: what it was opened with, and below what happens in it. The functions of this folder work on it. */
export interface SessionState extends SessionParts {
  readonly options: SessionOptions;
  readonly mode: PolicyMode;
  readonly interactive: boolean;
  readonly parent: ParentLimits | undefined;
  readonly recorder: Recorder;
  readonly memory: OutcomeMemory;
  /** What may be used in locked mode: names and patterns. */
  readonly allowed: readonly string[];
  readonly isAllowed: (qualifiedName: string) => boolean;
  /** The skills of the profile, which are listed first. */
  readonly preferred: readonly string[];
  readonly obstacles: Readonly<Record<"model" | "user", FindObstacles>>;
  readonly runner: ScriptRunner | undefined;
  readonly allowlist: ScriptAllowlist;
  /** Folders that no script may write. */
  readonly protect: readonly string[];

  hasEnded: boolean;
  turn: Turn;
  readonly secrets: SkillSecrets;
  readonly vetted: Map<Skill, Vetting>;
  /** The files of skills as they were when they were last loaded, by qualified name; later reads are compared with that. */
  readonly frozen: Map<string, ResourceIndex>;
  /** The instructions that the model has been given, by qualified name, the latest last. */
  readonly active: Map<string, ActiveSkill>;
  /** What every skill that was activated narrows, by qualified name. */
  readonly narrowings: Map<string, Narrowing>;
  /** Questions about scripts that a person said yes to, or that are being asked. */
  readonly scriptAnswers: Map<string, Promise<boolean>>;
  readonly getDetector: () => Promise<UseDetector>;
  /** Never written: short messages could be guessed from a plain digest. */
  readonly messageKey: Uint8Array;
  /** Found out when first needed; forgotten when values that were given may have made more skills usable. */
  usable: UsableSkills | undefined;
  named: NamedSkills | undefined;
  selector: { readonly skills: readonly Skill[]; readonly opening: Promise<Selector> } | undefined;
}

/** What holds until the turn ends. */
export interface Turn {
  narrowing: readonly Narrowing[];
  /** Skills whose use is on record. */
  readonly seen: Set<Skill>;
  /** Those of which it was a guess: one that becomes certain is worth a second record. */
  readonly guessed: Set<Skill>;
  isMessageRecorded: boolean;
}

export function newTurn(narrowing: readonly Narrowing[] = []): Turn {
  return { narrowing, seen: new Set(), guessed: new Set(), isMessageRecorded: false };
}

export function checkOpen({ hasEnded, recorder: { runId } }: SessionState): void {
  if (!hasEnded) return;
  throw new SkilletError("session-ended", "The session has ended; open another one.", { data: { runId } });
}

export function refusesDrift({ options, mode, interactive }: SessionState): boolean {
  const isStrict = mode === "locked" || !interactive;
  return (options.onDrift ?? (isStrict ? "refuse" : "report")) === "refuse";
}

/** Whether a person allows something; nobody there, a failure or no answer in time means no. */
export async function askToAllow(
  { interactive, options }: SessionState,
  question: Omit<Question, "choices">,
): Promise<boolean> {
  if (!interactive) return false;
  const answer = await askPerson(options.ask, { ...question, choices: ["allow", "deny"] });
  return answer?.choice === "allow";
}

/** Waits for something; a SkilletError becomes what `recover` makes of it, and everything else is thrown on. */
export async function onRefusal<Result, Other>(
  action: Promise<Result>,
  recover: (error: SkilletError) => Other,
): Promise<Result | Other> {
  try {
    return await action;
  } catch (error) {
    if (SkilletError.isInstance(error)) return recover(error);
    throw error;
  }
}
