import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { Activation } from "../activation.ts";
import type { ActivationSource } from "../activation-source.ts";
import type { ExecCommand } from "../dynamic-context/exec-command.ts";
import type { SessionGate } from "../session-gate.ts";
import { sessionVariables } from "../session-variables.ts";
import type { SkillReader } from "../skill-reader.ts";
import type { SessionVetting } from "../vetting/session-vetting.ts";
import { withManifest } from "../with-manifest.ts";
import { type LoadedSkill, loadSkillText } from "./load-skill-text.ts";
import { renderBody } from "./render-body.ts";
import { duplicateNote, wrapSkill } from "./wrap-skill.ts";

/** Who activates a skill, with what, and in which session. */
export interface ActivationContext {
  readonly source: ActivationSource;
  readonly arguments: string | undefined;
  readonly reader: SkillReader;
  readonly gate: SessionGate;
  readonly vetting: SessionVetting;
  /** Digests the skill's files. */
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

/** Fills in a skill's text and wraps it for a model. */
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

/** What stands in for text that is in context already. */
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
