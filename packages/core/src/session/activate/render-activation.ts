import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { Manifest } from "../../format/manifest.ts";
import { parseSkill } from "../../format/parse-skill.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SessionCore } from "../equip-session.ts";
import type { Activation, ActivationSource } from "../session.ts";
import { checkTrust } from "../skill-reader.ts";
import { type ExecCommand, renderBody } from "./render-body.ts";
import { duplicateNote, wrapSkill } from "./wrap-skill.ts";

/** Who activates a skill, and with what; what an earlier run gave is written again without running commands. */
export interface ActivationRequest {
  readonly source: ActivationSource;
  readonly arguments: string | undefined;
  readonly exec: ExecCommand | undefined;
}

/** Reads a skill again and refuses it if what it says now is not to be had. */
export async function loadActivation(
  skill: Skill,
  source: ActivationSource,
  core: SessionCore,
): Promise<LoadedSkill> {
  const loaded = await loadSkillText(skill, core);
  if (loaded.drifted && core.refusesDrift()) throw drifted(skill, loaded.diagnostics[0]);
  // What was offered was an older header's wish; the one that is loaded must be let, too.
  const { manifest } = loaded;
  const asLoaded = Object.create(skill, { manifest: { value: manifest, enumerable: true } }) as Skill;
  const [obstacle] = core.gate.obstacles(asLoaded, source);
  if (obstacle === undefined) return loaded;
  throw new SkilletError(
    "skill-not-offered",
    `${showName(skill.qualifiedName)} cannot be used: ${obstacle.reason}.`,
    { data: { skill: skill.qualifiedName, cause: obstacle.cause } },
  );
}

export async function renderActivation(
  skill: Skill,
  loaded: LoadedSkill,
  { source, arguments: given, exec }: ActivationRequest,
  { gate, recorder, options: { projectDirectory } }: SessionCore,
): Promise<Activation> {
  const { manifest, index } = loaded;
  const rendered = await renderBody(
    loaded.body,
    {
      ...(given !== undefined && { arguments: given }),
      names: manifest.args.names,
      variables: sessionVariables(skill, recorder.runId, projectDirectory),
    },
    {
      exec,
      decide: (command) => gate.decideCommand(skill, manifest, command, source),
      shell: manifest.execution.shell ?? "bash",
      workingDirectory: projectDirectory ?? skill.directory,
      file: skill.path,
    },
  );
  return {
    ...noteActivation(skill, loaded, source),
    text: wrapSkill(skill, rendered.text, index.resources),
    duplicate: false,
    diagnostics: [...loaded.diagnostics, ...rendered.diagnostics],
  };
}

/** An activation of text that is in context already: a short note stands in for it. */
export function noteActivation(skill: Skill, loaded: LoadedSkill, source: ActivationSource): Activation {
  const { digest, index, drifted: hasDrifted, manifest, diagnostics } = loaded;
  return {
    name: skill.qualifiedName,
    source,
    digest,
    ...(index.treeDigest !== undefined && { treeDigest: index.treeDigest }),
    text: duplicateNote(skill, index.treeDigest ?? digest),
    resources: index.resources,
    duplicate: true,
    drifted: hasDrifted,
    execution: manifest.execution,
    diagnostics,
  };
}

function drifted(skill: Skill, cause: Diagnostic | undefined): SkilletError {
  const isTrust = cause?.code === "trusted-skill-changed";
  const what = isTrust
    ? "its files are not those that were trusted"
    : "it has changed since the skills were found";
  const next = isTrust
    ? "Look at what changed, then run: skillet trust"
    : "Reload the skills, or put the file back.";
  return new SkilletError(
    "skill-drifted",
    `${showName(skill.qualifiedName)} was not loaded: ${what}. ${next}`,
    { data: { skill: skill.qualifiedName, path: skill.path, cause: cause?.code } },
  );
}

interface LoadedSkill {
  readonly manifest: Manifest;
  readonly body: string;
  readonly digest: Digest;
  /** The file is not what the snapshot saw, or the files are not what somebody trusted. */
  readonly drifted: boolean;
  readonly index: ResourceIndex;
  readonly diagnostics: readonly Diagnostic[];
}

// Somebody may be saving just now; twice in a row is no accident any more.
const MAX_ATTEMPTS = 3;

async function loadSkillText(skill: Skill, core: SessionCore): Promise<LoadedSkill> {
  const { index, bytes, digest } = await readWhole(skill, core);
  const trust = await checkTrust(skill, index, core.reader);
  const notices = await core.vetting.check(skill, index, digest);
  const hasChanged = digest !== skill.digest;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const parsed = parseSkill(text, { mode: "lenient", file: skill.path, directoryName: skill.directoryName });
  if (parsed.manifest === undefined)
    throw new SkilletError(
      "skill-unreadable",
      `${showName(skill.path)} can no longer be read as a skill: ${parsed.diagnostics[0]?.message ?? ""} Check it: skillet validate ${showName(skill.path)}`,
      { data: { skill: skill.qualifiedName, path: skill.path } },
    );
  return {
    manifest: parsed.manifest,
    body: parsed.body,
    digest,
    drifted: hasChanged || trust.length > 0,
    index,
    diagnostics: [...(hasChanged ? [hasDrifted(skill)] : []), ...trust, ...notices, ...index.diagnostics],
  };
}

// Frozen first, so that no text is shown before the whole tree is known; and the text must be of that very tree.
async function readWhole(
  skill: Skill,
  { reader, frozen }: SessionCore,
): Promise<{ readonly index: ResourceIndex; readonly bytes: Uint8Array; readonly digest: Digest }> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const index = await frozen.look(skill);
    const bytes = await reader.readSkillFile(skill);
    const digest = digestBytes(bytes);
    if (index.skillDigest === undefined || index.skillDigest === digest) return { index, bytes, digest };
  }
  throw new SkilletError(
    "skill-changing",
    `${showName(skill.path)} changes while it is being read, so it was not loaded; try again when it is left alone.`,
    { data: { skill: skill.qualifiedName, path: skill.path } },
  );
}

function hasDrifted({ path }: Skill): Diagnostic {
  return {
    code: "skill-drifted",
    severity: "warning",
    message: "The file has changed since the skills were found; what it says now was loaded.",
    file: path,
    hint: "Reload the skills to make the change known, or put the file back.",
  };
}

/** The values of `${NAME}` and `{baseDir}` in a skill's text, in every dialect's spelling. */
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
