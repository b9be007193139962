import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { LocalSource, resolveHome, type Skill, type Skills } from "@skillet/core";
import { AGENTS, MAX_SKILL_BYTES, readTrust, trustOf } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { DEFAULT_SCAN_LIMITS, type ScanResult } from "@skillet/scan";
import { openAgentsOf } from "../context/agents-of.ts";
import { onSkilletError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type OfName } from "../context/command-context.ts";
import {
  findFailures,
  lookUpSkill,
  openRegistry,
  openScan,
  readInstalled,
  resolveSkill,
  skillsOfPlugin,
} from "../context/open-registry.ts";
import { sessionRows, toolsetRows } from "../explain/decisions.ts";
import { explanation, type Facts, requirementRows } from "../explain/explanation.ts";
import { projectSource } from "../hub/installed-from.ts";
import { allowedWords, showPin } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling, loadScanning } from "../load-beside.ts";
import { diagnosticSection } from "../ui/diagnostic-report.ts";
import { skillRow } from "../ui/json-document.ts";
import { rulesOf } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, moreInJson, showSentence, stripControl, titleLines } from "../ui/text.ts";

const ALL_AGENTS = AGENTS.map(({ id }) => id);

export async function explain(context: CommandContext, options: OfName): Promise<ExitCode> {
  const { terminal, environment, workspace } = context;
  const { name } = options;
  const skills = await openRegistry(context, { servers: true });
  if (lookUpSkill(skills, name, workspace).kind === "unknown") {
    const plugin = { name, skills: skillsOfPlugin(skills.snapshot, name) };
    if (await explainPlugin(context, plugin)) return 0;
    // With --json, the failures are part of the error document.
    const failures = context.json ? [] : findFailures(skills.snapshot, name, workspace);
    if (failures.length > 0) {
      terminal.print(await explainFailure(name, failures, terminal));
      return 1;
    }
  }
  const skill = resolveSkill(skills, name, workspace);
  const index = await skills.reader.indexResources(skill);
  const shadows = skills.snapshot.skills.filter(({ shadowedBy }) => shadowedBy === skill.qualifiedName);
  const session = await sessionRows(context, skills, skill, shadows);
  const installed = (await readInstalled(context, skills))(skill.path);
  const reported = await projectSource(context, skills, skill.path);
  const from = installed ?? reported;
  const { treeDigest: digest } = index;
  const { signatures } = skills.config.config.hub;
  const facts = {
    skill,
    reported,
    index,
    shadows,
    related: skill.manifest.relatedSkills.map((one) =>
      skills.find(one).kind === "found" ? one : `${one} (not here)`,
    ),
    installed,
    readers: openAgentsOf(context, skills).readersOf(skill),
    possibleReaders: openAgentsOf(context, skills, ALL_AGENTS).readersOf(skill).loading,
    // Signers that the policy required and found; a skill that was edited since has none.
    signedBy:
      from === undefined || digest === undefined || signatures.length === 0
        ? []
        : await loadInstalling().installedSigners({
            ...resolveHome(environment),
            signatures,
            name: skill.manifest.name,
            digest,
            source: from.source,
            resolved: from.resolved,
            root: installed === undefined ? (skills.project?.root ?? skills.home) : skills.home,
          }),
    scan: await scanOf(skills, skill),
    requirements: requirementRows(skill),
    rules: rulesOf(skills),
    session,
    toolsets: await toolsetRows(skills, skill, context),
    trustedAt: trustedInGit(skills),
  };
  const text = context.json ? "" : (await skills.reader.readText(skill)).text;
  return answer(context, document(facts), () => explanation({ ...facts, text }, terminal));
}

function trustedInGit({ home, project }: Skills): string | undefined {
  if (project === undefined || !existsSync(join(project.root, ".git"))) return undefined;
  const trust = trustOf(readTrust(home), project.root);
  return trust.trusted ? trust.trustedAt : undefined;
}

async function scanOf({ reader, home, config }: Skills, skill: Skill): Promise<ScanResult> {
  const { files } = await reader.readContent(skill, DEFAULT_SCAN_LIMITS);
  const scan = await openScan(home, config.config.scan.rules);
  const report = await scan.run(files, {});
  const excerpts = loadScanning().excerptsOf(files, report.findings);
  return { path: skill.path, folder: "", name: skill.name, report, excerpts };
}

function document(facts: Omit<Facts, "text">): Record<string, unknown> {
  const { skill, index, session } = facts;
  return {
    ...skillRow(skill, session.known, facts),
    treeDigest: index.treeDigest,
    projectLock: facts.reported,
    ...(facts.signedBy.length > 0 && { signedBy: facts.signedBy }),
    shadowedBy: skill.shadowedBy,
    displayName: skill.manifest.ui.displayName,
    ...(skill.manifest.tags.length > 0 && { tags: skill.manifest.tags }),
    ...(skill.manifest.relatedSkills.length > 0 && { relatedSkills: skill.manifest.relatedSkills }),
    shadows: facts.shadows.map(({ qualifiedName }) => qualifiedName),
    resources: index.resources,
    requirements: facts.requirements,
    capabilities: facts.scan.report.capabilities,
    decisions: session.decisions,
    tools: session.tools,
    modes: session.modes,
    toolsets: facts.toolsets,
    diagnostics: [...skill.diagnostics, ...index.diagnostics, ...session.diagnostics],
  };
}

// One broken checkout can contain thousands; `--json` lists them all.
const MAX_SHOWN = 50;

async function explainFailure(
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
    ...titleLines([name, "not loaded"], layout, {
      indent: 2,
      lead: `${colours.red("✗")} `,
      paintName: colours.bold,
      paint: colours.bold,
    }),
    "",
    ...diagnosticSection(shown, { ...layout, texts }),
    ...(rest > 0 ? [moreInJson(layout)(rest)] : []),
  ];
}

// If a file cannot be read now, its diagnostics are shown without source lines.
async function readOrNothing(file: string): Promise<string | undefined> {
  const reading = new LocalSource(dirname(file)).read(basename(file), { maxBytes: MAX_SKILL_BYTES });
  const read = await reading.catch(onSkilletError(() => undefined));
  return read && new TextDecoder("utf-8", { ignoreBOM: true }).decode(read.bytes);
}

/** Explains an installed plugin and what it may run; false if neither the user nor the project has it. */
async function explainPlugin(
  context: CommandContext,
  { name, skills }: { readonly name: string; readonly skills: readonly string[] },
): Promise<boolean> {
  const { terminal, environment } = context;
  let isTold = false;
  for (const project of [false, true]) {
    if (isTold) break;
    await withHub(context, { project }, async (work) => {
      const entry = (await work.hub.list()).skills.get(name);
      if (entry?.kind !== "plugin") return 0;
      isTold = true;
      const { source, resolved, digest, allowed } = entry;
      const command = loadInstalling().scopedCommand(work, `allow ${name}`);
      const pin = stripControl(showPin(resolved, digest));
      return answer(context, { plugin: { name, source, resolved, digest, allowed, skills } }, () => [
        `${terminal.colours.bold(stripControl(name))}  plugin  ${pin}`,
        ...[
          `installed from ${source}`,
          `${allowedWords(allowed)}; to change that, with --hooks, --mcp or --none: ${command}`,
          `skills: ${skills.length === 0 ? "none" : skills.join(", ")}`,
        ].flatMap((text) => hang(showSentence(text, environment), terminal, { indent: 2 })),
      ]);
    });
  }
  return isTold;
}
