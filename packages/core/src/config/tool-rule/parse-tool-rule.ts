import { isAbsolute, parse, sep } from "node:path";
import { parseScriptReference } from "../script-reference.ts";
import {
  canonicalTool,
  type PathPattern,
  type PathRule,
  type RuleDirectories,
  SCRIPT_TOOL,
  type ShellRule,
  type ToolName,
  type ToolRule,
  toolKind,
  type WordPattern,
} from "./tool-rule.ts";

/** Longer entries were not written by hand. */
const MAX_RULE_CHARACTERS = 1024;

export type ToolRuleReading =
  | { readonly rule: ToolRule }
  | {
      /** The fault, such as "has no closing parenthesis". */
      readonly problem: string;
      readonly hint: string;
      /** The intended tool, if that much is clear. */
      readonly tool?: ToolName;
    };

/** Reads one entry of `allowed-tools`, in any spelling that is in use. */
export function parseToolRule(written: string, directories: RuleDirectories): ToolRuleReading {
  const text = written.trim();
  if (text.length > MAX_RULE_CHARACTERS)
    return { problem: `has more than ${MAX_RULE_CHARACTERS} characters`, hint: "shorten it" };
  const opening = text.indexOf("(");
  const name = (opening === -1 ? text : text.slice(0, opening)).trimEnd();
  const tool = parseToolName(name);
  if (tool === undefined)
    return {
      problem: "is not a tool, or a tool and a pattern in parentheses",
      hint: "write it like Read or Bash(git log:*)",
    };
  if (opening !== -1 && !text.endsWith(")"))
    return { problem: "has no closing parenthesis at its end", hint: "write it like Bash(git log:*)", tool };
  const specifier = opening === -1 ? undefined : text.slice(opening + 1, -1);
  const inside = specifier?.trim();
  if (inside === undefined || /^:?\*+$/.test(inside)) return { rule: { kind: "tool", text, tool } };
  const reading = tool.match === "exact" ? parseSpecifier(text, tool, inside, directories) : undefined;
  if (reading === undefined)
    return { problem: `has a pattern, which ${name} does not take`, hint: `write ${name} alone`, tool };
  return "problem" in reading ? { ...reading, tool } : { rule: reading };
}

function parseToolName(name: string): ToolName | undefined {
  if (name === "*") return { name: "", match: "prefix" };
  const [, stem = "", star] = /^([A-Za-z_][\w.:/@-]*)(\*)?$/.exec(name) ?? [];
  if (stem === "") return undefined;
  const isServer = /^mcp__/i.test(stem);
  // Hosts name their tools freely, so a common prefix means something only for the tools of a server.
  if (star !== undefined) return isServer ? { name: canonicalTool(stem), match: "prefix" } : undefined;
  // A server's name alone means all of its tools.
  if (isServer && !stem.slice(5).includes("__")) return { name: canonicalTool(`${stem}__`), match: "prefix" };
  return { name: canonicalTool(stem), match: "exact" };
}

function parseSpecifier(
  text: string,
  tool: ToolName,
  inside: string,
  directories: RuleDirectories,
): ToolRule | { problem: string; hint: string } | undefined {
  switch (toolKind(tool.name)) {
    case "shell": {
      const pattern = parseShellPattern(inside, directories);
      return "problem" in pattern ? pattern : { kind: "shell", text, tool, ...pattern };
    }
    case "path": {
      const patterns = parsePathPattern(inside, directories);
      return "problem" in patterns ? patterns : { kind: "path", text, tool, ...patterns };
    }
    case "domain": {
      const [, wildcard, domain] = /^domain:\s*(\*\.)?([a-z0-9.-]+)$/i.exec(inside) ?? [];
      if (domain === undefined)
        return { problem: "names no domain", hint: "write it like WebFetch(domain:example.com)" };
      const match = wildcard === undefined ? "exact" : "subdomains";
      return { kind: "domain", text, tool, domain: domain.toLowerCase().replace(/\.$/, ""), match };
    }
    case "value": {
      if (tool.name === SCRIPT_TOOL && !isScriptPattern(inside))
        return {
          problem: "names neither a skill nor a script as scripts are named",
          hint: `write it like ${SCRIPT_TOOL}(skill:*) or ${SCRIPT_TOOL}(skill:scripts/fill.py)`,
        };
      const [, value = "", wildcard] = /^([^*]*?)((?::|\s)\s*\*)?$/.exec(inside) ?? [];
      if (value === "")
        return { problem: "has a star inside", hint: "write it like Skill(name) or Skill(name *)" };
      return { kind: "value", text, tool, value, match: wildcard === undefined ? "exact" : "prefix" };
    }
    default:
      return undefined;
  }
}

