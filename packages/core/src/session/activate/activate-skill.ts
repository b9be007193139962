import { hash } from "node:crypto";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { onRefusal, SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { Answer } from "../../ask.ts";
import type { Manifest } from "../../format/manifest.ts";
import { parseSkill } from "../../format/parse-skill.ts";
import type { ToolCall } from "../../policy/check-tool-call.ts";
import type { Decision } from "../../policy/decision.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { decideUse } from "../../use/may-use.ts";
import { type ActivationKey, activeSkills, addActive, isInContext } from "../active-skills.ts";
import { hookedDecision, tellHooks } from "../hooks/run-hooks.ts";
import { givenText } from "../model-input.ts";
import { placeOf } from "../records/session-record.ts";
import { type ActivateOptions, type Activation, type ActivationSource, checkSource } from "../session.ts";
import { isVetted, vetShown } from "../session-vetting.ts";
import { findHidden, findNamed, headerObstacle, presentSkill, resolveFor } from "../skill-access.ts";
import { checkTrust } from "../skill-reader.ts";
import {
  type Judged,
  notOffered,
  questionAbout,
  refusesDrift,
  type SessionState,
  type Settled,
  settle,
} from "../state.ts";
import { decideCommand, narrowTurn, rememberNarrowing } from "../tool-rules.ts";
import { checkSkillToolsets } from "../tools/declaration/read-toolsets.ts";
import { type ExecCommand, renderBody } from "./render-body.ts";
import { duplicateNote, wrapSkill } from "./wrap-skill.ts";

export async function activateSkill(
  session: SessionState,
  name: string,
  options: ActivateOptions,
  approval?: Answer,
): Promise<Activation> {
  const { reader, frozen, recorder } = session;
  const source = checkSource(options.source ?? "model");
  givenText(name, "The name of the skill", "a skill's name");
  const { arguments: given, signal } = options;
  if (given !== undefined) givenText(given, "`arguments`", "a text, or leave it out");
  const asked = resolveFor(session, name, source);
  const { call, decide, ...judged } = await judgeLoading(session, asked, source, { given });
  refuseUnlessAllowed(asked, await settle(session, judged, { approval, signal }, decide));
  const loaded = await readSkill(session, asked, source, signal);
  const { digest, index, manifest } = loaded;
  const argumentsDigest = digestArguments(given);
  const key = { digest, treeDigest: index.treeDigest, argumentsDigest };
  const isKnown = isInContext(session, asked, key);
  const duplicate = isKnown && options.repeat !== true;
  const isRaw = options.raw === true;
  const rendered = duplicate
    ? { text: duplicateNote(asked, index.treeDigest ?? digest), diagnostics: [] }
    : await renderSkill(session, asked, loaded, {
        source,
        arguments: given,
        // The host gets the text of the file, in which no command is replaced.
        exec: isRaw ? undefined : session.options.exec,
        signal,
      });
  const text = isRaw && !duplicate ? loaded.body : rendered.text;
  const toolFaults = await checkSkillToolsets(asked, loaded, reader);
  signal?.throwIfAborted();
  // Reading takes time and users take longer: a skill that was denied or replaced meanwhile is not loaded.
  const skill = resolveFor(session, name, source);
  if (skill.digest !== asked.digest || presentSkill(session, asked) !== skill) throw changing(asked);
  frozen.set(skill.qualifiedName, index);
  const unclear = narrowTurn(session, skill, manifest, source);
  const diagnostics = [...loaded.diagnostics, ...rendered.diagnostics, ...toolFaults, ...unclear];
  const { drifted } = loaded;
  const treeDigest = index.treeDigest === undefined ? {} : { treeDigest: index.treeDigest };
  await recorder.append({
    kind: "activation",
    ...placeOf(skill),
    name: skill.qualifiedName,
    source,
    digest,
    origin: skill.origin,
    ...treeDigest,
    ...(given !== undefined && { arguments: given }),
    argumentsDigest,
    duplicate: isKnown,
    drifted,
    diagnostics,
    ...(isRaw && { raw: true }),
  });
  await tellHooks(session, call, { digest, duplicate });
  // The caller did not get the text, so it is not in context.
  signal?.throwIfAborted();
  const present = presentSkill(session, skill);
  if (!duplicate && present !== undefined)
    addActive(session, present, key, { source, render: async () => rendered.text });
  return {
    name: skill.qualifiedName,
    source,
    digest,
    ...treeDigest,
    text,
    resources: index.resources,
    duplicate,
    drifted,
    execution: manifest.execution,
    diagnostics,
  };
}

export function digestArguments(given: string | undefined): Digest {
  return `sha256:${hash("sha256", given ?? "", "hex")}`;
}

/** The decision about loading a skill, before anything is loaded or asked. */
export async function judgeLoading(
  session: SessionState,
  skill: Skill,
  source: ActivationSource,
  { given, ...how }: { readonly given: string | undefined; readonly isBeforehand?: true },
): Promise<Judged & { readonly call: ToolCall; readonly decide: () => Decision }> {
  const { qualifiedName, digest } = skill;
  const call = { tool: "Skill", input: { skill: qualifiedName, args: given } };
  const decide = (): Decision => decideUse(presentSkill(session, skill) ?? skill, session, source);
  const decision = await hookedDecision(session, call, decide, how);
  const asked = { kind: "activate", skill: qualifiedName, digest, reason: decision.reason, call } as const;
  return { ...decision, call, decide, question: questionAbout(session, asked) };
}

function refuseUnlessAllowed({ qualifiedName: skill }: Skill, settled: Settled): void {
  const { isAllowed, decision, question, failure } = settled;
  if (isAllowed) return;
  const message = `${showName(skill)} was not loaded: ${decision.reason}.`;
  const data = { skill, ...decision, ...(question && { question }) };
  throw new SkilletError("skill-denied", message, { data, ...(failure !== undefined && { cause: failure }) });
}

/** An activation of an earlier run. */
interface AdoptedActivation {
  readonly key: ActivationKey;
  readonly source: ActivationSource;
  /** Absent if they were too long to be recorded in full. */
  readonly arguments: { readonly text: string | undefined } | undefined;
  readonly isOfThisTurn: boolean;
  readonly isInContext: boolean;
}

/** Adopts a skill whose text an earlier run gave; the host has it in context, and nothing is recorded. */
export function adoptSkill(session: SessionState, skill: Skill, adopted: AdoptedActivation): void {
  const { key, source, arguments: given } = adopted;
  if (adopted.isOfThisTurn) narrowTurn(session, skill, skill.manifest, source);
  else rememberNarrowing(session, skill, source);
  // A skill that is no longer permitted keeps narrowing this turn's tools, but its text is not given again.
  const isFree = findHidden(session, skill, source, { byFullName: true }) === undefined;
  if (!adopted.isInContext || !isFree || !isVetted(session, skill, key.treeDigest)) return;
  // From the same files; commands are not run a second time.
  const renderAgain = async (present: Skill): Promise<string | undefined> => {
    if (given === undefined) return undefined;
    const loaded = await readSkill(session, present, source);
    const asked = { source, arguments: given.text, exec: undefined };
    return (await renderSkill(session, present, loaded, asked)).text;
  };
  // A skill that changed meanwhile is not rendered: the model is told to load it again.
  const render = (present: Skill): Promise<string | undefined> =>
    onRefusal(renderAgain(present), () => undefined);
  addActive(session, skill, key, { source, render });
}

/** The latest text of each active skill, oldest first; undefined if it is denied or only the host has it. */
export async function activeTexts(
  session: SessionState,
): Promise<readonly { readonly name: string; readonly text: string | undefined }[]> {
  const texts: { name: string; text: string | undefined }[] = [];
  // A copy: skills may be activated while a text is rendered again.
  for (const [name, { render }] of [...session.active]) {
    const skill = activeSkills(session).find(({ qualifiedName }) => qualifiedName === name);
    texts.push({ name, text: skill && (await render(skill)) });
  }
  return texts;
}

interface LoadedSkill {
  readonly manifest: Manifest;
  readonly body: string;
  readonly digest: Digest;
  /** SKILL.md differs from the snapshot, or the files from those that were trusted. */
  readonly drifted: boolean;
  readonly index: ResourceIndex;
  readonly diagnostics: readonly Diagnostic[];
}

async function readSkill(
  session: SessionState,
  skill: Skill,
  source: ActivationSource,
  signal?: AbortSignal,
): Promise<LoadedSkill> {
  const { qualifiedName, path } = skill;
  const { index, bytes, digest } = await readWhole(session, skill);
  const trust = await checkTrust(session, skill, index);
  const notices = await vetShown(session, skill, index, { digest, signal });
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const parsed = parseSkill(text, { mode: "lenient", file: path, directoryName: skill.directoryName });
  const { manifest, body } = parsed;
  if (manifest === undefined) {
    const message = `${showName(path)} can no longer be read as a skill: ${parsed.diagnostics[0]?.message ?? ""} Check it: skillet validate ${showName(path)}`;
    throw new SkilletError("skill-unreadable", message, { data: { skill: qualifiedName, path } });
  }
  const known = session.frozen.get(qualifiedName);
  const isFrozen =
    session.options.freeze === undefined || (known !== undefined && digestOf(known) === digestOf(index));
  const drift = [...(digest === skill.digest && isFrozen ? [] : [hasChanged(path)]), ...trust];
  if (drift[0] !== undefined && refusesDrift(session)) throw driftRefused(skill, drift[0]);
  // The header may have changed since the skill was offered; the loaded one must permit it too.
  const obstacle = headerObstacle(session, skill, source, manifest);
  if (obstacle !== undefined) throw notOffered(skill, obstacle.reason, { cause: obstacle.cause });
  const diagnostics = [...drift, ...notices, ...index.diagnostics];
  return { manifest, body, digest, drifted: drift.length > 0, index, diagnostics };
}

function digestOf({ treeDigest, readDigest }: ResourceIndex): Digest | undefined {
  return treeDigest ?? readDigest;
}

// The file may be in the middle of a save.
const MAX_ATTEMPTS = 3;

// Indexed first, so that no text is shown before the whole tree is known; the text must belong to that tree.
async function readWhole(
  { reader }: SessionState,
  skill: Skill,
): Promise<{ readonly index: ResourceIndex; readonly bytes: Uint8Array; readonly digest: Digest }> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const index = await reader.indexResources(skill);
    const bytes = await reader.readSkillFile(skill);
    const digest = digestBytes(bytes);
    if (index.skillDigest === undefined || index.skillDigest === digest) return { index, bytes, digest };
  }
  throw changing(skill);
}

