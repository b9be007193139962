import { randomUUID } from "node:crypto";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { createCatalog } from "../catalog/create-catalog.ts";
import { lexicalRelevance } from "../catalog/lexical-relevance.ts";
import { POLICY_MODES, type PolicyMode, type Profile } from "../config/config.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { openFork } from "./fork/open-fork.ts";
import type { ParentSession } from "./fork/parent-session.ts";
import { OutcomeMemory } from "./outcome/outcome-memory.ts";
import { writeArtefacts } from "./records/artefacts/write-artefacts.ts";
import { createPolicyRecord } from "./records/create-policy-record.ts";
import { memoryRecorder } from "./records/memory-recorder.ts";
import { openRecorder } from "./records/open-recorder.ts";
import type { Recorder } from "./records/session-record.ts";
import { readAllowed, ScriptAllowlist } from "./run/script-allowlist.ts";
import type { ScriptRunner } from "./run/script-runner.ts";
import { SessionGate } from "./session-gate.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SessionParts } from "./session-parts.ts";
import { SessionSecrets } from "./session-secrets.ts";
import { SkillSession } from "./skill-session.ts";
import type { SkillSessionParts } from "./skill-session-parts.ts";
import { SessionVetting } from "./vetting/session-vetting.ts";

/** Opens a session over a snapshot. */
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
  const gate = new SessionGate({
    mode,
    interactive,
    layers,
    userHome,
    options,
    allowed,
    secrets,
    vetting,
    scripted,
    parent,
  });
  await recorder.append(
    createPolicyRecord(snapshot, {
      mode,
      interactive,
      gate,
      vetting,
      allowed,
      scripts: allowlist.written("sandbox"),
      hostScripts: allowlist.written("host"),
      parentRunId: parent?.runId,
    }),
  );
  return {
    mode,
    interactive,
    snapshot,
    reader,
    gate,
    vetting,
    secrets,
    recorder,
    memory,
    options,
    scripts: { runner, allowlist, workspace, protect, defaultTimeoutMs: config.skills.scriptTimeout },
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
      openFork(fork, skills, {
        options,
        runner,
        recorder,
        mode,
        allowlist,
        protect,
        vetting,
        narrowing: gate.narrowing(),
        prepare: (own, above) => prepareSession(parts, own, above),
      }),
  };
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
  return records === undefined
    ? memoryRecorder({ runId, clock })
    : openRecorder({ runFolder: records, runId, clock });
}

// Plan mode hides skills that could change something, and a script could; only then is every folder looked into.
async function skillsWithScripts({ snapshot, reader }: SessionParts): Promise<ReadonlySet<Skill>> {
  const found = new Set<Skill>();
  for (const skill of snapshot.skills) if (await reader.hasScripts(skill)) found.add(skill);
  return found;
}
