import { existsSync, lstatSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { LocalSource } from "@skillet/core";
import { isRootManifest, readPlugins } from "@skillet/core/internal";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { errorCode } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import type { CommandContext } from "../context/command-context.ts";
import { openWorkspace } from "../context/open-workspace.ts";

export interface SkillFile {
  readonly kind: "skill" | "command" | "file" | "plugin";
  /** As typed: the skill's folder, or the file for a command or if a file was named. */
  readonly path: string;
  /** The file itself, for diagnostics. */
  readonly file: string;
  readonly source: LocalSource;
  /** The folder inside the source; `""` is the source itself. */
  readonly folder: string;
  readonly fileName: string;
  /** The folder's name, or a command file's without `.md`. */
  readonly directoryName: string;
  /** The file is reached through a link to somewhere else, so it is not written here. */
  readonly isLink: boolean;
  /** For an `mcp.json`, the schema of its manifest. */
  readonly schema?: string;
  /** Set for a manifest. */
  readonly faults?: readonly Diagnostic[];
}

export interface FoundFiles {
  readonly files: readonly SkillFile[];
  /** Problems that do not belong to a single file. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns the folders that Skillet's links lead into: those of installed skills and of the user's own. */
export function linkedRoots(context: CommandContext): readonly string[] {
  const { home, userHome, root } = openWorkspace(context);
  // A repository may contain a link in place of such a folder.
  const own = canonicalPath(join(root, ".agents/skills"));
  const users = [join(home, "plugins"), join(userHome, ".agents/skills")].map(canonicalPath);
  return isInside(own, canonicalPath(root)) ? [...users, own] : users;
}

export async function findSkillFiles(
  path: string,
  workingDirectory: string,
  /** Folders that links may lead into, such as that of installed skills; canonical paths. */
  allowedRoots: readonly string[] = [],
): Promise<FoundFiles> {
  const absolute = resolve(workingDirectory, path);
  const found = statPath(absolute);
  if (typeof found === "string") return { files: [], diagnostics: [problem(path, found)] };
  if (!found.isDirectory()) return { files: [namedFile(path, absolute)], diagnostics: [] };
  const skills = isCommandPath(absolute) ? NOTHING : await listSkills(path, absolute, allowedRoots);
  const commands = await listCommands(path, absolute);
  const all = [...skills.files, ...commands.files];
  const realOf = ({ file }: SkillFile): string => canonicalPath(resolve(workingDirectory, file));
  const real = new Set(all.filter(({ isLink }) => !isLink).map(realOf));
  // A link to a skill that is also found directly, such as one made for an agent, is not another skill.
  const isAgain = (file: SkillFile): boolean =>
    file.isLink && real.has(realOf(file)) && basename(dirname(realOf(file))) === file.directoryName;
  const files = all.filter((file) => !isAgain(file));
  const diagnostics = [...skills.diagnostics, ...commands.diagnostics];
  const isEmpty = files.length === 0 && !diagnostics.some(({ severity }) => severity === "error");
  return { files, diagnostics: isEmpty ? [...diagnostics, problem(path, "no-skill")] : diagnostics };
}

const NOTHING: FoundFiles = { files: [], diagnostics: [] };

/** Includes manifests and server lists of Agent Plugins, but nothing that only looks like their skills. */
async function listSkills(
  path: string,
  absolute: string,
  allowedRoots: readonly string[],
): Promise<FoundFiles> {
  const source = new LocalSource(absolute, { allowedRoots });
  const { folders, plugins = [], diagnostics } = await source.listSkills();
  const listed = folders.map((skill) => ({ ...skill, folder: skill.path }));
  const read = await readPlugins(source, plugins.filter(isRootManifest), listed);
  const documents: SkillFile[] = [];
  for (const [folder, { agentPlugin }] of read.found) {
    const document = (fileName: string, more: Pick<SkillFile, "schema" | "faults">): void => {
      const file = join(path, folder, fileName);
      const at = { kind: "plugin", source, folder, directoryName: "", isLink: false } as const;
      documents.push({ ...at, path: file, file, fileName, ...more });
    };
    const schema = agentPlugin?.manifest?.$schema;
    document("plugin.json", { faults: asTyped(agentPlugin?.diagnostics ?? [], absolute, path) });
    if (schema !== undefined && existsSync(join(absolute, folder, "mcp.json")))
      document("mcp.json", { schema });
  }
  // All skills of a rejected plugin are checked, so that every problem is reported in one run.
  const rejected = [...read.found].filter(([, { name }]) => name === undefined).map(([folder]) => folder);
  const offered = new Set(read.skills);
  const isChecked = (skill: (typeof listed)[number]): boolean =>
    offered.has(skill) || rejected.some((at) => at === "" || `${skill.folder}/`.startsWith(`${at}/`));
  const skills = listed.filter(isChecked).map(
    ({ folder, file: fileName, canonicalFile }): SkillFile => ({
      kind: "skill",
      path: join(path, folder),
      file: join(path, folder, fileName),
      source,
      folder,
      fileName,
      directoryName: basename(folder === "" ? absolute : folder),
      isLink: canonicalFile !== undefined && canonicalFile !== join(source.canonicalRoot, folder, fileName),
    }),
  );
  const misplaced = read.diagnostics.filter(({ code }) => code === "agent-plugin-skill-left-out");
  return {
    files: [...documents, ...skills],
    diagnostics: asTyped([...diagnostics, ...misplaced], absolute, path),
  };
}

const COMMANDS = join(".claude", "commands");

/** Returns the files of `.claude/commands` for a folder inside it, or for one that contains it. */
async function listCommands(path: string, absolute: string): Promise<FoundFiles> {
  const isInner = isCommandPath(absolute);
  const inner = isInner ? "" : basename(absolute) === ".claude" ? "commands" : COMMANDS;
  const commands = join(absolute, inner);
  const found = statPath(commands);
  // Links that lead outside the named folder are not followed. The search for skills reports them, and
  // inaccessible folders.
  if (typeof found === "string" || !found.isDirectory()) return NOTHING;
  if (!isInside(canonicalPath(commands), canonicalPath(absolute))) return NOTHING;
  const given = join(path, inner);
  const source = new LocalSource(commands, { layout: "commands" });
  const { folders, diagnostics } = await source.listSkills();
  return {
    files: folders.map(({ path: folder, file: fileName }) => {
      const file = join(given, folder, fileName);
      const directoryName = basename(fileName, ".md");
      return { kind: "command", path: file, file, source, folder, fileName, directoryName, isLink: false };
    }),
    diagnostics: asTyped(diagnostics, commands, given),
  };
}

function namedFile(path: string, absolute: string): SkillFile {
  const directory = dirname(absolute);
  const isCommand = isCommandPath(directory) && absolute.endsWith(".md");
  return {
    kind: isCommand ? "command" : "skill",
    path,
    file: path,
    source: new LocalSource(directory),
    folder: "",
    fileName: basename(absolute),
    directoryName: isCommand ? basename(absolute, ".md") : basename(directory),
    isLink: lstatSync(absolute).isSymbolicLink(),
  };
}

function isCommandPath(absolute: string): boolean {
  return `${absolute}${sep}`.includes(`${sep}${COMMANDS}${sep}`);
}

function statPath(absolute: string): Stats | Problem {
  try {
    return statSync(absolute);
  } catch (error) {
    const found = ERRORS[errorCode(error) ?? ""];
    if (found === undefined) throw error;
    return found;
  }
}

const ERRORS: Readonly<Record<string, Problem>> = {
  ENOENT: "path-not-found",
  ENOTDIR: "path-not-found",
  ENAMETOOLONG: "path-not-found",
  EACCES: "permission-denied",
  EPERM: "permission-denied",
  ELOOP: "link-loop",
};

type Problem = keyof typeof PROBLEMS;

const PROBLEMS = {
  "path-not-found": [
    "There is nothing at this path.",
    "Check the spelling, or run the command from another folder. For a source elsewhere: skillet try SOURCE",
  ],
  "permission-denied": ["This path may not be read.", "Change its permissions, or run as a user who may."],
  "link-loop": ["This link leads back to itself.", "Remove the link, or point it at a file."],
  "no-skill": [
    "There is no SKILL.md here or below.",
    "Name a SKILL.md, a skill's folder, or a folder of skills.",
  ],
} as const;

function problem(path: string, code: Problem): Diagnostic {
  const [message, hint] = PROBLEMS[code];
  return diagnostic("error", code, path, message, hint);
}

// The source reports absolute paths; users expect them as typed.
function asTyped(diagnostics: readonly Diagnostic[], absolute: string, path: string): readonly Diagnostic[] {
  return diagnostics.map((diagnostic) => {
    if (diagnostic.file === absolute) return { ...diagnostic, file: path };
    if (!isInside(diagnostic.file, absolute)) return diagnostic;
    return { ...diagnostic, file: join(path, relative(absolute, diagnostic.file)) };
  });
}
