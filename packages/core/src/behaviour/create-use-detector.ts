import { homedir } from "node:os";
import { callInvalid } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { quoteName } from "@skillet/kit/text";
import { resolvePath } from "@skillet/shell";
import type { Skill } from "../registry/skill.ts";
import { indexWrappedCommands } from "./index-wrapped-commands.ts";
import { type Access, readAgentCommand } from "./read-agent-command.ts";
import { type Place, SkillPlaces } from "./skill-places.ts";
import type { AgentEvent, DetectedUse, UseDetector, UseDetectorOptions } from "./use-detector.ts";

/**
 * Prepares skills for the question which of them an agent's commands and reads belong to.
 *
 * A script that runs from a copy elsewhere is not recognised.
 *
 * @example
 * const detector = createUseDetector(skills.list());
 * detector.detect({ kind: "command", command: "cd skills/pdf && uv run scripts/fill.py", cwd: "/project" });
 * // [{ skill, how: "script", certainty: "sure", subject: "scripts/fill.py", reason: 'runs "scripts/fill.py"' }]
 */
export function createUseDetector(skills: readonly Skill[], options: UseDetectorOptions = {}): UseDetector {
  const { canonical = canonicalPath, home = homedir(), variables = {} } = options;
  const places = new SkillPlaces(skills, canonical);
  const wrapped = indexWrappedCommands(skills, options.bodyOf);
  const settings = { home, variables: new Map(Object.entries(variables)) };
  const useOf = (access: Access): readonly DetectedUse[] => {
    if (access.kind === "program") return commandUses(access.name, wrapped.get(access.name) ?? []);
    const place = places.locate(access.path);
    const use = place === undefined ? undefined : fileUse(access, place);
    return use === undefined ? [] : [use];
  };
  return {
    detect: (event) => {
      checkAgentEvent(event);
      return strongest(accessesOf(event, settings).flatMap(useOf));
    },
  };
}

function accessesOf(
  event: AgentEvent,
  settings: { readonly home: string; readonly variables: ReadonlyMap<string, string> },
): readonly Access[] {
  if (event.kind === "command") return readAgentCommand(event, settings);
  const text = event.path.replace(/^~(?=[\\/]|$)/, () => settings.home);
  const path = resolvePath(text, event.cwd);
  return path === undefined ? [] : [{ kind: "read", path, isSure: true }];
}

function fileUse(
  { kind, isSure }: Exclude<Access, { kind: "program" }>,
  { skill, subject, isSkillFile }: Place,
): DetectedUse | undefined {
  if (subject === "" || subject.startsWith(".git/")) return undefined;
  const certainty = isSure ? "sure" : "likely";
  const shown = quoteName(subject);
  if (kind === "module")
    return subject.startsWith("scripts/")
      ? { skill, how: "script", certainty: "likely", subject, reason: `runs the module ${shown}` }
      : undefined;
  if (isSkillFile) return { skill, how: "instructions", certainty, subject, reason: `reads ${shown}` };
  if (kind === "run") return { skill, how: "script", certainty, subject, reason: `runs ${shown}` };
  // The folders of a skill have no endings; listing a whole folder does not read its files.
  if (FOLDERS.has(subject) || (kind === "search" && !/\.[^/]+$/.test(subject))) return undefined;
  return { skill, how: "resource", certainty, subject, reason: `reads ${shown}` };
}

const FOLDERS: ReadonlySet<string> = new Set(
  "agents assets evals examples references reference resources scripts templates".split(" "),
);

function commandUses(name: string, skills: readonly Skill[]): readonly DetectedUse[] {
  const sharing = skills.length === 1 ? "no other skill wraps" : `${skills.length} skills wrap`;
  return skills.map((skill) => ({
    skill,
    how: "command",
    certainty: "likely",
    subject: name,
    reason: `calls ${quoteName(name)}, which ${sharing}`,
  }));
}

function strongest(uses: readonly DetectedUse[]): readonly DetectedUse[] {
  const best = new Map<Skill, DetectedUse>();
  for (const use of uses) {
    const known = best.get(use.skill);
    if (known === undefined || weaknessOf(use) < weaknessOf(known)) best.set(use.skill, use);
  }
  return [...best.values()].sort((left, right) => weaknessOf(left) - weaknessOf(right));
}

function weaknessOf({ certainty, how }: DetectedUse): number {
  return (certainty === "sure" ? 0 : WEAKNESS.length) + WEAKNESS.indexOf(how);
}

const WEAKNESS: readonly DetectedUse["how"][] = ["script", "instructions", "resource", "command"];

/** Refuses an event that is none: hosts make it of whatever their tools were called with. */
function checkAgentEvent(event: AgentEvent): void {
  if (typeof event !== "object" || event === null) throw callInvalid("The event", KINDS);
  const { kind, command, path, cwd }: Loose = event;
  if (kind !== "command" && kind !== "read") throw callInvalid("`kind` of the event", KINDS);
  if (kind === "read" && typeof path !== "string") throw callInvalid("`path` of the event", "a path");
  if (kind === "command" && typeof command !== "string" && !isTexts(command))
    throw callInvalid("`command` of the event", "a command line, or a program and its arguments");
  if (cwd !== undefined && typeof cwd !== "string")
    throw callInvalid("`cwd` of the event", "a path, or leave it out");
}

const KINDS = '{ kind: "command", command } or { kind: "read", path }';

type Loose = { readonly [Name in "kind" | "command" | "path" | "cwd"]?: unknown };

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
