import { basename } from "node:path/posix";
import {
  hitsOf,
  type LintedFile,
  type LintedSkill,
  type LintHit,
  type LintRule,
  MAX_HITS,
} from "./lint-rule.ts";

// Links, and files in the folders that the specification names, for example `scripts/fill.py` in a command.
const MENTIONED =
  /(?<=\]\((?!\w+:|[#/~])(?:\.\/)?)[\w./-]+\.\w+(?=[)#\s])|(?<![\w./:@~*<$}-])(?:\.\/)?(?:references|scripts|assets)\/[\w./-]*\w\.\w+(?![\w/*<-])/g;
/** Folders in which every file should be mentioned in the instructions. */
const BESIDE = /^(?:references|scripts|assets)\//;
const SCRIPT = /^scripts\/[^/]+\.(?:sh|bash|py|js|mjs|ts|rb|pl)$/;
const TAKES_ARGUMENTS = /\$[1@#*]|sys\.argv|process\.argv|ARGV/;
const USAGE =
  /usage|--help|argparse|parseArgs|click|typer|commander|getopts|^\s*(?:#|\/\/|\*|""")\s*\w.*\w/im;
const PROMPTS = /^\s*read\s+-[a-z]*p\b|(?<![\w.])input\(|\breadline\.question\(|^\s*select\s+\w+\s+in\b/m;

const each = (files: readonly LintedFile[], message: (path: string) => string): readonly LintHit[] =>
  files.slice(0, MAX_HITS).map(({ path }) => ({ message: message(path) }));

/** Rules about the files beside SKILL.md, which a model reads or runs only if the instructions say so. */
export const FILE_RULES: readonly LintRule[] = [
  {
    id: "file-missing",
    severity: "warning",
    reason: "A model that is sent to a file that is not there loses a turn, or makes its content up.",
    hint: "Add the file, or correct the path.",
    find: ({ body, files }) => {
      const held = new Set(files.map(({ path }) => path));
      const seen = new Set<string>();
      return hitsOf(body, MENTIONED, (path) => path.replace(/^\.\//, "")).flatMap((hit) => {
        const path = hit.message;
        if (seen.has(path) || path.includes("..") || held.has(path)) return [];
        seen.add(path);
        return [{ ...hit, message: `${path} is mentioned, but not in the skill's folder.` }];
      });
    },
  },
  {
    id: "file-unmentioned",
    severity: "info",
    reason: "A model does not look for files that nothing sends it to.",
    hint: "Say in SKILL.md when to read or run it, or remove it.",
    find: (skill) => {
      const unmentioned = skill.files.filter((file) => BESIDE.test(file.path) && !isMentioned(file, skill));
      return each(unmentioned, (path) => `Nothing mentions ${path}.`);
    },
  },
  {
    id: "script-not-executable",
    severity: "warning",
    reason: "A script that is called as a command, but is not executable, fails where it is first needed.",
    hint: "Run chmod +x on it, or call it by its interpreter, such as: sh scripts/x.sh",
    find: (skill) => each(stuck(skill), (path) => `${path} is called as a command, but is not executable.`),
    fix: (skill) => ({ executable: stuck(skill).map(({ path }) => path) }),
  },
  {
    id: "script-no-usage",
    severity: "info",
    reason: "A model has to read a whole script to learn its arguments where no usage text says them.",
    hint: "Begin it with a comment, or print a usage text, that says what it takes.",
    find: ({ files }) =>
      each(
        files.filter(
          ({ path, text = "" }) =>
            SCRIPT.test(path) && TAKES_ARGUMENTS.test(text) && !USAGE.test(text.replace(/^#!.*/, "")),
        ),
        (path) => `${path} takes arguments, and says nowhere which.`,
      ),
  },
  {
    id: "script-prompts",
    severity: "warning",
    reason: "Nobody is there to answer a script that an agent runs, so it hangs until it is stopped.",
    hint: "Take what it asks for as an argument.",
    find: ({ files }) =>
      each(
        files.filter(({ path, text = "" }) => SCRIPT.test(path) && PROMPTS.test(text)),
        (path) => `${path} waits for interactive input.`,
      ),
  },
];

// By its path, its name or a folder's name; modules import each other without the file extension.
function isMentioned({ path }: LintedFile, { body, files }: LintedSkill): boolean {
  const name = basename(path);
  const stem = name.replace(/\.\w+$/, "");
  const [top = path, ...folders] = path.split("/").slice(0, -1);
  const isOfFolder = /^(?:__init__|index)\./.test(name) || path.startsWith("assets/");
  const names = [name, folders[0] ?? name, isOfFolder ? top : name];
  if (names.some((one) => body.includes(one))) return true;
  return files.some(
    (other) =>
      other.path !== path &&
      other.text !== undefined &&
      (other.text.includes(name) ||
        new RegExp(`\\b(?:import|from|require|source)\\b.*\\b${stem.replace(/\W/g, ".")}\\b`).test(
          other.text,
        )),
  );
}

/** Non-executable scripts that are called directly: `.sh` as a command, no ending anywhere, others by `./`. */
function stuck({ body, files }: LintedSkill): readonly LintedFile[] {
  return files.filter(({ path, executable }) => {
    if (executable || !path.startsWith("scripts/")) return false;
    const ending = /\.\w+$/.exec(path)?.[0] ?? "";
    const start = [".sh", ".bash"].includes(ending) ? /(?:^|[`;&|\n]|\$\()\s*(?:\.\/)?$/ : /(?:^|[\s`])\.\/$/;
    const before = body.split(path).slice(0, -1);
    return ending === "" ? before.length > 0 : before.some((text) => start.test(text));
  });
}
