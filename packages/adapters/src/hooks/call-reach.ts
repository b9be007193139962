import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { DetectedUse, Skill } from "@skillet/core";
import { canonicalTool, listSkillFiles, toolKind } from "@skillet/core/internal";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { ANY_PARTS, cutPath, matchesName, matchesParts, parseName, parseStars } from "@skillet/kit/glob";
import { textOf } from "@skillet/kit/json";
import type { ToolEvent } from "./hook-event.ts";
import { climb, createLocator, type HookSkill, type HookView, stampFile } from "./hook-view.ts";

/** What is needed to find the skills that a call reaches. */
export interface ReachParts {
  readonly userHome: string;
  /** Builds a new view, whatever is kept. */
  freshView(): Promise<HookView>;
}

/** Further paths of a call, and longer ones, are ignored. */
export const MAX_FILES = 1_000;
const MAX_PATH_CHARACTERS = 4_096;
const MAX_INPUT_DEPTH = 8;

type Access = ReturnType<typeof import("./detecting.ts").readAgentCommand>[number];
type FileAccess = Extract<Access, { path: string }>;
type Words = Extract<Access, { kind: "program" }>["words"];

/** What a call reaches: the files of a shell command, or those that any other tool may show. */
export interface Reach {
  readonly run?: { readonly kind: "command"; readonly command: string; readonly cwd: string };
  readonly accesses: readonly FileAccess[];
  readonly cwd: string;
  /** Whether it may be a Skillet command that changes which skills may be used. */
  readonly decides?: boolean;
}

export async function reachOf(parts: ReachParts, { tool, input, folder: cwd }: ToolEvent): Promise<Reach> {
  const name = canonicalTool(tool);
  const home = parts.userHome;
  if (toolKind(name) === "shell") {
    const command = typeof input === "string" ? input : textOf(input, "command");
    if (command === undefined) return { accesses: [], cwd };
    const run = { kind: "command", command, cwd } as const;
    const { readAgentCommand, isKnownProgram } = await import("./detecting.ts");
    const reached = readAgentCommand(run, { home, variables: new Map() });
    const decides = reached.some(
      (one) => one.kind === "program" && mayDecide(one.words, command, isKnownProgram),
    );
    return { run, cwd, decides, accesses: reached.filter((one) => "path" in one) };
  }
  const isSearch = /grep|search/.test(name);
  const given = filesIn(input, isSearch);
  const isHere = SEARCHES_HERE.test(name) && !Object.entries(Object(input)).some(isPlace);
  const fromHome = (path: string): string => path.replace(/^~(?=\/|$)/, () => home);
  const found = (isHere ? [cwd, ...given] : given).slice(0, MAX_FILES);
  const paths = found.map((path) => resolve(cwd, fromHome(path)));
  // An edit may repair a stopped skill; files directly in Skillet's home decide which skills may be used.
  if (name === "edit" || name === "write") {
    const own = join(home, ".skillet");
    return { accesses: [], cwd, decides: paths.some((path) => dirname(path) === own) };
  }
  const kind = isSearch ? "search" : "read";
  const read = (path: string): FileAccess => ({ kind, path, isSure: true, isOpen: false });
  // A search of a skill's folder shows its instructions.
  const all = isSearch ? paths.flatMap((path) => [path, join(path, "SKILL.md")]) : paths;
  return { cwd, accesses: all.map(read) };
}

const DECIDING: readonly string[] = ["trust", "enable", "allow", "uninstall"];

/** Unknown parts may be anything: the program, its subcommand, or a part of the command that was not read. */
function mayDecide(words: Words, command: string, isKnownProgram: (name: string) => boolean): boolean {
  const [program] = words;
  if (program === undefined) return false;
  // The output of a substitution is unknown, so `$(which skillet) trust` leaves only the subcommand.
  if (
    /skillet/i.test(command) &&
    (DECIDING.includes(program.text) || (words.length === 1 && !program.isKnown))
  )
    return true;
  // An interpreter may run Skillet, and so may a program that no table lists.
  const name = basename(program.text).toLowerCase();
  const isStarter = program.isKnown && (/^(?:node|bun|deno)$/.test(name) || !isKnownProgram(name));
  const mayBeSkillet = ({ text }: Words[number]): boolean =>
    mayBe(basename(text).replace(/(?<=.)@.*$|\.(?:[cm]?js|exe|cmd)$/, ""), ["skillet"]);
  const place = words.findIndex((word, index) => (index === 0 || isStarter) && mayBeSkillet(word));
  const rest = place < 0 ? [] : words.slice(place + 1).map(({ text }) => text);
  if (/^trust --list(?: --json)?$/.test(rest.join(" "))) return false;
  for (const [at, given] of rest.entries()) {
    if (given.startsWith("-")) continue;
    const below = rest.slice(at + 1).find((text) => !text.startsWith("-")) ?? "";
    if (mayBe(given, DECIDING)) return true;
    if (mayBe(given, ["hook"]) && mayBe(below, ["remove"])) return true;
    if (mayBe(given, ["config"]) && mayBe(below, ["set", "unset"])) return true;
    // A word after an option may be its value; any other word is the command, and only arguments follow.
    if (given !== "manage" && rest[at - 1]?.startsWith("-") !== true) return false;
  }
  return false;
}

/** Unknown parts of a word are `*`, as in a pattern. */
function mayBe(text: string, names: readonly string[]): boolean {
  const pattern = parseName(text.toLowerCase());
  return pattern !== undefined && names.some((name) => matchesName(pattern, name));
}

/** Tools that search the working folder by default; those of the web or an issue tracker do not. */
const SEARCHES_HERE = /(?:^|__)(?:rip)?grep(?!.*__)|grep$|^(?:rg|search_file_content|codebase_search)$/;
const isPlace = ([key, value]: [string, unknown]): boolean =>
  typeof value === "string" && /(?:path|file|uri|folder|dir|directory)s?$/i.test(key);