// A rule that matches no script would silently deny nothing, so folders, non-normalised paths and paths
// without a skill are refused. Skill names may have colons and slashes, but no part that looks like a path's.
function isScriptPattern(inside: string): boolean {
  if (parseScriptReference(inside) !== undefined) return true;
  const skill = inside.replace(/\s*:?\s*\*$/, "");
  return !/[\p{Cc}*?\\]/u.test(skill) && skill.split(/[:/]/).every((part) => !PATH_PARTS.has(part.trim()));
}

const PATH_PARTS: ReadonlySet<string> = new Set(["", ".", "..", "scripts"]);

const MAX_CHOICES = 64;

/**
 * `//` begins an absolute path, `~/` one in the home folder; anything else is in the project, at any depth if
 * it contains no slash. A single leading `/` is read both ways, because users mean either.
 */
function parsePathPattern(
  text: string,
  directories: RuleDirectories,
): Pick<PathRule, "patterns"> | { problem: string; hint: string } {
  const patterns: PathPattern[] = [];
  const starts = text === "" ? [] : findStarts(text, directories);
  for (const { folder, rest } of starts) {
    for (const choice of expandBraces(rest)) {
      const pattern = readPattern(folder, choice);
      if (pattern === undefined) return NOT_UNDERSTOOD;
      patterns.push(pattern);
    }
  }
  return patterns.length === 0 || patterns.length > MAX_CHOICES ? NOT_UNDERSTOOD : { patterns };
}

export function pathSegments(path: string): readonly string[] {
  return path.split(sep).filter((segment) => segment !== "");
}

const NOT_UNDERSTOOD = {
  problem: "has a path that is not understood",
  hint: "write a path with *, ** and {a,b}, like Read(./docs/**)",
};

interface Start {
  readonly folder: string;
  readonly rest: string;
}

function findStarts(text: string, directories: RuleDirectories): readonly Start[] {
  const { project, home } = directories;
  const [, variable, path = ""] = /^(\$\{\w+\}|\{baseDir\})(?:\/(.*))?$/s.exec(text) ?? [];
  if (variable !== undefined) return startIn(resolveVariables(variable, directories), path);
  if (text.startsWith("~")) return text.startsWith("~/") ? startIn(home, text.slice(2)) : [];
  const { root } = parse(text);
  const absolute = isAbsolute(text) ? startIn(root, text.slice(root.length)) : [];
  if (/^\/\/|^[A-Za-z]:/.test(text)) return absolute;
  if (isAbsolute(text)) return [...absolute, ...startIn(project, text.slice(root.length))];
  const isAnywhere = /^[^/]+\/?$/.test(text) && text !== "." && text !== "..";
  return startIn(project, isAnywhere ? `**/${text}` : text);
}

function startIn(folder: string | undefined, rest: string): readonly Start[] {
  return folder === undefined ? [] : [{ folder, rest }];
}

