import { join } from "node:path";
import type { RootReport, Skills } from "@skillet/core";
import { shellArgument } from "@skillet/kit/text";
import { pad, wrap } from "./fit-text.ts";
import { showPath } from "./show-path.ts";
import { count } from "./skill-state.ts";
import { showControl } from "./strip-control.ts";
import type { Layout } from "./terminal.ts";
import { reachedLimit } from "./warning-list.ts";

/** Says that a project's skills wait for a yes, and the exact command that gives it; nothing where none wait. */
export function trustNotice(skills: Skills, layout: Layout): string[] {
  const { project, snapshot } = skills;
  const waiting = snapshot.skills.filter(({ state }) => state === "untrusted").length;
  if (project === undefined || waiting === 0) return [];
  const { colours, width } = layout;
  const are = `${count(waiting, "skill")} of this project ${waiting === 1 ? "is" : "are"} not offered`;
  const they = waiting === 1 ? "it" : "they";
  const why = project.trusted
    ? `${they} appeared after the folder was trusted`
    : "the folder is not trusted yet";
  const text = `${are}: ${why}. To look and decide, run:`;
  return [
    ...wrap(text, { width: width - 2 }).map(
      (line, index) => `${index === 0 ? colours.yellow("!") : " "} ${line}`,
    ),
    // Never wrapped: a command must survive copy and paste.
    `    ${colours.cyan(trustCommand(project.root))}`,
  ];
}

/**
 * The command that trusts a project, to be copied.
 *
 * A path that cannot be shown as it is would name another folder; inside the project the command needs none.
 */
export function trustCommand(root: string, ...flags: readonly string[]): string {
  const folder = showControl(root) === root ? [shellArgument(root)] : [];
  return ["skillet", "trust", ...folder, ...flags].join(" ");
}

/** What a person sees when there are no skills: where Skillet looked, and how to add the first one. */
export function emptyState(skills: Skills, layout: Layout): string[] {
  const { roots } = skills.snapshot;
  const { colours } = layout;
  const widest = roots.reduce((most, { scope }) => Math.max(most, scope.length), 0);
  const cut = cutRoots(skills);
  const looked = roots.flatMap((root) => rootLines(root, rootNote(root, cut), widest, layout));
  // Who has skills that were not reached needs no first one; the warnings below say what to do.
  const isCut = roots.some(({ path }) => cut.has(path));
  return [
    colours.bold(isCut ? "No skills found within the limits." : "No skills found."),
    "",
    ...(looked.length > 0 ? ["Looked in:", ...looked] : []),
    ...(isCut ? [] : ["", ...firstSkill(skills, layout)]),
  ];
}

function cutRoots(skills: Skills): ReadonlySet<string> {
  const { diagnostics } = skills.snapshot;
  return new Set(
    diagnostics
      .filter((diagnostic) => reachedLimit(skills, diagnostic) !== undefined)
      .map(({ file }) => file),
  );
}

function rootLines(root: RootReport, note: string, widest: number, layout: Layout): string[] {
  const { colours, width, environment } = layout;
  const indent = widest + 4;
  const [last = "", ...before] = wrap(showPath(root.path, environment), { width: width - indent }).reverse();
  const fits = indent + last.length + note.length + 1 <= width;
  const lines = fits
    ? [...before.reverse(), `${last} ${colours.dim(note)}`]
    : [...before.reverse(), last, colours.dim(note)];
  return lines.map((line, index) => `  ${pad(index === 0 ? root.scope : "", widest)}  ${line}`);
}

function rootNote(root: RootReport, cut: ReadonlySet<string>): string {
  if (root.state === "missing") return "(not there)";
  if (root.state === "unreadable") return "(cannot be read)";
  if (root.failed > 0) return `(${root.failed} failed to load)`;
  return cut.has(root.path) ? "(not searched to the end)" : "(empty)";
}

function firstSkill(skills: Skills, { colours, environment }: Layout): string[] {
  const explicit = skills.snapshot.roots.find(({ scope }) => scope === "explicit");
  const file = join(explicit?.path ?? join(skills.home, "skills"), "my-skill", "SKILL.md");
  return [
    "To add one, write this file:",
    `  ${showPath(shellArgument(file), environment)}`,
    "",
    ...EXAMPLE.map((line) => `  ${colours.dim(line)}`),
  ];
}

const EXAMPLE: readonly string[] = [
  "---",
  "name: my-skill",
  "description: What it does, and when to use it.",
  "---",
  "Instructions for the model.",
];
