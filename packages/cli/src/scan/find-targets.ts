import { basename, dirname, join, resolve } from "node:path";
import { LocalSource, type Skill, type Skills } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { lookUpSkill, openRegistry, resolveSkill } from "../context/open-registry.ts";
import { pathKind } from "../context/output-file.ts";
import { count, showPath } from "../ui/text.ts";
import { findSkillFiles, type SkillFile } from "../validate/find-skill-files.ts";

interface FoundTargets {
  readonly targets: readonly ScanTarget[];
  readonly diagnostics: readonly Diagnostic[];
  /** Where names had to be looked up. */
  readonly registry?: Skills;
}

/**
 * Finds what to scan: every skill that was found, or what each word names.
 *
 * A bare name means an installed skill, though a folder here is called so too: else a project could put an innocent one in
 * the way of the skill that somebody asks about.
 */
export async function findTargets(
  context: CommandContext,
  wanted: { readonly words: readonly string[]; readonly all: boolean },
): Promise<FoundTargets> {
  const targets: ScanTarget[] = [];
  const diagnostics: Diagnostic[] = [];
  let registry: Skills | undefined;
  const skills = async (): Promise<Skills> => {
    registry ??= await openRegistry(context);
    return registry;
  };
  if (wanted.all) {
    const { snapshot } = await skills();
    targets.push(...snapshot.skills.map(installed));
  }
  for (const word of wanted.words) {
    const kind = pathKind(resolve(context.workspace, word));
    const named = looksLikePath(word) || kind === "file" ? undefined : await findInstalled(word, kind);
    if (named === "unknown") continue;
    if (named !== undefined) targets.push(installed(named));
    else if (kind === "file" && !isSkillFile(word)) targets.push(oneFile(word, context.workspace));
    else {
      const found = await findSkillFiles(kind === "file" ? dirname(word) : word, context.workspace);
      const meant =
        kind === "file" ? found.files.filter(({ file }) => sameFile(file, word, context)) : found.files;
      targets.push(...meant.map(fromPath));
      if (kind !== "file" || meant.length === 0) diagnostics.push(...found.diagnostics);
    }
  }
  return { targets: withoutRepeats(targets), diagnostics, ...(registry !== undefined && { registry }) };

  // One name that means nothing must not keep the others from being scanned.
  async function findInstalled(word: string, kind: PathKind): Promise<Skill | "unknown" | undefined> {
    const { workspace, terminal } = context;
    const known = await skills();
    if (kind !== "nothing" && lookUpSkill(known, word, workspace).kind === "unknown") return undefined;
    const skill = resolveOrTell(known, word);
    if (skill === undefined) return "unknown";
    if (kind !== "nothing" && canonicalPath(skill.directory) !== canonicalPath(resolve(workspace, word)))
      terminal.warn(`${word} is taken for the skill in ${skill.directory}; the folder here is ./${word}`);
    return skill;
  }

  function resolveOrTell(known: Skills, word: string): Skill | undefined {
    try {
      return resolveSkill(known, word, context.workspace);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      diagnostics.push(unknownName(word, { error, skills: known, context }));
      return undefined;
    }
  }
}

type PathKind = ReturnType<typeof pathKind>;

function looksLikePath(word: string): boolean {
  return word.includes("/") || word.startsWith(".") || word.includes("\\");
}

function isSkillFile(path: string): boolean {
  return basename(path).toLowerCase() === "skill.md";
}

function sameFile(found: string, word: string, { workspace }: CommandContext): boolean {
  return resolve(workspace, found) === resolve(workspace, word);
}

function installed(skill: Skill): ScanTarget {
  const { kind, directory, directoryName, path } = skill;
  return {
    path: kind === "command" ? path : directory,
    source: new LocalSource(directory),
    folder: "",
    file: basename(path),
    extent: kind === "command" ? "file" : "folder",
    directoryName,
  };
}

function oneFile(word: string, workspace: string): ScanTarget {
  const absolute = resolve(workspace, word);
  return {
    path: word,
    source: new LocalSource(dirname(absolute)),
    folder: "",
    file: basename(absolute),
    extent: "file",
    directoryName: basename(dirname(absolute)),
  };
}

function fromPath(found: SkillFile): ScanTarget {
  const { path, source, sourcePath, directoryName, kind } = found;
  return {
    path: path === "" ? "." : path,
    source,
    folder: parent(sourcePath),
    file: basename(sourcePath),
    extent: kind === "command" ? "file" : "folder",
    directoryName,
  };
}

function parent(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}

// `scan skills skills/pdf` names one skill twice.
function withoutRepeats(targets: readonly ScanTarget[]): readonly ScanTarget[] {
  const seen = new Set<string>();
  return targets.filter((target) => {
    const key = `${target.extent} ${targetFile(target)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

// Where projects keep skills that Skillet does not look into by itself, or not yet.
const USUAL_FOLDERS = ["skills", ".skillet/skills", ".agents/skills", ".claude/skills"];
const MAX_ROOTS = 4;

/** A name that means no skill, or several: where it was looked up, and the path of a folder that may have been meant. */
function unknownName(
  word: string,
  {
    error,
    skills,
    context,
  }: { readonly error: CliError; readonly skills: Skills; readonly context: CommandContext },
): Diagnostic {
  const folder = USUAL_FOLDERS.map((parent) => join(parent, word)).find(
    (path) => pathKind(resolve(context.workspace, path)) !== "nothing",
  );
  const hints =
    folder === undefined ? error.hints : [`For the folder ${folder}: skillet scan ${shellArgument(folder)}`];
  return {
    code: error.code,
    severity: "error",
    message: `${error.message} ${lookedIn(skills, context)}`,
    file: word,
    hint: hints.map((hint) => hint.trim()).join(" "),
  };
}

function lookedIn({ snapshot }: Skills, { environment }: CommandContext): string {
  const roots = snapshot.roots
    .filter(({ state }) => state !== "missing")
    .map(({ path }) => showPath(path, environment));
  const shown = roots.slice(0, MAX_ROOTS).join(", ");
  const rest = roots.length > MAX_ROOTS ? ` and ${roots.length - MAX_ROOTS} more` : "";
  const where = roots.length === 0 ? "" : `, in ${shown}${rest}`;
  return `A word without a slash is looked up among the ${count(snapshot.skills.length, "skill")} that Skillet finds${where}.`;
}

/** One skill to scan, or one file that was named alone, and how to read it. */
export interface ScanTarget {
  /** What the result is called: as the person typed it. */
  readonly path: string;
  readonly source: LocalSource;
  /** The skill's folder inside the source; `""` is the source itself. */
  readonly folder: string;
  /** The SKILL.md in that folder, or the one file that was named. */
  readonly file: string;
  readonly extent: "folder" | "file";
  readonly directoryName: string;
}

export function targetFile({ source, folder, file }: ScanTarget): string {
  return join(source.canonicalRoot, folder, file);
}
