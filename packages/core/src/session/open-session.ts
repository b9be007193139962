import { randomUUID } from "node:crypto";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { createCatalog } from "../catalog/create-catalog.ts";
import { lexicalRelevance } from "../catalog/lexical-relevance.ts";
import { type Config, POLICY_MODES, type PolicyMode, type Profile } from "../config/config.ts";
import type { ConfigLayer } from "../config/config-layer.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { Selector } from "../select/selector.ts";
import type { SkillVetter } from "../vetting/skill-vetter.ts";
import type { SkillSessionParts } from "./equip-session.ts";
import { openFork, type ParentSession } from "./open-fork.ts";
import { OutcomeMemory } from "./outcome/turn-reader.ts";
import { writeArtefacts } from "./records/artefacts.ts";
import { openRecorder, type Recorder, unkeptRecorder } from "./records/recorder.ts";
import type { PolicyRecord } from "./records/session-record.ts";
import { readAllowed, ScriptAllowlist } from "./run/script-allowlist.ts";
import type { ScriptRunner } from "./script-runner.ts";
import type { ActivationSource, SessionOptions } from "./session.ts";
import { SessionGate } from "./session-gate.ts";
import { SessionSecrets } from "./session-secrets.ts";
import { SessionVetting } from "./session-vetting.ts";
import type { SkillReader } from "./skill-reader.ts";
import { SkillSession } from "./skill-session.ts";

export async function openSession(parts: SessionParts, options: SessionOptions = {}): Promise<SkillSession> {
  return new SkillSession(await prepareSession(parts, options));
}

/** Puts together what a session works with; `parent` is there for a fork. */
async function prepareSession(
  parts: SessionParts,
  options: SessionOptions,
  parent?: ParentSession,
): Promise<SkillSessionParts> {
  const { snapshot, reader, config, layers, userHome, workspace, vetter } = parts;
  const mode = strictest([config.policy.mode, options.mode ?? "default", parent?.mode ?? "default"]);
  const interactive = options.interactive ?? options.ask !== undefined;
  const profile = profileOf(config.profiles, options.profile);
  const allowed = [...(options.allow ?? []), ...(profile?.skills ?? [])];
  const allowlist = createAllowlist(snapshot, options.runner, profile, parent);
  // A child that was given no scripts has no runner, and nothing to hand on to children of its own.
  const runner = parent === undefined || allowlist.scripts.length > 0 ? options.runner : undefined;
  const { ask, signal } = options;
  const vetting =
    parent?.vetting ?? new SessionVetting({ vetter, reader, ask: interactive ? ask : undefined });
  // Before anything is offered, and before a record says that it was.
  if (parent === undefined) await vetting.vetAll(snapshot.skills, { ...(signal && { signal }) });
  const memory = new OutcomeMemory(await createRecorder(options), {
    snapshot,
    clock: options.clock ?? Date.now,
  });
  const { recorder } = memory;
  const protect = [...(parent?.protect ?? []), ...protectedBy(recorder)];
  const secrets = new SessionSecrets(options.secrets);
  const scripted = mode === "plan" ? await skillsWithScripts(parts) : undefined;
  const standing = { mode, interactive, options, secrets, vetting };
  const gate = new SessionGate({ ...standing, layers, userHome, allowed, scripted, parent });
  const session: SkillSessionParts = {
    ...standing,
    ...{ snapshot, reader, gate, recorder, memory },
    scriptFrame: { runner, allowlist, workspace, protect, defaultTimeoutMs: config.skills.scriptTimeout },
    preferred: profile?.skills ?? [],
    openSelector: parts.openSelector,
    renderCatalog: (skills, { message, ...rest }) =>
      createCatalog(skills, {
        ...rest,
        // The gate has decided; a skill that a given value made usable has not changed its state.
        visibility: "as-given",
        rank: {
          preferred: profile?.skills ?? [],
          ...(message !== undefined && { relevance: lexicalRelevance(skills, message) }),
          ...rest.rank,
        },
      }),
    writeArtefacts: async (frozen) => {
      if (recorder.runFolder !== undefined)
        await writeArtefacts(recorder.runFolder, { snapshot, resources: frozen });
    },
    profileSkills: (name) => profileOf(config.profiles, name)?.skills ?? [],
    openFork: (fork, skills) =>
      openFork(fork, skills, session, (own, above) => prepareSession(parts, own, above)),
  };
  await recorder.append(createPolicyRecord(session, allowed, parent?.runId));
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

function profileOf(
  profiles: Readonly<Record<string, Profile>>,
  name: string | undefined,
): Profile | undefined {
  if (name === undefined) return undefined;
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(profiles);
  throw new SkilletError(
    "unknown-profile",
    `There is no profile ${JSON.stringify(name)} in the configuration; ${known.length === 0 ? "it has none" : `it has ${known.join(", ")}`}.`,
    { data: { profile: name, known } },
  );
}

// The operator's word: what the runner was made for, and what the profile names. A child has what it was given instead of
// the runner's own list, and of a profile only the scripts of skills that it has.
function createAllowlist(
  snapshot: Snapshot,
  runner: ScriptRunner | undefined,
  profile: Profile | undefined,
  parent: ParentSession | undefined,
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

function protectedBy({ runFolder }: Recorder): readonly string[] {
  return runFolder === undefined ? [] : [canonicalPath(runFolder)];
}

async function createRecorder({
  runId = randomUUID(),
  clock = Date.now,
  records,
}: SessionOptions): Promise<Recorder> {
  return records === undefined ? unkeptRecorder(runId) : openRecorder({ runFolder: records, runId, clock });
}

// Plan mode hides skills that could change something, and a script could; only then is every folder looked into.
async function skillsWithScripts({ snapshot, reader }: SessionParts): Promise<ReadonlySet<Skill>> {
  const found = new Set<Skill>();
  for (const skill of snapshot.skills) if (await reader.hasScripts(skill)) found.add(skill);
  return found;
}

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

/** Writes down what a session has and may do: every skill that somebody may load in it, by name and digest. */
function createPolicyRecord(
  { snapshot, mode, interactive, gate, vetting, scriptFrame: { allowlist } }: SkillSessionParts,
  allowed: readonly string[],
  parentRunId: string | undefined,
): PolicyRecord {
  const hostScripts = allowlist.written("host");
  const sources: readonly ActivationSource[] =
    parentRunId === undefined ? ["preload", "model", "user"] : ["parent", "model"];
  const offered = snapshot.skills.filter((skill) =>
    sources.some((source) => gate.hiddenFrom(skill, source) === undefined),
  );
  return {
    kind: "policy",
    mode,
    interactive,
    snapshotVersion: snapshot.version,
    roots: snapshot.roots.map(({ sourceId, path, scope }) => ({ sourceId, path, scope })),
    vetting: vetting.ruleSet,
    skills: offered.map((skill) => {
      const { qualifiedName: name, digest, origin } = skill;
      const verdict = vetting.of(skill)?.verdict;
      return { name, digest, origin, ...(verdict !== undefined && { verdict }) };
    }),
    allowed,
    scripts: allowlist.written("sandbox"),
    ...(hostScripts.length > 0 && { hostScripts }),
    activationSources: sources,
    ...(parentRunId !== undefined && { parentRunId }),
    diagnostics: snapshot.diagnostics.filter(({ code }) => TRUST_CODES.has(code)),
  };
}

// Those by which a skill could be something else than it seems: led elsewhere, called like another, or hiding files.
const TRUST_CODES: ReadonlySet<string> = new Set([
  "link-outside-root",
  "name-conflict",
  "name-reserved",
  "nested-skill-not-found",
  "not-a-file",
]);
