import { isAbsolute, parse, sep } from "node:path";
import { resolveVariables } from "./resolve-variables.ts";
import type { PathPattern, PathRule, RuleDirectories } from "./tool-rule.ts";

const MAX_CHOICES = 64;

/**
 * Reads the path in the parentheses of `Read(…)` and `Edit(…)`, in the manner of ignore files.
 *
 * `//` begins an absolute path, `~/` one in the home folder; everything else is in the project, at any depth when there
 * is no slash in it. A single `/` at the start is read both ways, because people mean both.
 */
export function parsePathPattern(
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

/** The segments of an absolute path of this platform. */
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

// `*.{ts,tsx}`; whatever else has braces is not understood later on.
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
