import { checkToolCall, type Diagnostic, narrowingOf, type Skill, type Skills } from "@skillet/core";

/** An entry of `toolsets` in a skill's header, and which of its tools a model could be given. */
export interface ToolsetRow {
  readonly file: string;
  /** False for what only another system understands. */
  readonly supported: boolean;
  readonly tools: readonly ToolRow[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A declared tool: whether some profile of the configuration lets its script run, and why or why not. */
export interface ToolRow {
  readonly name: string;
  readonly script: string;
  readonly allowed: boolean;
  readonly reason: string;
}

/** What a skill's toolsets declare, held against the configuration; a host may allow more or less. */
export async function toolsetRows(
  skills: Skills,
  skill: Skill,
  workspace: string,
): Promise<readonly ToolsetRow[]> {
  const toolsets = await skills.toolsets(skill);
  return toolsets.map(({ file, isSupported, tools, diagnostics }) => ({
    file,
    supported: isSupported,
    tools: tools.map((tool) => toolRow(tool, skills, skill, workspace)),
    diagnostics,
  }));
}

function toolRow(
  { name, script }: { readonly name: string; readonly script: string },
  skills: Skills,
  skill: Skill,
  workspace: string,
): ToolRow {
  const reference = `${skill.qualifiedName}:${script}`;
  const denial = findDenial(reference, skills, skill, workspace);
  if (denial !== undefined) return { name, script, allowed: false, reason: denial };
  const reasons = profileReasons(script, skills, skill);
  if (reasons.length > 0) return { name, script, allowed: true, reason: reasons.join("; ") };
  const reason = `no profile lists ${reference} under scripts; for one run: skillet run --allow ${reference}`;
  return { name, script, allowed: false, reason };
}

function findDenial(reference: string, skills: Skills, skill: Skill, workspace: string): string | undefined {
  const { config, layers } = skills.config;
  if (config.policy.mode === "plan") return "no script is run in plan mode";
  const project = skills.project?.root ?? workspace;
  // What a skill allows itself says nothing about its own scripts.
  const { allowed: _allowed, ...narrowing } = narrowingOf(skill, { source: "user", project }).narrowing;
  const decision = checkToolCall(
    { tool: "run_skill_script", input: reference },
    {
      narrowing: [[narrowing]],
      layers,
      mode: config.policy.mode,
      interactive: true,
      directories: { project },
    },
  );
  if (decision.outcome !== "deny") return undefined;
  return decision.rule === undefined ? decision.reason : `${decision.reason} (${decision.rule})`;
}

function profileReasons(script: string, skills: Skills, skill: Skill): readonly string[] {
  const found = skills.find(skill.name);
  const isPlain = found.kind === "found" && found.skill === skill;
  // A bare name means the skill that has it.
  const references = [skill.qualifiedName, ...(isPlain ? [skill.name] : [])].map(
    (name) => `${name}:${script}`,
  );
  const lists = (scripts: readonly string[]): boolean => references.some((one) => scripts.includes(one));
  return Object.entries(skills.config.config.profiles).flatMap(([name, { scripts, hostScripts }]) => {
    if (lists(hostScripts)) return [`by the profile ${name}, on the host without a sandbox`];
    return lists(scripts) ? [`by the profile ${name}`] : [];
  });
}
