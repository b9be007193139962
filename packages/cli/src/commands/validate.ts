import { isUtf8 } from "node:buffer";
import { existsSync, renameSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseSkill, repairSkill } from "@skillet/core";
import {
  MAX_SKILL_BYTES,
  parseSkillBytes,
  readAgentPluginServers,
  readToolsets,
} from "@skillet/core/internal";
import { readLock } from "@skillet/hub";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside, writeAtomic } from "@skillet/kit/files";
import { refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { lookUpSkill, openRegistry } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { newNameProblem } from "../hub/plan-import.ts";
import { loadSelecting } from "../load-beside.ts";
import { diagnosticRow } from "../ui/json-document.ts";
import { TEMPLATE } from "../ui/skill-state.ts";
import { showControl } from "../ui/text.ts";
import { findSkillFiles, linkedRoots, type SkillFile } from "../validate/find-skill-files.ts";
import {
  changedLines,
  isValid,
  type ValidationResult,
  validationReport,
} from "../validate/validation-report.ts";

interface ValidateOptions extends Flags<"fix" | "dryRun" | "quiet" | "refCompat"> {
  readonly paths: readonly string[];
}

export async function validate(context: CommandContext, options: ValidateOptions): Promise<ExitCode> {
  const { fix = false, dryRun = false, quiet = false, refCompat = false } = options;
  const given = options.paths.map((word) => pathOf(context, word));
  const paths = given.length > 0 ? await Promise.all(given) : ["."];
  refuseUsage("validate", [
    [dryRun && !fix, "--dry-run needs --fix.", "For example: skillet validate --fix --dry-run"],
    [refCompat && fix, "--ref-compat and --fix cannot be combined: the reference validator repairs nothing."],
  ]);
  if (refCompat) {
    const { answerAsReference } = await import("../validate/answer-as-reference.ts");
    return answerAsReference(context, paths);
  }
  const results = await checkPaths(paths, {
    workingDirectory: context.workspace,
    allowedRoots: linkedRoots(context),
    ...(fix && { fix: dryRun ? "dry-run" : "write" }),
    confirm: context.confirm,
    lockedFolders: () => lockedFolders(context),
  });
  const rows = results.map((result) => ({
    path: result.path,
    kind: result.kind,
    valid: isValid(result),
    diagnostics: result.diagnostics,
    ...(fix && { fixed: (result.repairs?.applied ?? []).map(diagnosticRow) }),
  }));
  return answer(
    context,
    { results: rows },
    () => validationReport(results, { ...context.terminal, quiet }),
    results.every(isValid) ? 0 : 1,
  );
}

/** Local files come first, because authors check what they write; any other word may be a skill's name. */
async function pathOf(context: CommandContext, word: string): Promise<string> {
  if (/[/\\]|^\./.test(word) || existsSync(resolve(context.workspace, word))) return word;
  const found = lookUpSkill(await openRegistry(context), word, context.workspace);
  const skill = found.kind === "found" ? found.skill : undefined;
  return (skill?.kind === "command" ? skill.path : skill?.directory) ?? word;
}

export async function checkPaths(
  paths: readonly string[],
  options: RenameOptions & { readonly fix?: "write" | "dry-run" },
): Promise<readonly ValidationResult[]> {
  const { workingDirectory, allowedRoots, fix } = options;
  const results: ValidationResult[] = [];
  for (const path of paths) {
    const { files, diagnostics } = await findSkillFiles(path, workingDirectory, allowedRoots);
    if (diagnostics.length > 0) results.push({ kind: "place", path, diagnostics });
    const checked = new Map<SkillFile, ValidationResult>();
    const order = files.toSorted((left, right) => Number(left.isLink) - Number(right.isLink));
    // Targets of links are repaired first, so that a link is judged by its target's new content.
    for (const file of order)
      checked.set(
        file,
        await (fix === undefined ? checkSkillFile(file) : fixSkillFile(file, { write: fix === "write" })),
      );
    // Renames come after all repairs, innermost first: a folder takes its contents along when it moves.
    for (const [file, result] of fix === "write" ? [...checked].reverse() : [])
      checked.set(file, await renameFolder(file, result, options));
    for (const result of files.flatMap((file) => checked.get(file) ?? [])) results.push(result);
  }
  return results;
}

interface RenameOptions {
  readonly workingDirectory: string;
  readonly allowedRoots?: readonly string[];
  /** Absent without a terminal. */
  readonly confirm?: CommandContext["confirm"] | undefined;
  /** Folders that a lock names; the lock would no longer find them after a rename. */
  readonly lockedFolders?: () => Promise<readonly string[]>;
}

async function lockedFolders(context: CommandContext): Promise<readonly string[]> {
  const { home, locks } = openWorkspace(context);
  const folders = [canonicalPath(join(home, "plugins"))];
  for (const file of [locks.user, locks.project])
    for (const { targets } of existsSync(file) ? (await readLock(file)).skills.values() : [])
      folders.push(...targets.map(({ path }) => canonicalPath(resolve(dirname(file), path))));
  return folders;
}

/** Renames a folder to its skill's name if the user agrees; never an installed one or the current folder. */
async function renameFolder(
  skill: SkillFile,
  result: ValidationResult,
  { workingDirectory, allowedRoots, confirm, lockedFolders: findLocked }: RenameOptions,
): Promise<ValidationResult> {
  const { kind, path, isLink } = skill;
  const from = resolve(workingDirectory, path);
  const isOther = result.diagnostics.some(({ code }) => code === "name-directory-mismatch");
  if (kind !== "skill" || isLink || !isOther || from === workingDirectory || !confirm) return result;
  const locked = (await findLocked?.()) ?? [];
  if (locked.some((root) => isInside(canonicalPath(from), root))) return result;
  const { name = "" } = parseSkill(result.text ?? "").manifest ?? {};
  const to = join(dirname(path), name);
  if (newNameProblem(name) !== undefined || existsSync(resolve(workingDirectory, to))) return result;
  const question = `Rename the folder ${showControl(path)} to ${name}, as its skill is called?`;
  if (!(await confirm(question))) return result;
  try {
    renameSync(from, resolve(workingDirectory, to));
  } catch (error) {
    const message = `The folder could not be renamed to ${name} (${errorCode(error) ?? error}).`;
    const hint = "Check the permissions of the folder above it.";
    const refused = diagnostic("error", "folder-not-renamed", path, message, hint);
    return { ...result, diagnostics: [...result.diagnostics, refused] };
  }
  const [moved = skill] = (await findSkillFiles(to, workingDirectory, allowedRoots)).files;
  return { ...(await checkSkillFile(moved)), ...(result.repairs && { repairs: result.repairs }) };
}

async function checkSkillFile(skill: SkillFile): Promise<ValidationResult> {
  const { path, kind } = skill;
  const read = await readOrExplain(skill);
  if ("bytes" in read) return checkContent(skill, read.bytes);
  return { kind: kind === "file" ? "skill" : kind, path, diagnostics: [read] };
}

async function checkContent(skill: SkillFile, bytes: Uint8Array): Promise<ValidationResult> {
  const { path, file } = skill;
  const kind = skill.kind === "file" ? "skill" : skill.kind;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const diagnostics = [
    ...(await checkBytes(skill, bytes)),
    ...templateFaults(skill, text),
    ...(await missingFiles(skill, text)),
  ];
  const repair = skill.isLink ? undefined : repairOf(skill, bytes, text);
  if (repair === undefined) return { kind, path, diagnostics, file, text, bytes };
  // A YAML error hides all errors after it, so those that a repair would reveal are reported now, too.
  const isFaulty = diagnostics.some(({ severity }) => severity === "error");
  const repaired = repairSkill(text).text;
  const hidden = isFaulty ? await checkBytes(skill, Buffer.from(repaired)) : [];
  for (const more of [hidden.map((one) => moveBack(one, repaired, text)), repair.applied]) {
    const known = new Set(diagnostics.map(({ code }) => code));
    diagnostics.push(...more.filter(({ code }) => !known.has(code)));
  }
  return { kind, path, diagnostics, file, text, bytes, isRepairable: true };
}

/** Maps a diagnostic in the repaired text to the line with the same key or text in the original. */
function moveBack({ range, ...fault }: Diagnostic, repaired: string, text: string): Diagnostic {
  const [start = ""] = /^[\w-]+:|^.*/.exec(repaired.split("\n")[(range?.line ?? 0) - 1] ?? "") ?? [];
  const at = text.split("\n").findIndex((line) => start !== "" && line.startsWith(start));
  return { ...fault, ...(range && at !== -1 && { range: { ...range, line: at + 1 } }) };
}

/** Returns files that the text mentions but that do not exist, as `skillet lint` finds them. */
async function missingFiles({ kind, source, folder, file }: SkillFile, text: string) {
  if (kind !== "skill" || !/\]\(|(?:references|scripts|assets)\//.test(text)) return [];
  const { files } = await source.listFiles(folder === "" ? "." : folder);
  const { findings } = loadSelecting().lintSkill({ text, file, files });
  return findings.filter(({ code }) => code === "file-missing");
}

// Other TODOs are left to `skillet lint`.
function templateFaults({ file }: SkillFile, text: string): readonly Diagnostic[] {
  const before = TEMPLATE.exec(text)?.index;
  if (before === undefined) return [];
  const lines = text.slice(0, before).split("\n");
  const range = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  const hint = "Replace everything that begins with TODO; skillet lint lists it.";
  return [
    { ...diagnostic("error", "template-unfilled", file, "The template is not filled in yet.", hint), range },
  ];
}

/** Returns what `--fix` would do; undefined if that changes nothing or could lose something. */
function repairOf(
  { kind, file, directoryName }: SkillFile,
  bytes: Uint8Array,
  text: string,
): ReturnType<typeof repairSkill> | undefined {
  // Writing back bytes that are not text would lose them, and a skill's fault may not be one in a command.
  if (!isUtf8(bytes) || kind === "command" || kind === "plugin") return undefined;
  const repaired = repairSkill(text, { file, directoryName });
  return repaired.text === text ? undefined : repaired;
}

/** Makes repairs that cannot change what a skill says, and checks the result; `write: false` is a preview. */
export async function fixSkillFile(
  skill: SkillFile,
  options: { readonly write: boolean },
): Promise<ValidationResult> {
  const checked = await checkSkillFile(skill);
  const { text: before, bytes } = checked;
  if (before === undefined || bytes === undefined) return checked;
  const { text, applied } = repairOf(skill, bytes, before) ?? {};
  if (text === undefined || applied === undefined) return checked;
  const content = Buffer.from(text);
  const refusal = skill.isLink
    ? linkRefused(skill.file)
    : options.write && (await replace(skill, bytes, content));
  if (refusal) return { ...checked, diagnostics: [...checked.diagnostics, refusal] };
  const repairs = { applied, changes: changedLines(before, text), written: options.write };
  const after = await (options.write ? checkSkillFile(skill) : checkContent(skill, content));
  return { ...(options.write ? after : checked), repairs: { ...repairs, remaining: after.diagnostics } };
}

function linkRefused(file: string): Diagnostic {
  const message =
    "It is reached through a link, so it was not repaired: the target of a link may belong to someone else.";
  return diagnostic("warning", "link-refused", file, message, "Run the command on the file itself.");
}

/** Writes a file if it still has the content that was read; an unwritable file does not stop the others. */
async function replace(
  { source, folder, fileName, file }: SkillFile,
  expected: Uint8Array,
  content: Uint8Array,
): Promise<Diagnostic | undefined> {
  const sourcePath = join(folder, fileName);
  try {
    const now = await source.read(sourcePath, { maxBytes: MAX_SKILL_BYTES });
    const message = "It changed while it was being repaired, so it was left alone.";
    if (now.truncated || !Buffer.from(now.bytes).equals(expected))
      return diagnostic("error", "file-changed", file, message, "Run the command again.");
    await writeAtomic(source.toolPath(sourcePath), content, { links: "refuse" });
    return undefined;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const hint = "Check the permissions of the file and its folder, and the space on the disk.";
    return diagnostic("error", error.code, file, error.message, hint);
  }
}

async function readOrExplain(skill: SkillFile): Promise<{ readonly bytes: Uint8Array } | Diagnostic> {
  const { source, folder, fileName, file } = skill;
  try {
    const read = await source.read(join(folder, fileName), { maxBytes: MAX_SKILL_BYTES });
    // A plugin's manifest has a smaller limit and its own message.
    if (!read.truncated || skill.kind === "plugin") return read;
    const message = `The file is larger than ${MAX_SKILL_BYTES} bytes and was not read.`;
    const hint = "Move long parts into files under references/, which are read only when needed.";
    return diagnostic("error", "skill-too-large", file, message, hint);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const hint = HINTS.get(error.code) ?? "Replace it with a regular file that you may read.";
    return diagnostic("error", error.code, file, error.message, hint);
  }
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["file-not-found", "Check the spelling: the file is called SKILL.md."],
  ["permission-denied", "Change the file's permissions, or run as a user who may read it."],
  ["path-outside-root", "Put the file into the skill's folder instead of linking to it."],
]);

async function checkBytes(skill: SkillFile, bytes: Uint8Array): Promise<readonly Diagnostic[]> {
  const { kind, file, directoryName, schema } = skill;
  if (kind === "plugin")
    return schema === undefined
      ? (skill.faults ?? [])
      : readAgentPluginServers(bytes, { file, schema }).diagnostics;
  if (kind !== "command") {
    const { diagnostics } = parseSkillBytes(bytes, { mode: "strict", file, directoryName });
    return [...spelling(skill), ...diagnostics, ...(await checkToolsets(skill, bytes))];
  }
  // The specification covers only skills. A command just has to load, even without name and description.
  const { manifest, diagnostics } = parseSkillBytes(bytes, { mode: "lenient", file, directoryName });
  return manifest === undefined ? diagnostics : diagnostics.filter(({ code }) => !NOT_FOR_COMMANDS.has(code));
}

const NOT_FOR_COMMANDS: ReadonlySet<string> = new Set(
  "missing-name name-directory-mismatch missing-frontmatter missing-description".split(" "),
);

function spelling({ file, fileName }: SkillFile): readonly Diagnostic[] {
  const hint = "Rename it to SKILL.md.";
  if (fileName === "SKILL.md") return [];
  if (fileName !== "skill.md")
    return [diagnostic("error", "not-a-skill-file", file, "A skill's file is called SKILL.md.", hint)];
  const message = "The file is called skill.md; not every client reads that.";
  return [diagnostic("warning", "lower-case-skill-file", file, message, hint)];
}

async function checkToolsets(skill: SkillFile, bytes: Uint8Array): Promise<readonly Diagnostic[]> {
  // Most skills have no toolsets, and parsing a second time would cost as much as the rest.
  if (!Buffer.from(bytes).includes("toolsets")) return [];
  const { file, directoryName, source, folder } = skill;
  const { manifest } = parseSkillBytes(bytes, { mode: "lenient", file, directoryName });
  const entries = manifest?.toolsets ?? [];
  if (entries.length === 0) return [];
  const toolsets = await readToolsets(entries, {
    skillPath: file,
    files: (await source.listFiles(folder === "" ? "." : folder)).files,
    read: (path, options) => source.read(join(folder, path), options),
    pathOf: (path) => join(dirname(file), path),
  });
  return toolsets.flatMap(({ diagnostics }) => diagnostics);
}
