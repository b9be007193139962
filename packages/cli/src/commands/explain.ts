import { type ResourceIndex, resolveHome, type Skill, type Skills } from "@skillet/core";
import type { InstalledSource } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { decisions } from "../explain/decisions.ts";
import { explainFailure } from "../explain/explain-failure.ts";
import { explainPlugin } from "../explain/explain-plugin.ts";
import { explanation } from "../explain/explanation.ts";
import { requirementRows } from "../explain/requirements.ts";
import { type SessionRows, sessionRows, shownVerdict } from "../explain/session-rows.ts";
import { type ToolsetRow, toolsetRows } from "../explain/toolset-rows.ts";
import { findFailures } from "../find-failures.ts";
import { findInstalledOf } from "../hub/find-installed-of.ts";
import { loadInstalling } from "../hub/load-installing.ts";
import { type ProjectSource, projectSource } from "../hub/project-source.ts";
import { openRegistry } from "../open-registry.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { skillRow } from "../output/skill-row.ts";
import { lookUpSkill, resolveSkill } from "../resolve-skill.ts";

/** Says where a skill was found, what it shadows and needs, and why it is or is not offered. */
export async function explain(
  context: CommandContext,
  options: { readonly name: string },
): Promise<ExitCode> {
  const { terminal, environment } = context;
  const layout = { width: terminal.width, colours: terminal.colours, environment };
  const skills = await openRegistry(context);
  const failures = context.json ? [] : failuresOf(skills, options.name, context.workspace);
  if (failures.length > 0) {
    for (const line of await explainFailure(options.name, failures, layout)) terminal.print(line);
    return 1;
  }
  if (lookUpSkill(skills, options.name, context.workspace).kind === "unknown") {
    const prefix = `${options.name}:`;
    const names = skills.snapshot.skills
      .map(({ qualifiedName }) => qualifiedName)
      .filter((name) => name.startsWith(prefix));
    const told = await explainPlugin(context, { name: options.name, skills: names });
    if (told !== undefined) return told;
  }
  const skill = resolveSkill(skills, options.name, context.workspace);
  const index = await skills.resources(skill);
  const shadows = shadowedNames(skills, skill);
  const session = await sessionRows(skills, skill, context.workspace);
  const { vetting } = session;
  const installed = (await findInstalledOf(context, skills))(skill.path);
  const reported = await projectSource(context, skills, skill.path);
  const facts = {
    skill,
    reported,
    index,
    shadows,
    installed,
    signedBy: await signersOf(skills, {
      skill,
      digest: index.treeDigest,
      from: installed ?? reported,
      root: installed === undefined ? (skills.project?.root ?? skills.home) : skills.home,
      userHome: resolveHome(environment).userHome,
    }),
    requirements: requirementRows(skill),
    decisions: decisions(skill, skills, { shadows, trust: await skills.verifyTrust(skill), vetting }),
    session,
    toolsets: await toolsetRows(skills, skill, context),
  };
  if (context.json) {
    printJson(context.terminal, document(facts));
    return 0;
  }
  const { text } = await skills.readText(skill);
  for (const line of explanation({ ...facts, text }, layout)) terminal.print(line);
  return 0;
}

/** Whose signature the policy asked for and found; a skill that was edited since is nobody's. */
async function signersOf(
  { home, config }: Skills,
  {
    skill,
    digest,
    from,
    ...places
  }: {
    readonly skill: Skill;
    readonly digest: ResourceIndex["treeDigest"];
    readonly from: Pick<InstalledSource, "source" | "resolved"> | undefined;
    /** The folder of the lock that says so. */
    readonly root: string;
    readonly userHome: string;
  },
): Promise<readonly Digest[]> {
  const { signatures } = config.config.hub;
  if (from === undefined || digest === undefined || signatures.length === 0) return [];
  const { source, resolved } = from;
  const { name } = skill.manifest;
  return loadInstalling().installedSigners({
    ...{ home, signatures, name, source, resolved, digest },
    ...places,
  });
}

// With --json, they are in the document of the error.
function failuresOf(skills: Skills, name: string, workspace: string): readonly Diagnostic[] {
  const isUnknown = lookUpSkill(skills, name, workspace).kind === "unknown";
  return isUnknown ? findFailures(skills.snapshot, name, workspace) : [];
}

function shadowedNames(skills: Skills, skill: Skill): readonly string[] {
  return skills.snapshot.skills
    .filter(({ shadowedBy }) => shadowedBy === skill.qualifiedName)
    .map(({ qualifiedName }) => qualifiedName);
}

function document(facts: {
  readonly skill: Skill;
  readonly index: ResourceIndex;
  readonly shadows: readonly string[];
  readonly installed: InstalledSource | undefined;
  readonly reported: ProjectSource | undefined;
  readonly signedBy: readonly Digest[];
  readonly requirements: ReturnType<typeof requirementRows>;
  readonly decisions: ReturnType<typeof decisions>;
  readonly session: SessionRows;
  readonly toolsets: readonly ToolsetRow[];
}): Record<string, unknown> {
  const { skill, index } = facts;
  const row = skillRow(skill, shownVerdict(facts.session), facts.installed);
  return {
    ...row,
    ...(index.treeDigest !== undefined && { treeDigest: index.treeDigest }),
    ...(facts.reported !== undefined && { projectLock: facts.reported }),
    ...(facts.signedBy.length > 0 && { signedBy: facts.signedBy }),
    ...(skill.shadowedBy !== undefined && { shadowedBy: skill.shadowedBy }),
    shadows: facts.shadows,
    resources: index.resources,
    requirements: facts.requirements,
    decisions: facts.decisions,
    tools: facts.session.tools,
    modes: facts.session.modes,
    toolsets: facts.toolsets.map(({ diagnostics, ...toolset }) => ({
      ...toolset,
      diagnostics: diagnostics.map(diagnosticRow),
    })),
    diagnostics: [
      ...row.diagnostics,
      ...[...index.diagnostics, ...facts.session.diagnostics].map(diagnosticRow),
    ],
  };
}
