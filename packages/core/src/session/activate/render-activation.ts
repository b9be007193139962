import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { Manifest } from "../../format/manifest.ts";
import { parseSkill } from "../../format/parse-skill.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { Activation, ActivationSource } from "../session.ts";
import type { SessionGate } from "../session-gate.ts";
import type { SessionVetting } from "../session-vetting.ts";
import { checkTrust, type SkillReader } from "../skill-reader.ts";
import { type ExecCommand, renderBody } from "./render-body.ts";
import { duplicateNote, wrapSkill } from "./wrap-skill.ts";

export interface ActivationContext {
  readonly source: ActivationSource;
  readonly arguments: string | undefined;
  readonly reader: SkillReader;
  readonly gate: SessionGate;
  readonly vetting: SessionVetting;
  readonly freeze: (skill: Skill) => Promise<ResourceIndex>;
  readonly refusesDrift: boolean;
  readonly runId: string;
  readonly exec: ExecCommand | undefined;
  readonly projectDirectory: string | undefined;
}

/** Reads a skill again and refuses it if what it says now is not to be had. */
export async function loadActivation(skill: Skill, context: ActivationContext): Promise<LoadedSkill> {
  const { source, gate } = context;
  const loaded = await loadSkillText(skill, context.reader, context.freeze, context.vetting);
  if (loaded.drifted && context.refusesDrift) throw drifted(skill, loaded.diagnostics[0]);
  // What was offered was an older header's wish; the one that is loaded must be let, too.
  const [obstacle] = gate.obstacles(withManifest(skill, loaded.manifest), source);
  if (obstacle === undefined) return loaded;
  throw new SkilletError(
    "skill-not-offered",
    `${showName(skill.qualifiedName)} cannot be used: ${obstacle.reason}.`,
    {
      data: { skill: skill.qualifiedName, cause: obstacle.cause },
    },
  );
}

export async function renderActivation(
  skill: Skill,
  loaded: LoadedSkill,
  context: ActivationContext,
): Promise<Activation> {
  const { source, gate, projectDirectory, runId } = context;
  const { manifest, index } = loaded;
  const rendered = await renderBody(
    loaded.body,
    {
      ...(context.arguments !== undefined && { arguments: context.arguments }),
      names: manifest.args.names,
      variables: sessionVariables(skill, { runId, projectDirectory }),
    },
    {
      exec: context.exec,
      decide: (command) => gate.decideCommand(skill, manifest, command, source),
      shell: manifest.execution.shell ?? "bash",
      workingDirectory: projectDirectory ?? skill.directory,
      file: skill.path,
    },
  );
  return {
    name: skill.qualifiedName,
    source,
    digest: loaded.digest,
    ...(index.treeDigest !== undefined && { treeDigest: index.treeDigest }),
    text: wrapSkill(skill, rendered.text, index.resources),
    resources: index.resources,
    duplicate: false,
    drifted: loaded.drifted,
    execution: manifest.execution,
    diagnostics: [...loaded.diagnostics, ...rendered.diagnostics],
  };
}

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

async function loadSkillText(
  skill: Skill,
  reader: SkillReader,
  freeze: (skill: Skill) => Promise<ResourceIndex>,
  vetting: SessionVetting,
): Promise<LoadedSkill> {
  const { index, bytes, digest } = await readWhole(skill, reader, freeze);
  const trust = await checkTrust(skill, index, reader);
  const notices = await vetting.check(skill, index, digest);
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
  reader: SkillReader,
  freeze: (skill: Skill) => Promise<ResourceIndex>,
): Promise<{ readonly index: ResourceIndex; readonly bytes: Uint8Array; readonly digest: Digest }> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const index = await freeze(skill);
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
  skill: Skill,
  session: { readonly runId: string; readonly projectDirectory: string | undefined },
): Readonly<Record<string, string | undefined>> {
  const { directory } = skill;
  return {
    CLAUDE_SKILL_DIR: directory,
    HERMES_SKILL_DIR: directory,
    SKILL_DIR: directory,
    baseDir: directory,
    CLAUDE_SESSION_ID: session.runId,
    HERMES_SESSION_ID: session.runId,
    CLAUDE_PROJECT_DIR: session.projectDirectory,
    CLAUDE_PLUGIN_ROOT: skill.plugin === undefined ? undefined : directory,
  };
}

/** The same skill with the header that it has now, for decisions that must not be made on an older one. */
function withManifest(skill: Skill, manifest: Manifest): Skill {
  return Object.create(skill, { manifest: { value: manifest, enumerable: true } }) as Skill;
}
