import { basename, dirname, resolve } from "node:path";
import { LocalSource, type Skill, type Skills } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath } from "@skillet/kit/files";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { openRegistry } from "../open-registry.ts";
import { lookUpSkill, resolveSkill } from "../resolve-skill.ts";
import { findSkillFiles } from "../validate/find-skill-files.ts";
import type { SkillFile } from "../validate/skill-file.ts";
import { pathKind } from "./path-kind.ts";
import { type ScanTarget, targetFile } from "./scan-target.ts";
import { unknownName } from "./unknown-name.ts";

/** What a command line means: skills and files to scan, and places that could not be searched. */
export interface FoundTargets {
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
