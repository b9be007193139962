import { join } from "node:path";
import type { RootReport, Skills } from "@skillet/core";
import { pad } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { shellQuote } from "./shell-quote.ts";
import { showPath } from "./show-path.ts";

/** What a person sees who has no skills yet: where Skillet looked, and how to add the first one. */
export function emptyState(skills: Skills, layout: Layout): string[] {
  const { roots } = skills.snapshot;
  const { colours } = layout;
  const widest = Math.max(0, ...roots.map(({ scope }) => scope.length));
  const looked = roots.map(
    (root) =>
      `  ${pad(root.scope, widest)}  ${showPath(root.path, layout.environment)}${colours.dim(rootNote(root))}`,
  );
  const target = roots.find(({ scope }) => scope === "explicit")?.path ?? join(skills.home, "skills");
  const file = join(target, "my-skill", "SKILL.md");
  return [
    colours.bold("No skills found."),
    "",
    ...(looked.length > 0 ? ["Looked in:", ...looked, ""] : []),
    "To add one, write this file:",
    `  ${showPath(shellQuote(file), layout.environment)}`,
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

function rootNote(root: RootReport): string {
  if (root.state === "missing") return " (not there)";
  return root.state === "unreadable" ? " (cannot be read)" : " (empty)";
}
