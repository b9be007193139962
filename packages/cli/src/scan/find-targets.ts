import { basename, dirname, join, resolve } from "node:path";
import { LocalSource, type Skill, type Skills } from "@skillet/core";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath } from "@skillet/kit/files";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { lookUpSkill, openRegistry, resolveSkill } from "../context/open-registry.ts";
import { pathKind } from "../context/output-file.ts";
import { count, showPath } from "../ui/text.ts";
import {
  type FoundFiles,
  findSkillFiles,
  linkedRoots,
  type SkillFile,
} from "../validate/find-skill-files.ts";

interface FoundTargets extends FoundFiles {
  /** Set if names had to be looked up. */
  readonly registry: Skills | undefined;
}

export async function findTargets(
  context: CommandContext,
  wanted: { readonly words: readonly string[]; readonly all: boolean },
): Promise<FoundTargets> {
  const files: SkillFile[] = [];
  const diagnostics: Diagnostic[] = [];
  let registry: Skills | undefined;
  const skills = async (): Promise<Skills> => {
    registry ??= await openRegistry(context);
    return registry;
  };
  if (wanted.all) files.push(...(await skills()).snapshot.skills.map(installedFile));
  for (const word of wanted.words) {
    const found = await findWord(context, word, skills);
    files.push(...found.files);
    diagnostics.push(...found.diagnostics);
  }
  // `scan skills skills/pdf` names one skill twice.
  const unique = new Map<string, SkillFile>();
  for (const file of files) {
    const key = `${isAlone(file)} ${targetFile(file)}`;
    if (!unique.has(key)) unique.set(key, file);
  }
  return { files: [...unique.values()], diagnostics, registry };
}

/**
 * A bare name means an installed skill, even if a folder here has the same name: otherwise, a project could
 * shadow the skill in question with a harmless one.
 */
async function findWord(
  context: CommandContext,
  word: string,
  skills: () => Promise<Skills>,
): Promise<FoundFiles> {
  const { workspace, terminal } = context;
  const path = resolve(workspace, word);
  const kind = pathKind(path);
  if (kind === "file") return findFile(context, word);
  const isPath = /[/\\]|^\./.test(word);
  const known = isPath ? undefined : await skills();
  if (known === undefined || (kind === "folder" && lookUpSkill(known, word, workspace).kind === "unknown"))
    return findSkillFiles(word, workspace, linkedRoots(context));
  try {
    const skill = resolveSkill(known, word, workspace);
    if (kind === "folder" && canonicalPath(skill.directory) !== canonicalPath(path))
      terminal.warn(`${word} is taken for the skill in ${skill.directory}; the folder here is ./${word}`);
    // An agent may load a skill that is shadowed here.
    const namesakes = known.snapshot.skills.filter(({ name }) => name === word);
    return { files: [skill, ...namesakes].map(installedFile), diagnostics: [] };
  } catch (error) {
    // One unknown name must not keep the others from being scanned.
    if (!(error instanceof CliError)) throw error;
    return { files: [], diagnostics: [unknownName(word, error, known, context)] };
  }
}

// A SKILL.md stands for its whole skill, any other file just for itself.
async function findFile({ workspace }: CommandContext, word: string): Promise<FoundFiles> {
  const path = resolve(workspace, word);
  if (basename(path).toLowerCase() !== "skill.md") {
    const file = { kind: "file", path: word, file: word, directoryName: basename(dirname(path)) } as const;
    return { files: [{ ...file, ...placeOf(dirname(path), path) }], diagnostics: [] };
  }
  const { files, diagnostics } = await findSkillFiles(dirname(word), workspace);
  const meant = files.filter(({ file }) => resolve(workspace, file) === path);
  return { files: meant, diagnostics: meant.length === 0 ? diagnostics : [] };
}

const placeOf = (directory: string, file: string) =>
  ({ source: new LocalSource(directory), folder: "", fileName: basename(file), isLink: false }) as const;

function installedFile({ kind, directory, directoryName, path }: Skill): SkillFile {
  const at = { path: kind === "command" ? path : directory, file: path };
  return { kind, ...at, ...placeOf(directory, path), directoryName };
}

export function isAlone({ kind }: Pick<SkillFile, "kind">): boolean {
  return kind !== "skill";
}

export function targetFile({ source, folder, fileName }: SkillFile): string {
  return join(source.canonicalRoot, folder, fileName);
}

// Where projects keep skills that Skillet does not search by itself, or not yet.
const USUAL_FOLDERS = ["skills", ".skillet/skills", ".agents/skills", ".claude/skills"];
const MAX_ROOTS = 4;

function unknownName(
  word: string,
  error: CliError,
  { snapshot }: Skills,
  { workspace, environment }: CommandContext,
): Diagnostic {
  const folder = USUAL_FOLDERS.map((parent) => join(parent, word)).find(
    (path) => pathKind(resolve(workspace, path)) !== "nothing",
  );
  const hints =
    folder === undefined ? error.hints : [`For the folder ${folder}: skillet scan ${shellArgument(folder)}`];
  const roots = snapshot.roots
    .filter(({ state }) => state !== "missing")
    .map(({ path }) => showPath(path, environment));
  const where = roots.length === 0 ? "" : `, in ${listFirst(roots, MAX_ROOTS)}`;
  const skills = count(snapshot.skills.length, "skill");
  const message = `${error.message} A word without a slash is looked up among the ${skills} that Skillet finds${where}.`;
  return diagnostic("error", error.code, word, message, hints.map((hint) => hint.trim()).join(" "));
}
