import { isAbsolute, resolve } from "node:path";
import { ANY_PARTS, matchesParts, parseStars } from "@skillet/kit/glob";
import { pathSegments } from "../../config/tool-rule/parse-tool-rule.ts";
import type {
  DomainRule,
  PathPattern,
  ToolName,
  ToolRule,
  ValueRule,
} from "../../config/tool-rule/tool-rule.ts";
import { SCRIPT_TOOL } from "../../config/tool-rule/tool-rule.ts";
import { type Cover, coverActs } from "../shell/cover-act.ts";
import type { FileAct, ShellAct } from "../shell/shell-act.ts";
import { touchesAct } from "../shell/touches-act.ts";
import type { CallSubject } from "./call-subject.ts";

export function coverCall(rules: readonly ToolRule[], subject: CallSubject): Cover {
  const whole = rules.find((rule) => rule.kind === "tool" && fitsName(rule.tool, subject.tool));
  if (whole !== undefined) return { rules: [whole] };
  if (subject.kind === "shell" && subject.acts.length > 0)
    return coverActs(subject.acts, rules, (file) => coverFile(rules, file));
  if (subject.kind === "shell") return { reason: "it runs nothing" };
  const rule = rules.find(
    (candidate) => fitsName(candidate.tool, subject.tool) && covers(candidate, subject),
  );
  if (rule !== undefined) return { rules: [rule] };
  return { reason: subject.kind === "whole" ? subject.reason : "it fits no rule" };
}

function fitsName({ name, match }: ToolName, tool: string): boolean {
  return match === "prefix" ? tool.startsWith(name) : tool === name;
}

// With a redirection the shell itself reads or writes, so it needs a rule for that.
function coverFile(rules: readonly ToolRule[], { kind, path }: FileAct): ToolRule | undefined {
  return rules.find((rule) => {
    if (path === undefined || !fitsName(rule.tool, kind)) return false;
    if (rule.kind === "tool") return true;
    // Only the shell knows what a relative path is based on, and `..` may lead through a link.
    if (rule.kind !== "path" || !isAbsolute(path) || /(?:^|\/)\.\.(?:\/|$)/.test(path)) return false;
    return rule.patterns.some((pattern) => coversPath(pattern, path));
  });
}

function covers(rule: ToolRule, subject: CallSubject): boolean {
  if (rule.kind === "path" && subject.kind === "path")
    return rule.patterns.some((pattern) => coversPath(pattern, subject.path));
  if (rule.kind === "domain" && subject.kind === "domain") return coversDomain(rule, subject.domain);
  return rule.kind === "value" && subject.kind === "value" && coversValue(rule, subject);
}

function coversDomain({ domain, match }: DomainRule, host: string): boolean {
  return match === "subdomains" ? host.endsWith(`.${domain}`) : host === domain;
}

function coversValue({ value, match }: ValueRule, subject: Extract<CallSubject, { kind: "value" }>): boolean {
  // A skill's name is followed by its scripts, a plugin's by its skills.
  const starts = subject.tool === SCRIPT_TOOL ? `${value}:scripts/` : `${value} `;
  return [subject.value, ...(subject.aliases ?? [])].some(
    (given) => given === value || (match === "prefix" && given.startsWith(starts)),
  );
}

/** Whether a call may be one that a rule denies or asks about; if in doubt, it is. */
export function touchesCall(rule: ToolRule, subject: CallSubject): boolean {
  if (subject.kind === "shell" && subject.acts.some((act) => touchesFile(rule, act))) return true;
  if (!fitsName(rule.tool, subject.tool)) return false;
  if (rule.kind === "tool" || subject.kind === "whole") return true;
  switch (rule.kind) {
    case "shell":
      return subject.kind === "shell" && subject.acts.some((act) => touchesAct(rule, act));
    case "path":
      return subject.kind === "path" && rule.patterns.some((pattern) => touchesPath(pattern, subject.path));
    case "domain": {
      if (subject.kind !== "domain") return false;
      const { domain } = rule;
      return subject.domain === domain || subject.domain.endsWith(`.${domain}`);
    }
    case "value": {
      if (subject.kind !== "value") return false;
      const value = fold(rule.value);
      const starts = subject.tool === SCRIPT_TOOL ? `${value}:` : `${value} `;
      return [subject.value, ...(subject.aliases ?? []), ...(subject.shared ?? [])]
        .map(fold)
        .some((given) => given === value || given.startsWith(starts));
    }
  }
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

// An agent that may not write may not redirect either.
function touchesFile(rule: ToolRule, act: ShellAct): boolean {
  if (act.kind === "command") return act.runs?.acts.some((inner) => touchesFile(rule, inner)) ?? false;
  if (act.kind === "unclear" || rule.tool.name === "" || !fitsName(rule.tool, act.kind)) return false;
  const { path } = act;
  if (rule.kind !== "path" || path === undefined || !isAbsolute(path)) return true;
  return rule.patterns.some((pattern) => touchesPath(pattern, resolve(path)));
}

/** Whether an absolute path matches a pattern exactly: a rule covers only what it says. */
function coversPath(pattern: PathPattern, path: string): boolean {
  const { folder, rest } = pattern;
  const segments = pathSegments(path);
  if (!folder.every((segment, index) => segment === segments[index])) return false;
  // A plain name is a file, or everything in a folder, of that name.
  const isPlain = rest.at(-1)?.includes("*") === false;
  return fitsSegments(segments.slice(folder.length), isPlain ? [...rest, "**"] : rest);
}

/** Whether a path may be one that a pattern means, or be above or below it; ignores case. */
function touchesPath(pattern: PathPattern, path: string): boolean {
  const segments = pathSegments(path).map(fold);
  const folder = pattern.folder.map(fold);
  if (!folder.slice(0, segments.length).every((segment, index) => segment === segments[index])) return false;
  // A folder above the pattern's contains what it means, for tools that work on folders.
  if (segments.length <= folder.length) return true;
  return fitsSegments(segments.slice(folder.length), [...pattern.rest.map(fold), "**"]);
}

function fitsSegments(segments: readonly string[], pattern: readonly string[]): boolean {
  return matchesParts(
    pattern.map((segment) => (segment === "**" ? ANY_PARTS : parseStars(segment))),
    segments,
  );
}