// `*.{ts,tsx}`; any other braces are rejected later.
function expandBraces(text: string): readonly string[] {
  const [, before = "", choices, after = ""] = /^([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)$/.exec(text) ?? [];
  return choices === undefined ? [text] : choices.split(",").map((choice) => `${before}${choice}${after}`);
}

function readPattern(folder: string, path: string): PathPattern | undefined {
  if (/[\\?[\]{}!$]|\p{Cc}/u.test(path)) return undefined;
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  const up = segments.findIndex((segment) => segment !== "..");
  const rest = up === -1 ? [] : segments.slice(up);
  const levels = segments.length - rest.length;
  if (rest.includes("..")) return undefined;
  const above = pathSegments(folder);
  return {
    folder: above.slice(0, Math.max(0, above.length - levels)),
    rest: rest.length === 0 || path.endsWith("/") ? [...rest, "**"] : rest,
  };
}

/** Words, then `:*` or ` *` for any further words; operators, expansions and assignments are rejected. */
function parseShellPattern(
  text: string,
  directories: RuleDirectories,
): Pick<ShellRule, "words" | "match"> | { problem: string; hint: string } {
  const [, fixed = "", wildcard] = /^(.*?)(:\*|\s\*)?$/s.exec(text.trim()) ?? [];
  const words: WordPattern[] = [];
  for (const [piece] of fixed.trim().matchAll(WORDS)) {
    if (piece.trim() === "") continue;
    const word = readWordPattern(piece, directories, words.length);
    if (word === undefined)
      return {
        problem: `has ${JSON.stringify(piece)} in it, which is not understood`,
        hint: "write one rule for each command: its words, and `:*` for any further ones",
      };
    words.push(word);
  }
  if (words.length === 0) return { problem: "names no command", hint: "write it like Bash(git log:*)" };
  // `Bash(npm run test*)` matches anything that starts like this.
  const isOpen = wildcard !== undefined || words.at(-1)?.match === "prefix";
  return { words, match: isOpen ? "prefix" : "exact" };
}

// Quoted words must stand alone: joined with others they would need a shell's rules.
const WORDS = /(?:'[^']*'|"[^"]*")(?=\s|$)|\S+|\s+/g;

function readWordPattern(
  piece: string,
  directories: RuleDirectories,
  position: number,
): WordPattern | undefined {
  const [, single, double] = /^(?:'([^']*)'|"([^"$`\\]*)")$/.exec(piece) ?? [];
  const quoted = single ?? double;
  if (quoted !== undefined) return { text: quoted, match: "exact" };
  const [, text = "", star] = /^([^*]*)(\*)?$/.exec(piece) ?? [];
  const plain = text.replace(/\$\{\w+\}|\{baseDir\}/g, "");
  const isOdd = /["'`\\$;&|<>(){}[\]?]|,$|^[#~!]/.test(plain) || (position === 0 && plain.includes("="));
  const resolved = isOdd ? undefined : resolveVariables(text, directories);
  if (resolved === undefined) return undefined;
  if (star === undefined) return resolved === "" ? undefined : { text: resolved, match: "exact" };
  // `git:*` in the middle does not say what it is for.
  if (resolved.endsWith(":")) return undefined;
  if (resolved !== "") return { text: resolved, match: "prefix" };
  // A rule for any program is just `Bash`.
  return position === 0 ? undefined : { text: "", match: "any" };
}

/** Replaces variables by their folders; undefined if one has no value. */
function resolveVariables(text: string, directories: RuleDirectories): string | undefined {
  let resolved = "";
  let position = 0;
  for (const { 0: variable, 1: name = "CLAUDE_SKILL_DIR", index } of text.matchAll(
    /\$\{(\w+)\}|\{baseDir\}/g,
  )) {
    const which = VARIABLES.get(name);
    const directory = which && directories[which];
    if (directory === undefined) return undefined;
    resolved += text.slice(position, index) + directory;
    position = index + variable.length;
  }
  return resolved + text.slice(position);
}

const VARIABLES: ReadonlyMap<string, keyof RuleDirectories> = new Map([
  ["CLAUDE_SKILL_DIR", "skill"],
  ["HERMES_SKILL_DIR", "skill"],
  ["CLAUDE_PROJECT_DIR", "project"],
]);