function changing({ qualifiedName: skill, path }: Skill): SkilletError {
  const message = `${showName(path)} changes while it is being read, so it was not loaded; try again when it is left alone.`;
  return new SkilletError("skill-changing", message, { data: { skill, path } });
}

export function hasChanged(file: string): Diagnostic {
  const message = "The file has changed since the skills were found; what it says now was loaded.";
  const hint = "Reload the skills to make the change known, or put the file back.";
  return diagnostic("warning", "skill-drifted", file, message, hint);
}

export function driftRefused({ qualifiedName, path }: Skill, { code: cause }: Diagnostic): SkilletError {
  const [what, next] =
    cause === "trusted-skill-changed"
      ? ["its files are not those that were trusted", "Look at what changed, then run: skillet trust"]
      : ["it has changed since the skills were found", "Reload the skills, or put the file back."];
  const message = `${showName(qualifiedName)} was not loaded: ${what}. ${next}`;
  return new SkilletError("skill-drifted", message, { data: { skill: qualifiedName, path, cause } });
}

async function renderSkill(
  session: SessionState,
  skill: Skill,
  { manifest, body, index }: LoadedSkill,
  asked: {
    readonly source: ActivationSource;
    readonly arguments: string | undefined;
    readonly exec: ExecCommand | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Pick<Activation, "text" | "diagnostics">> {
  const { projectDirectory } = session.options;
  const { source, arguments: given, exec, signal } = asked;
  const { text, diagnostics } = await renderBody(
    body,
    {
      ...(given !== undefined && { arguments: given }),
      names: manifest.args.names,
      variables: sessionVariables(skill, session.recorder.runId, projectDirectory),
    },
    {
      exec,
      signal,
      decide: (command) => decideCommand(session, skill, { manifest, source, command }),
      shell: manifest.execution.shell ?? "bash",
      workingDirectory: projectDirectory ?? skill.directory,
      file: skill.path,
    },
  );
  return { text: wrapSkill(skill, text, index.resources, findRelated(session, manifest)), diagnostics };
}

// A header may name any number of skills.
const MAX_RELATED = 10;

function findRelated(session: SessionState, { relatedSkills }: Manifest): readonly Skill[] {
  const names = relatedSkills.slice(0, MAX_RELATED);
  const usable = session.snapshot.skills.filter(
    (skill) =>
      (names.includes(skill.name) || names.includes(skill.qualifiedName)) &&
      findHidden(session, skill) === undefined,
  );
  const named = names.map((name) => findNamed(name, usable, session.snapshot));
  return named.filter((skill) => skill !== undefined);
}

function sessionVariables(
  { directory, plugin }: Skill,
  runId: string,
  projectDirectory: string | undefined,
): Readonly<Record<string, string | undefined>> {
  return {
    CLAUDE_SKILL_DIR: directory,
    HERMES_SKILL_DIR: directory,
    SKILL_DIR: directory,
    baseDir: directory,
    CLAUDE_SESSION_ID: runId,
    HERMES_SESSION_ID: runId,
    CLAUDE_PROJECT_DIR: projectDirectory,
    CLAUDE_PLUGIN_ROOT: plugin === undefined ? undefined : directory,
  };
}
