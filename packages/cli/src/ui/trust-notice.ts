import type { Skills } from "@skillet/core";
import { trustCommand } from "../trust-command.ts";
import { wrap } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { count } from "./skill-state.ts";

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
