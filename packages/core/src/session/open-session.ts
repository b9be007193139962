import { randomBytes, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { createPause, oncePer, onceUntilSuccess } from "@skillet/kit/async";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { callInvalid, SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { cutPath } from "@skillet/kit/glob";
import { quoteName, showLine } from "@skillet/kit/text";
import type { AskFailed, Question } from "../ask.ts";
import { POLICY_MODES, type PolicyMode, type Profile } from "../config/config.ts";
import { createAllowList } from "../policy/decision.ts";
import type { Skill } from "../registry/skill.ts";
import { type Snapshot, settleVersion } from "../registry/snapshot.ts";
import { createSession } from "./create-session.ts";
import { startHooks } from "./hooks/run-hooks.ts";
import { givenTexts, showValue } from "./model-input.ts";
import { OutcomeMemory } from "./outcome/turn-reader.ts";
import { readOffers, sourcesOf } from "./policy-offers.ts";
import { openRecorder, orClose, recordRefusal } from "./records/recorder.ts";
import { createEvents } from "./records/session-events.ts";
import type { PolicyRecord } from "./records/session-record.ts";
import { readAllowed, ScriptAllowlist } from "./run/script-allowlist.ts";
import { SkillSecrets } from "./secrets.ts";
import type { Session, SessionOptions } from "./session.ts";
import { vetAll } from "./session-vetting.ts";
import { freezeAll } from "./skill-reader.ts";
import { indexOf } from "./snapshot-index.ts";
import {
  newTurn,
  type ParentLimits,
  type SessionParts,
  type SessionRules,
  type SessionState,
} from "./state.ts";

export async function openSession(parts: SessionParts, options: SessionOptions = {}): Promise<Session> {
  options.signal?.throwIfAborted();
  const state = await openState(parts, options);
  return orClose(state.recorder, async () => createSession(state, await startHooks(state, "startup")));
}

export async function openState(
  parts: SessionParts,
  asked: SessionOptions,
  given: Partial<Pick<SessionState, "parent" | "subsets">> & { readonly recordedBefore?: number } = {},
): Promise<SessionState> {
  const { parent, recordedBefore = 0 } = given;
  const runId = asked.runId ?? randomUUID();
  const secrets = new SkillSecrets(asked.secrets, parent?.session.secrets);
  const ids = { runId, ...(parent && { parentRunId: parent.session.recorder.runId }) };
  const events = createEvents(asked, ids, (text) => secrets.redact(text));
  const options: SessionOptions = { ...asked, ...(asked.ask && { ask: events.watchAsk(asked.ask) }) };
  const chosen = givenTexts(options.skills, "`skills` of the session");
  givenTexts(options.hostTools, "`hostTools` of the session");
  const { subsets: before = [] } = given;
  // A host that resumes a run many times passes the same list each time.
  const isNew = chosen !== undefined && !before.some((list) => isDeepStrictEqual(list, chosen));
  const subsets = isNew ? [...before, chosen] : before;
  const { clock = Date.now, records, mode: wantedMode = "default" } = options;
  const interactive = options.interactive ?? options.ask !== undefined;
  if (options.profile !== undefined) findProfile(parts, options.profile);
  if (options.freeze !== undefined && options.freeze !== "all")
    throw callInvalid("`freeze`", '"all", or leave it out');
  if (options.recordOutput === true && typeof records !== "string")
    throw callInvalid("`recordOutput`", "it with a folder as `records`");
  const pendingModes: PolicyMode[] = [];
  const rules = await readRules(parts, { options, wantedMode, parent, pendingModes, subsets });
  const failedBefore: Parameters<AskFailed>[] = [];
  const askFailed: AskFailed = async (...failed) => {
    failedBefore.push(failed);
  };
  // Before anything is offered, and before a record says so.
  const vetted =
    parent?.session.vetted ??
    (await vetAll({ ...parts, ...rules, interactive, options, askFailed }, parts.snapshot));
  const memory: OutcomeMemory = new OutcomeMemory(
    events.watchRecords(await openRecorder({ runFolder: records, runId, clock, after: recordedBefore })),
    { snapshot: () => session.snapshot, clock },
  );
  const { recorder } = memory;
  const session: SessionState = {
    ...parts,
    ...rules,
    options,
    interactive,
    wantedMode,
    pendingModes,
    parent,
    subsets,
    recorder,
    memory,
    vetted,
    protect: [
      ...(parent?.session.protect ?? []),
      ...(recorder.runFolder === undefined ? [] : [canonicalPath(recorder.runFolder)]),
    ],
    askFailed: (question, error) => recordFailedQuestion(session, question, error),
    hasEnded: false,
    closing: undefined,
    ending: new AbortController(),
    running: new Set(),
    turn: newTurn(),
    loading: Promise.resolve(),
    writtenRegistry: [],
    children: new Set(),
    secrets,
    frozen: new Map(options.freeze === undefined ? [] : parent?.session.frozen),
    active: new Map(),
    narrowings: new Map(),
    served: new Map(),
    scriptQuestions: new Map(),
    messageKey: randomBytes(32),
    told: undefined,
    views: new Map(),
    detector: undefined,
  };
  return orClose(recorder, async () => {
    // A child uses what its parent froze.
    if (parent === undefined) await freezeAll(session, options.signal);
    await recorder.append(await createPolicyRecord(session));
    for (const [question, error] of failedBefore) await recordFailedQuestion(session, question, error);
    return session;
  });
}

function recordFailedQuestion(
  { recorder, secrets }: SessionState,
  { kind, skill }: Question,
  error: unknown,
): Promise<void> {
  const what =
    kind === "script" || kind === "tool" ? "tool" : kind === "dependencies" ? "dependencies" : "activate";
  const message = showLine(secrets.redact(error instanceof Error ? error.message : showValue(error)));
  return recordRefusal(recorder, { what, subject: skill, error: { code: "ask-failed", message } });
}

type RuleInputs = Pick<SessionState, "options" | "wantedMode" | "pendingModes" | "parent" | "subsets"> &
  Partial<Pick<SessionState, "mode">>;

/** The rules of a session. Only plan mode searches every folder for scripts, to hide skills with scripts. */
export async function readRules(parts: SessionParts, inputs: RuleInputs): Promise<SessionRules> {
  if (![inputs.mode, modeOf(parts, inputs)].includes("plan")) return rulesOf(parts, inputs);
  const { snapshot, reader } = parts;
  const known = scripted.get(snapshot) ?? onceUntilSuccess(() => findScripted(snapshot.skills, reader));
  scripted.set(snapshot, known);
  return rulesOf(parts, inputs, await known());
}

// One per snapshot, so that sessions which share it also share what is derived from this.
const scripted = new WeakMap<Snapshot, () => Promise<SessionRules["hasScripts"]>>();
const ALL_SCRIPTED = (): boolean => true;

async function findScripted(
  skills: readonly Skill[],
  reader: SessionParts["reader"],
): Promise<SessionRules["hasScripts"]> {
  const found = new Set<Skill>();
  const pause = createPause();
  for (const skill of skills) {
    if (await reader.hasScripts(skill)) found.add(skill);
    await pause();
  }
  return (skill) => found.has(skill);
}

/** @param hasScripts Until it is known which skills have scripts, plan mode assumes that all do. */
export function rulesOf(
  parts: SessionParts,
  inputs: RuleInputs,
  hasScripts: SessionRules["hasScripts"] = ALL_SCRIPTED,
): SessionRules {
  const { options, parent } = inputs;
  const { allow = [], runner, files, product, profile: name } = options;
  const mode = modeOf(parts, inputs);
  const { profiles } = parts.config;
  // A profile that the configuration no longer has allows nothing.
  const profile = name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const allowed = [...allow, ...(profile?.skills ?? [])];
  const allowlist = createAllowlist(parts, options, profile, parent);
  return {
    mode,
    allowed,
    isAllowed: allowListOf(allowed),
    preferred: profile?.skills ?? [],
    isChosen: inputs.subsets.length === 0 ? undefined : allowListOf(...inputs.subsets),
    outside: outsideOf(parts.snapshot),
    hasScripts,
    filesInPlay: files?.map(cutPath),
    product,
    // A child without scripts has no runner, and nothing to pass on to its own children.
    runner: parent === undefined || allowlist.scripts.length > 0 ? runner : undefined,
    allowlist,
  };
}

/** A locked configuration does not search these at all; a session may lock over a snapshot that has them. */
const outsideOf = oncePer(({ diagnostics, roots }: Snapshot): ReadonlySet<string> => {
  const told = diagnostics.filter(({ code }) => code === "root-outside-workspace").map(({ file }) => file);
  return new Set(roots.flatMap(({ path, sourceId }) => (told.includes(path) ? [sourceId] : [])));
});

// Sessions that were given the same names share what is derived from them.
const allowLists = new Map<string, SessionRules["isAllowed"]>();
const MAX_ALLOW_LISTS = 64;

/** Whether a name is on all of these lists. */
function allowListOf(...lists: readonly (readonly string[])[]): SessionRules["isAllowed"] {
  const key = JSON.stringify(lists);
  const known = allowLists.get(key);
  if (known !== undefined) return known;
  const tests = lists.map(createAllowList);
  const isAllowed = (name: string): boolean => tests.every((isListed) => isListed(name));
  for (const oldest of allowLists.keys()) if (allowLists.size >= MAX_ALLOW_LISTS) allowLists.delete(oldest);
  allowLists.set(key, isAllowed);
  return isAllowed;
}

export function modeOf({ config }: SessionParts, inputs: RuleInputs): PolicyMode {
  const { wantedMode, pendingModes, parent } = inputs;
  return strictest([config.policy.mode, wantedMode, ...pendingModes, parent?.session.mode ?? "default"]);
}

/** The strictest of some modes; an unknown mode is refused, never treated as the least strict. */
export function strictest(modes: readonly PolicyMode[]): PolicyMode {
  const unknown = modes.find((mode) => !POLICY_MODES.includes(mode));
  if (unknown !== undefined) {
    const message = `There is no mode ${showValue(unknown)}; pass one of ${POLICY_MODES.join(", ")}.`;
    throw new SkilletError("invalid-mode", message, { data: { mode: unknown } });
  }
  return POLICY_MODES.findLast((mode) => modes.includes(mode)) ?? "locked";
}

export function findProfile({ config: { profiles } }: SessionParts, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(profiles);
  const message = `There is no profile ${JSON.stringify(name)} in the configuration; ${known.length === 0 ? "it has none" : `it has ${known.join(", ")}`}.`;
  throw new SkilletError("unknown-profile", message, { data: { profile: name, known } });
}

// The runner's own list plus the profile's. A child has the scripts that it was given instead of the runner's
// list, from a profile those of its own skills, and none that its parent lacks.
function createAllowlist(
  { snapshot }: SessionParts,
  { runner }: SessionOptions,
  profile: Profile | undefined,
  parent: ParentLimits | undefined,
): ScriptAllowlist {
  const ofProfile = new ScriptAllowlist(snapshot, [
    ...readAllowed(profile?.scripts ?? [], "sandbox"),
    ...readAllowed(profile?.hostScripts ?? [], "host"),
  ]);
  return new ScriptAllowlist(
    snapshot,
    parent === undefined
      ? [...readAllowed(runner?.allow ?? [], "sandbox"), ...ofProfile.scripts]
      : [...parent.scripts, ...ofProfile.of(parent.skills)].filter((one) =>
          parent.session.allowlist.has(one),
        ),
  );
}

export async function createPolicyRecord(session: SessionState): Promise<PolicyRecord> {
  const { snapshot, mode, interactive, vetter, allowed, allowlist, parent, subsets } = session;
  const hostScripts = allowlist.written("host");
  await settleVersion(snapshot);
  return {
    kind: "policy",
    mode,
    interactive,
    snapshotVersion: snapshot.version,
    roots: snapshot.roots.map(({ sourceId, path, scope }) => ({ sourceId, path, scope })),
    vetting: vetter?.ruleSet ?? "not scanned",
    ...(await readOffers(session)),
    allowed,
    ...(subsets.length > 0 && { subsets }),
    scripts: allowlist.written("sandbox"),
    ...(hostScripts.length > 0 && { hostScripts }),
    activationSources: sourcesOf(session),
    ...(parent !== undefined && { parentRunId: parent.session.recorder.runId }),
    diagnostics: [
      ...snapshot.diagnostics.filter(({ code }) => TRUST_CODES.has(code)),
      ...unknownSkills(snapshot, subsets.flat()),
    ],
  };
}

function unknownSkills(snapshot: Snapshot, names: readonly string[]): readonly Diagnostic[] {
  const { byQualifiedName } = indexOf(snapshot);
  const unknown = names.filter((name) => !name.includes("*") && !byQualifiedName.has(name.normalize()));
  const hint = "Take it from `qualifiedName` in skills.list().";
  return [...new Set(unknown)].map((name) => {
    const message = `The session was opened for ${quoteName(name)}, which is not the full name of a skill.`;
    return diagnostic("warning", "session-skill-unknown", "skills", message, hint);
  });
}

// Reasons why a skill may not be what it seems: it leads elsewhere, is named like another, or hides files.
const TRUST_CODES: ReadonlySet<string> = new Set(
  "link-outside-root name-conflict name-reserved nested-skill-not-found not-a-file".split(" "),
);
