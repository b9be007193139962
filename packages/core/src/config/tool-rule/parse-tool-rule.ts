import { parseScriptReference } from "../script-reference.ts";
import { parsePathPattern } from "./parse-path-pattern.ts";
import { parseShellPattern } from "./parse-shell-pattern.ts";
import { canonicalTool, SCRIPT_TOOL, toolKind } from "./tool-name.ts";
import type { RuleDirectories, ToolName, ToolRule } from "./tool-rule.ts";

/** Longer entries are not rules that somebody wrote by hand. */
const MAX_RULE_CHARACTERS = 1024;

/** A rule, or why a text is none. */
export type ToolRuleReading =
  | { readonly rule: ToolRule }
  | {
      /** What cannot be understood, such as "has no closing parenthesis". */
      readonly problem: string;
      readonly hint: string;
      /** The tool that is meant, where that much is clear. */
      readonly tool?: ToolName;
    };

/**
 * Reads one entry of `allowed-tools`, in any spelling that is in use.
 *
 * @example
 * parseToolRule("Bash(git log:*)", {}); // { rule: { kind: "shell", match: "prefix", … } }
 */
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
  // Names of tools are for their hosts to choose, so only those of a server have something in common.
  if (star !== undefined) return isServer ? { name: canonicalTool(stem), match: "prefix" } : undefined;
  // A server's name alone is all of its tools.
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

// A rule that can fit no script would deny nothing, and nobody would know: folders, other spellings of a path, and paths
// without a skill are refused. Names of skills may have colons and slashes, but no part of them reads like a path's.
function isScriptPattern(inside: string): boolean {
  if (parseScriptReference(inside) !== undefined) return true;
  const skill = inside.replace(/\s*:?\s*\*$/, "");
  return !/[\p{Cc}*?\\]/u.test(skill) && skill.split(/[:/]/).every((part) => !PATH_PARTS.has(part.trim()));
}

const PATH_PARTS: ReadonlySet<string> = new Set(["", ".", "..", "scripts"]);
