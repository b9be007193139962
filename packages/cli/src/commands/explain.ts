import { basename, dirname } from "node:path";
import { LocalSource, type ResourceIndex, resolveHome, type Skill, type Skills } from "@skillet/core";
import { MAX_SKILL_BYTES } from "@skillet/core/internal";
import type { InstalledSource, LockEntry } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { findFailures, lookUpSkill, openRegistry, resolveSkill } from "../context/open-registry.ts";
import { decisions, type SessionRows, sessionRows, shownVerdict } from "../explain/decisions.ts";
import { explanation, type ProjectSource, projectSource, requirementRows } from "../explain/explanation.ts";
import { type ToolsetRow, toolsetRows } from "../explain/toolset-rows.ts";
import { findInstalledOf } from "../hub/installed-verdicts.ts";
import { allowedWords, showPin } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { diagnosticSection } from "../ui/diagnostic-report.ts";
import { diagnosticRow, printJson, skillRow } from "../ui/json-document.ts";
import type { Layout } from "../ui/terminal.ts";
import { showSentence, stripControl, wrap } from "../ui/text.ts";

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
    terminal.print(await explainFailure(options.name, failures, layout));
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

// One broken checkout can hold thousands; `--json` has them all.
const MAX_SHOWN = 50;
const MAX_NAME_LINES = 4;

/** Why what was found under a name is no skill that could be explained, with the lines that are at fault. */
export async function explainFailure(
  name: string,
  diagnostics: readonly Diagnostic[],
  layout: Layout,
): Promise<string[]> {
  const { colours } = layout;
  const shown = diagnostics.slice(0, MAX_SHOWN);
  const rest = diagnostics.length - shown.length;
  const texts = new Map<string, string>();
  for (const file of new Set(shown.filter(({ range }) => range !== undefined).map((one) => one.file))) {
    const text = await readOrNothing(file);
    if (text !== undefined) texts.set(file, text);
  }
  return [
    ...title(name, layout),
    "",
    ...diagnosticSection(shown, { ...layout, texts }),
    ...(rest > 0 ? [colours.dim(`  and ${rest} more: --json lists all`)] : []),
  ];
}

function title(name: string, { colours, width }: Layout): string[] {
  const lines = wrap(`${stripControl(name)}  not loaded`, { width: width - 2, maxLines: MAX_NAME_LINES });
  return lines.map((line, index) => `${index === 0 ? colours.red("✗") : " "} ${colours.bold(line)}`);
}

// What may not be read now is explained without its lines.
async function readOrNothing(file: string): Promise<string | undefined> {
  try {
    const { bytes } = await new LocalSource(dirname(file)).read(basename(file), {
      maxBytes: MAX_SKILL_BYTES,
    });
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Says what an installed plugin is and may run; undefined where neither the user nor the project has one of that name. */
export async function explainPlugin(
  context: CommandContext,
  { name, skills }: { readonly name: string; readonly skills: readonly string[] },
): Promise<ExitCode | undefined> {
  for (const project of [false, true]) {
    let isTold = false;
    await withHub(context, { project }, async (work) => {
      const entry = (await work.hub.list()).skills.get(name);
      work.progress.clear();
      if (entry?.kind !== "plugin") return 0;
      isTold = true;
      const command = loadInstalling().scopedCommand(work, `allow ${name}`);
      tell(context, { name, entry, skills, command });
      return 0;
    });
    if (isTold) return 0;
  }
  return undefined;
}

function tell(
  { terminal, environment, json }: CommandContext,
  plugin: {
    readonly name: string;
    readonly entry: LockEntry;
    readonly skills: readonly string[];
    readonly command: string;
  },
): void {
  const { name, entry, skills, command } = plugin;
  const { source, resolved, digest, allowed } = entry;
  if (json) {
    printJson(terminal, { plugin: { name, source, resolved, digest, allowed, skills } });
    return;
  }
  const { colours, width } = terminal;
  terminal.print(`${colours.bold(stripControl(name))}  plugin  ${stripControl(showPin(resolved, digest))}`);
  const texts = [
    `installed from ${source}`,
    `${allowedWords(allowed)}; to change that: ${command} with --hooks, --mcp or --none`,
    `skills: ${skills.length === 0 ? "none" : skills.join(", ")}`,
  ];
  for (const text of texts)
    for (const line of wrap(showSentence(text, environment), { width: width - 2 }))
      terminal.print(`  ${line}`);
}
