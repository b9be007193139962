import { chmodSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Collision, LintResult } from "@skillet/author";
import type { Skill } from "@skillet/core";
import { MAX_SKILL_BYTES } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath, isInside, writeAtomic } from "@skillet/kit/files";
import { onSkilletError, refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { readSkillBody } from "../eval/read-trigger-sets.ts";
import { loadSelecting } from "../load-beside.ts";
import { findTargets } from "../scan/find-targets.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import { diagnosticRow } from "../ui/json-document.ts";
import { count, hang, showControl } from "../ui/text.ts";
import type { SkillFile } from "../validate/find-skill-files.ts";
import { tallySeverities } from "../validate/validation-report.ts";

interface LintOptions extends Flags<"fix" | "quiet" | "rules"> {
  readonly words: readonly string[];
  readonly format?: "text" | "json" | "sarif";
  readonly failOn?: "warning" | "info" | "never";
}

interface Linted extends LintResult {
  readonly path: string;
  readonly file: string;
  readonly text: string;
  readonly fixed: readonly string[];
}

export async function lint(context: CommandContext, options: LintOptions): Promise<ExitCode> {
  const { words, fix = false, quiet = false, format = "text", failOn = "warning" } = options;
  refuseUsage("lint", [
    [
      context.json && format === "sarif",
      "--json and --format sarif cannot be combined.",
      "Pass one of them.",
    ],
  ]);
  if (options.rules === true) return tellRules(context);
  const found = await findTargets(context, { words: words.length > 0 ? words : ["."], all: false });
  const files = found.files.filter(({ kind }) => kind === "skill");
  const company = await companyOf(context, files);
  const results: Linted[] = [];
  for (const file of files) results.push(...(await lintFile(context, file, company, fix)));
  const findings = results.flatMap((result) => result.findings);
  const isPoor = findings.some(({ severity }) => severity === "warning" || failOn === "info");
  const exitCode = found.diagnostics.length > 0 ? 2 : isPoor && failOn !== "never" ? 1 : 0;
  if (format === "sarif") {
    context.terminal.printRaw(`${JSON.stringify(sarif(context, results))}\n`);
    return exitCode;
  }
  const rows = results.map(({ path, isLinted, findings: own, silenced, fixed }) => ({
    path,
    isLinted,
    fixed,
    findings: own.map(diagnosticRow),
    silenced: silenced.map(({ finding, reason }) => ({ reason, finding: diagnosticRow(finding) })),
  }));
  return answer(
    { ...context, json: context.json || format === "json" },
    { results: rows, diagnostics: found.diagnostics },
    () => screen(context, results, found.diagnostics, quiet),
    exitCode,
  );
}

/** The share of its own phrases that a skill loses; similar skills naturally lose one of four. */
const COLLIDING_SHARE = 0.5;

interface Company {
  readonly skills: readonly Skill[];
  readonly collisions: readonly Collision[];
}

/** The installed skills, with linted skills in place of those that have the same name. */
async function companyOf(context: CommandContext, files: readonly SkillFile[]): Promise<Company> {
  const installed = await openRegistry(context);
  const folders = files.map(folderOf);
  const roots = folders.filter(
    (folder) => !installed.snapshot.skills.some(({ directory }) => canonicalPath(directory) === folder),
  );
  const placed = roots.length === 0 ? undefined : await openRegistry({ ...context, skillsRoots: roots });
  const own = (placed?.snapshot.skills ?? []).filter(({ directory }) =>
    roots.includes(canonicalPath(directory)),
  );
  const names = new Set(own.map(({ qualifiedName }) => qualifiedName));
  const skills = [
    ...own,
    ...installed.snapshot.skills.filter(({ qualifiedName }) => !names.has(qualifiedName)),
  ];
  const isMeant = ({ directory }: Skill): boolean => folders.includes(canonicalPath(directory));
  const { collisions } = await loadSelecting().findCollisions(
    // A bundled skill gives way to any other, and its author is not the one who reads this.
    { ...installed.snapshot, skills: skills.filter((skill) => skill.origin !== "builtin" || isMeant(skill)) },
    {
      minShare: COLLIDING_SHARE,
      names: skills.filter(isMeant).map(({ qualifiedName }) => qualifiedName),
      readBody: (skill) =>
        readSkillBody(placed !== undefined && own.includes(skill) ? placed : installed, skill),
    },
  );
  return { skills, collisions };
}

const folderOf = ({ source, folder }: SkillFile): string => canonicalPath(join(source.canonicalRoot, folder));

const MAX_FILES = 200;
const MAX_FILE_BYTES = 256 * 1024;

async function lintFile(
  context: CommandContext,
  skill: SkillFile,
  company: Company,
  fix: boolean,
): Promise<readonly Linted[]> {
  const { source, folder, fileName, file, path } = skill;
  const read = async (name: string, maxBytes: number) => {
    const content = await source
      .read(join(folder, name), { maxBytes })
      .catch(onSkilletError(() => undefined));
    return content === undefined || content.truncated ? undefined : Buffer.from(content.bytes).toString();
  };
  const text = await read(fileName, MAX_SKILL_BYTES);
  if (text === undefined) return [];
  const listed = await source.listFiles(folder === "" ? "." : folder);
  const files = [];
  for (const { path: name, executable, kind } of listed.files.slice(0, MAX_FILES)) {
    if (kind !== "file" || name === fileName) continue;
    const content = await read(name, MAX_FILE_BYTES);
    files.push({
      path: name,
      executable,
      ...(content !== undefined && !content.includes("\0") && { text: content }),
    });
  }
  const at = folderOf(skill);
  const self = company.skills.find(({ directory }) => canonicalPath(directory) === at);
  const others = new Map(
    company.skills
      .filter((one) => one !== self)
      .map(({ qualifiedName, manifest }) => [qualifiedName, manifest]),
  );
  const input = { file, files, others, collisions: company.collisions };
  const named = { ...input, ...(self !== undefined && { qualifiedName: self.qualifiedName }) };
  const { lintSkill } = loadSelecting();
  const before = lintSkill({ ...named, text });
  if (!fix || skill.isLink || before.fixes.length === 0) return [{ ...before, path, file, text, fixed: [] }];
  const target = resolve(context.workspace, file);
  const fixedText = before.fixes.find((one) => one.text !== undefined)?.text ?? text;
  if (fixedText !== text) await writeAtomic(target, fixedText, { links: "refuse" });
  const executable = before.fixes.flatMap((one) => one.executable ?? []);
  const root = canonicalPath(dirname(target));
  for (const name of executable) {
    const place = canonicalPath(join(root, name));
    // A link could lead to any of the user's files.
    if (isInside(place, root)) chmodSync(place, 0o755);
  }
  const isSet = (name: string): boolean => executable.includes(name);
  const now = files.map((one) => ({ ...one, executable: one.executable || isSet(one.path) }));
  const after = lintSkill({ ...named, files: now, text: fixedText });
  return [{ ...after, path, file, text: fixedText, fixed: before.fixes.map(({ code }) => code) }];
}

function screen(
  { terminal }: CommandContext,
  results: readonly Linted[],
  faults: readonly Diagnostic[],
  quiet: boolean,
): readonly string[] {
  const { green, yellow, red, cyan } = terminal.colours;
  const blocks = results.flatMap(({ path, findings, fixed, file, text }) => [
    ...(fixed.length > 0 ? [[`${showControl(path)}: fixed ${fixed.join(", ")}`]] : []),
    ...findings
      .filter(({ severity }) => !quiet || severity === "warning")
      .map((one) => diagnosticReport(one, { ...terminal, file, text })),
  ]);
  const unlinted = results.filter(({ isLinted }) => !isLinted).map(({ path }) => path);
  const all = results.flatMap(({ findings }) => findings);
  const silenced = results.reduce((sum, one) => sum + one.silenced.length, 0);
  const tally = [tallySeverities(all), silenced > 0 ? `${silenced} silenced` : ""].filter(
    (part) => part !== "",
  );
  const mark = all.some(({ severity }) => severity === "warning") ? yellow("!") : green("✓");
  const linted = results.length - unlinted.length;
  const note = tally.length === 0 ? "" : ` (${tally.join(", ")})`;
  const said = all.length === 0 ? "nothing to improve" : "can be improved";
  const isFixable = results.some(({ fixes, fixed }) => fixes.length > 0 && fixed.length === 0);
  return [
    ...blocks.flatMap((block) => [...block, ""]),
    ...faults.flatMap((fault) => diagnosticReport(fault, { ...terminal, file: fault.file })),
    ...unlinted.flatMap((path) =>
      hang(`${path} does not load: skillet validate ${path}`, terminal, { indent: 2, lead: `${red("✗")} ` }),
    ),
    ...(linted > 0 ? [`${mark} ${count(linted, "skill")}: ${said}${note}`] : []),
    ...(isFixable ? [`Some of this can be fixed: ${cyan("add --fix")}`] : []),
  ];
}

function tellRules(context: CommandContext): ExitCode {
  const rules = loadSelecting().LINT_RULES.map(({ id, severity, reason, hint }) => ({
    id,
    severity,
    reason,
    hint,
  }));
  const { bold, dim } = context.terminal.colours;
  return answer(context, { rules }, () =>
    rules.flatMap(({ id, severity, reason }) => [
      `${bold(id)} ${dim(severity)}`,
      ...hang(reason, context.terminal, { indent: 2 }),
    ]),
  );
}

function sarif({ version }: CommandContext, results: readonly Linted[]): object {
  const rules = loadSelecting().LINT_RULES;
  const level = (severity: string): string => (severity === "info" ? "note" : severity);
  const row = ({ code, severity, message, file, range, hint }: Diagnostic, justification?: string) => ({
    ruleId: code,
    level: level(severity),
    message: { text: `${message} ${hint ?? ""}`.trim() },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: { startLine: range?.line ?? 1, ...(range && { startColumn: range.column }) },
        },
      },
    ],
    ...(justification !== undefined && { suppressions: [{ kind: "inSource", justification }] }),
  });
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "Skillet lint",
            version,
            rules: rules.map(({ id, severity, reason, hint }) => ({
              id,
              shortDescription: { text: reason },
              help: { text: hint },
              defaultConfiguration: { level: level(severity) },
            })),
          },
        },
        results: results.flatMap(({ findings, silenced }) => [
          ...findings.map((finding) => row(finding)),
          ...silenced.map(({ finding, reason }) => row(finding, reason)),
        ]),
      },
    ],
  };
}

function uriOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : file.split("/").map(encodeURIComponent).join("/");
}
