import { dirname, join } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import { openPlaces } from "@skillet/kit/files";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { onSkilletError } from "../context/cli-error.ts";
import type { Layout } from "../ui/terminal.ts";
import { showSentence } from "../ui/text.ts";
import { warningLines } from "./present-folder.ts";

/** How many are named; nobody would read a longer command. */
export const MAX_OPEN = 5;

/** Warns about files and folders of a project's skills that anyone on the machine can change. */
export async function openLines(
  skills: Skills,
  { root, held }: { readonly root: string; readonly held: readonly Skill[] },
  layout: Layout,
): Promise<readonly string[]> {
  const open = openPlaces([root, ...(await filesOf(skills, held))], { tops: [root] });
  const what = open[0] === root ? "this folder" : listFirst(open, MAX_OPEN);
  const text = `Anyone on this machine can write to ${what}, and so change what you trust. Fix: ${closeCommand(open)}`;
  return warningLines(open.length === 0 ? [] : [showSentence(text, layout.environment)], layout);
}

/** Returns every file of the skills and their copies, and their folders. */
export async function filesOf({ reader }: Skills, held: readonly Skill[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const skill of held) {
    // Unreadable skills are reported elsewhere.
    const index = await reader.indexResources(skill).catch(onSkilletError(() => undefined));
    for (const file of [skill.path, ...skill.alsoAt]) {
      const folder = dirname(file);
      files.push(folder, file, ...(index?.resources ?? []).map(({ path }) => join(folder, path)));
    }
  }
  return files;
}

export function closeCommand(open: readonly string[], who = "o"): string {
  return `chmod ${who}-w ${open.slice(0, MAX_OPEN).map(shellArgument).join(" ")}`;
}