const NAMED = /path|file|uri|include|folder|dir(?:s?$|ector)/i;
/** What a search looks for may begin like a path, but does not say where to look. */
const SOUGHT = /^(?!.*include).*(?:pattern|query|queries|regex)/i;
const [LIKE_PATH, ANY, NONE] = [/^(?:[/~]|\.\.?\/|file:)/i, /^/, /(?!)/];

/** The paths in an input and its lists, by look or by property names, which differ between MCP servers. */
function filesIn(input: unknown, isSearch: boolean, look = LIKE_PATH, depth = 0): readonly string[] {
  if (typeof input === "string")
    return input.length <= MAX_PATH_CHARACTERS && look.test(input) ? [withoutScheme(input)] : [];
  if (typeof input !== "object" || input === null || depth > MAX_INPUT_DEPTH) return [];
  return Object.entries(input).flatMap(([key, value]) => {
    const named = NAMED.test(key) ? ANY : look;
    return filesIn(value, isSearch, isSearch && SOUGHT.test(key) ? NONE : named, depth + 1);
  });
}

function withoutScheme(path: string): string {
  if (!/^file:\/\//i.test(path)) return path;
  const decode = (bytes: string): string => Buffer.from(bytes.replaceAll("%", ""), "hex").toString();
  return path.slice("file://".length).replace(/(?:%[0-9a-f]{2})+/gi, decode);
}

/** Which skills a call uses, among those whose files it reaches and the given others. */
export async function usesOf(
  parts: ReachParts,
  kept: HookView,
  { run, accesses, cwd }: Reach,
  others: readonly HookSkill[],
): Promise<readonly DetectedUse[]> {
  const paths = accesses.map(({ path }) => path);
  const candidates = [...new Set([...(await skillsAt(parts, kept, paths)), ...others])];
  if (candidates.length === 0 || (run === undefined && paths.length === 0)) return [];
  const { createUseDetector } = await import("./detecting.ts");
  const detector = createUseDetector(candidates as unknown as readonly Skill[], { home: parts.userHome });
  if (run !== undefined) return detector.detect(run);
  return paths.flatMap((path) => detector.detect({ kind: "read", path, cwd }));
}

/**
 * The skills that a call shows without naming them: by a pattern (`cat skills/*\/SKILL.md`), by a search of a
 * folder above (`grep -r`), or by what another program finds there (`find -exec cat`). The project and the
 * home are too far above: a stopped skill would block every search of the whole project.
 */
export async function shownFromAbove(
  { userHome }: ReachParts,
  reach: Reach,
  latestView: () => Promise<HookView>,
): Promise<readonly HookSkill[]> {
  const wide = reach.accesses
    .filter(({ kind, path, isOpen }) => kind === "search" || isOpen || /[*?[]/.test(path))
    .map((access) => ({ ...access, pattern: cutPath(access.path) }));
  if (wide.length === 0) return [];
  const view = await latestView();
  const tops = [view.project, userHome].map((top) => [top, cutPath(canonicalPath(top)).length] as const);
  const runs = wide.filter(({ kind }) => kind === "run" || kind === "module");
  const isShown = (file: string, among = wide): boolean => {
    const parts = cutPath(file);
    const depth = Math.max(0, ...tops.map(([top, length]) => (isInside(file, top) ? length : 0)));
    const above = parts.map((_, place) => parts.slice(0, place)).slice(depth + 1);
    return among.some(({ kind, isOpen, pattern }) => {
      if (fits(pattern, parts)) return true;
      if (kind === "search") return above.some((folder) => fits(pattern, folder));
      const isFile = isOpen && fits(pattern.slice(-1), parts.slice(-1));
      return isFile && above.some((folder) => fits(pattern.slice(0, -1), folder));
    });
  };
  // Files other than its instructions count as use of a skill only if they are run.
  const isRun = (folder: string): boolean => {
    const starts = runs.map(({ path }) => path.slice(0, path.search(/[^/]*(?:[*?[]|$)/)));
    if (!starts.some((start) => isInside(folder, start) || isInside(start, folder))) return false;
    return listSkillFiles(folder, "", "folder").files.some(({ path }) => isShown(join(folder, path), runs));
  };
  return view.skills.filter(({ kind, folders, path }) =>
    folders.some((one) => isShown(join(one, basename(path))) || (kind === "skill" && isRun(one))),
  );
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  // As in shells and libraries, a name with a leading dot matches only if the pattern spells it out.
  if (!parts.every((part) => !part.startsWith(".") || pattern.includes(part))) return false;
  return matchesParts(
    pattern.map((part) => (part === "**" ? ANY_PARTS : (parseName(part) ?? parseStars("")))),
    parts,
  );
}

/** The skills whose folders contain the paths. A SKILL.md that the view does not know causes a new view. */
async function skillsAt(
  parts: ReachParts,
  view: HookView,
  paths: readonly string[],
): Promise<readonly HookSkill[]> {
  const given = paths.filter((path) => isAbsolute(path));
  const absolute = [...new Set(given.flatMap((path) => [path, canonicalPath(path)]))];
  if (absolute.length === 0) return [];
  const found = absolute.map(createLocator(view));
  const isUnknown = absolute.some((path, place) => found[place] === undefined && climb(path, holdsSkill));
  if (!isUnknown) return found.filter((skill) => skill !== undefined);
  const fresh = createLocator(await parts.freshView());
  return absolute.flatMap((path) => fresh(path) ?? []);
}

function holdsSkill(folder: string): true | undefined {
  return (stampFile(join(folder, "SKILL.md"))[0] ?? -1) >= 0 || undefined;
}
