import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import type { PolicySource } from "../config/config.ts";
import { parseToolRule } from "../config/tool-rule/parse-tool-rule.ts";
import type { RuleDirectories, ToolRule } from "../config/tool-rule/tool-rule.ts";
import type { Skill } from "../registry/skill.ts";

/** The calls that one active skill, or the list of tools for a child, lets through. */
export interface Narrowing {
  /** Whose narrowing it is, for reasons: a qualified name or another label. */
  readonly by: string;
  /** The skill, for rules of the configuration; absent for a list of tools. */
  readonly skill?: Pick<Skill, "name" | "qualifiedName" | "scope" | "origin">;
  readonly source?: PolicySource;
  /** The skill comes from someone else's server, so the user decides about each command under it. */
  readonly isServed?: boolean;
  /** Absent: it does not narrow. Empty: it covers nothing. */
  readonly allowed?: readonly ToolRule[];
  readonly disallowed: readonly ToolRule[];
}

/** A narrowing, and the entries that could not be understood. */
export interface NarrowingReading {
  readonly narrowing: Narrowing;
  readonly diagnostics: readonly Diagnostic[];
}

const MAX_RULES = 500;

/**
 * Reads what an active skill's `allowed-tools` and `disallowed-tools` let through.
 *
 * An entry that cannot be understood covers nothing; as a disallowed entry it bars its whole tool.
 */
export function narrowingOf(
  skill: Pick<Skill, "name" | "qualifiedName" | "scope" | "origin" | "manifest" | "directory" | "path">,
  options: Pick<Narrowing, "isServed"> & {
    readonly source: PolicySource;
    readonly project: string;
    readonly home?: string;
  },
): NarrowingReading {
  const { name, qualifiedName, scope, origin, manifest, directory, path } = skill;
  const { source, isServed, ...places } = options;
  const diagnostics: Diagnostic[] = [];
  const read = (
    field: string,
    entries: readonly string[],
    whenUnclear: "drop" | "widen",
  ): readonly ToolRule[] =>
    readRules(entries, { ...places, skill: directory }, whenUnclear, (problem, hint) => {
      const message = `${field}: ${problem}`;
      diagnostics.push(diagnostic("warning", "tool-rule-unclear", path, message, hint));
    });
  const { allowed, disallowed } = manifest.tools;
  return {
    narrowing: {
      by: qualifiedName,
      skill: { name, qualifiedName, scope, origin },
      source,
      ...(isServed && { isServed }),
      ...(allowed.length > 0 && { allowed: read("allowed-tools", allowed, "drop") }),
      disallowed: read("disallowed-tools", disallowed, "widen"),
    },
    diagnostics,
  };
}

export function narrowingTo(
  tools: readonly string[],
  options: { readonly by: string; readonly project: string; readonly home?: string },
): NarrowingReading {
  const { by, ...places } = options;
  const diagnostics: Diagnostic[] = [];
  const allowed = readRules(tools, places, "drop", (problem, hint) => {
    diagnostics.push({ code: "tool-rule-unclear", severity: "warning", message: problem, file: by, hint });
  });
  return { narrowing: { by, allowed, disallowed: [] }, diagnostics };
}

function readRules(
  entries: readonly string[],
  directories: RuleDirectories,
  whenUnclear: "drop" | "widen",
  report: (problem: string, hint: string) => void,
): readonly ToolRule[] {
  const rules: ToolRule[] = [];
  for (const entry of entries.slice(0, MAX_RULES)) {
    const reading = parseToolRule(entry, directories);
    if ("rule" in reading) {
      rules.push(reading.rule);
      continue;
    }
    const { problem, hint, tool } = reading;
    const widens = whenUnclear === "widen" && tool !== undefined;
    if (widens) rules.push({ kind: "tool", text: entry, tool });
    const effect = widens ? "bars the whole tool" : "covers nothing";
    report(`${JSON.stringify(entry)} ${problem}, so it ${effect}.`, hint);
  }
  if (entries.length > MAX_RULES) {
    const bars = whenUnclear === "widen";
    if (bars) rules.push({ kind: "tool", text: "…", tool: { name: "", match: "prefix" } });
    const effect = bars ? ", and the others bar every tool" : "";
    report(
      `Only the first ${MAX_RULES} of ${entries.length} rules are read${effect}.`,
      "Join them by patterns.",
    );
  }
  return rules;
}
