import { randomBytes, randomUUID } from "node:crypto";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { onceUntilSuccess } from "@skillet/kit/once-until-success";
import { loadUseDetector } from "../behaviour/load-use-detector.ts";
import { createAllowList, createObstacles, type FindObstacles } from "../catalog/visible-skills.ts";
import { POLICY_MODES, type PolicyMode, type Profile } from "../config/config.ts";
import type { Skill } from "../registry/skill.ts";
import { createSession } from "./create-session.ts";
import { OutcomeMemory } from "./outcome/turn-reader.ts";
import { openRecorder, unkeptRecorder } from "./records/recorder.ts";
import type { PolicyRecord } from "./records/session-record.ts";
import { readAllowed, ScriptAllowlist } from "./run/script-allowlist.ts";
import { SkillSecrets } from "./secrets.ts";
import type { ActivationSource, Session, SessionOptions } from "./session.ts";
import { vetAll } from "./session-vetting.ts";
import { hiddenFrom, usableSkills } from "./skill-access.ts";
import { newTurn, type ParentLimits, type SessionParts, type SessionState } from "./state.ts";

export async function openSession(parts: SessionParts, options: SessionOptions = {}): Promise<Session> {
  return createSession(await openState(parts, options));
}

export async function openState(
  parts: SessionParts,
  options: SessionOptions,
  parent?: ParentLimits,
): Promise<SessionState> {
  const { snapshot, reader, config } = parts;
  const { runId = randomUUID(), clock = Date.now, records } = options;
  const mode = strictest([config.policy.mode, options.mode ?? "default", parent?.mode ?? "default"]);
  const interactive = options.interactive ?? options.ask !== undefined;
  const profile = options.profile === undefined ? undefined : findProfile(parts, options.profile);
  const allowed = [...(options.allow ?? []), ...(profile?.skills ?? [])];
  const allowlist = createAllowlist(parts, options, profile, parent);
  const vetted = parent?.vetted ?? new Map();
  // Before anything is offered, and before a record says that it was.
  if (parent === undefined) await vetAll({ ...parts, interactive, options, vetted }, snapshot.skills);
  const memory = new OutcomeMemory(
    records === undefined ? unkeptRecorder(runId) : await openRecorder({ runFolder: records, runId, clock }),
    { snapshot, clock },
  );
  const { recorder } = memory;
  // Plan mode hides skills that could change something, and a script could; only then is every folder looked into.
  const scripted = new Set<Skill>();
  for (const skill of mode === "plan" ? snapshot.skills : [])
    if (await reader.hasScripts(skill)) scripted.add(skill);
  const obstaclesFor = (viewer: "model" | "user"): FindObstacles =>
    createObstacles({
      viewer,
      // Locked mode is decided with the rules, skill by skill.
      ...(mode === "plan" && { mode, hasScripts: (skill: Skill) => scripted.has(skill) }),
      ...(options.files !== undefined && { files: options.files }),
      ...(options.product !== undefined && { product: options.product }),
    });
  const session: SessionState = {
    ...parts,
    ...{ options, mode, interactive, parent, recorder, memory, allowed, allowlist, vetted },
    isAllowed: createAllowList(allowed),
    preferred: profile?.skills ?? [],
    obstacles: { model: obstaclesFor("model"), user: obstaclesFor("user") },
    // A child that was given no scripts has no runner, and nothing to hand on to children of its own.
    runner: parent === undefined || allowlist.scripts.length > 0 ? options.runner : undefined,
    protect: [
      ...(parent?.protect ?? []),
      ...(recorder.runFolder === undefined ? [] : [canonicalPath(recorder.runFolder)]),
    ],
    hasEnded: false,
    turn: newTurn(),
    secrets: new SkillSecrets(options.secrets),
    frozen: new Map(),
    active: new Map(),
    narrowings: new Map(),
    scriptAnswers: new Map(),
    // Made when first needed: it resolves the place of every skill.
    getDetector: onceUntilSuccess(async () => {
      const { createUseDetector } = await loadUseDetector();
      return createUseDetector([
        ...new Set([...usableSkills(session, "model"), ...usableSkills(session, "user")]),
      ]);
    }),
    messageKey: randomBytes(32),
    usable: undefined,
    named: undefined,
    selector: undefined,
  };
  await recorder.append(createPolicyRecord(session));
  return session;
}

/** The strictest of some modes; one that does not exist is refused, never taken for the least strict. */
export function strictest(modes: readonly PolicyMode[]): PolicyMode {
  let rank = 0;
  for (const mode of modes) {
    const found = POLICY_MODES.indexOf(mode);
    if (found === -1)
      throw new SkilletError(
        "invalid-mode",
        `There is no mode ${JSON.stringify(mode)}; pass one of ${POLICY_MODES.join(", ")}.`,
        { data: { mode } },
      );
    rank = Math.max(rank, found);
  }
  return POLICY_MODES[rank] ?? "locked";
}

export function findProfile({ config: { profiles } }: SessionParts, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(profiles);
  throw new SkilletError(
    "unknown-profile",
    `There is no profile ${JSON.stringify(name)} in the configuration; ${known.length === 0 ? "it has none" : `it has ${known.join(", ")}`}.`,
    { data: { profile: name, known } },
  );
}

// What the operator lets run: what the runner was made for, and what the profile names. A child has what it was given
// instead of the runner's own list, and of a profile only the scripts of skills that it has.
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
      : [...parent.scripts, ...ofProfile.of(parent.skills)],
  );
}

/** Writes down what a session has and may do: every skill that somebody may load in it, by name and digest. */
function createPolicyRecord(session: SessionState): PolicyRecord {
  const { snapshot, mode, interactive, vetter, vetted, allowed, allowlist, parent } = session;
  const hostScripts = allowlist.written("host");
  const activationSources: readonly ActivationSource[] =
    parent === undefined ? ["preload", "model", "user"] : ["parent", "model"];
  const offered = snapshot.skills.filter((skill) =>
    activationSources.some((source) => hiddenFrom(session, skill, source) === undefined),
  );
  return {
    kind: "policy",
    mode,
    interactive,
    snapshotVersion: snapshot.version,
    roots: snapshot.roots.map(({ sourceId, path, scope }) => ({ sourceId, path, scope })),
    vetting: vetter?.ruleSet ?? "not scanned",
    skills: offered.map((skill) => {
      const { qualifiedName: name, digest, origin } = skill;
      const verdict = vetted.get(skill)?.verdict;
      return { name, digest, origin, ...(verdict !== undefined && { verdict }) };
    }),
    allowed,
    scripts: allowlist.written("sandbox"),
    ...(hostScripts.length > 0 && { hostScripts }),
    activationSources,
    ...(parent !== undefined && { parentRunId: parent.runId }),
    diagnostics: snapshot.diagnostics.filter(({ code }) => TRUST_CODES.has(code)),
  };
}

// Those by which a skill could be something else than it seems: led elsewhere, called like another, or hiding files.
const TRUST_CODES: ReadonlySet<string> = new Set(
  "link-outside-root name-conflict name-reserved nested-skill-not-found not-a-file".split(" "),
);
