import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Hub, Verification } from "@skillet/hub";
import { compareByteOrder } from "@skillet/kit/order";
import { listFirst } from "@skillet/kit/text";
import { answer, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { requireLock, withHub } from "../hub/with-hub.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, hang, showSentence, stripControl } from "../ui/text.ts";

export async function verify(context: CommandContext, options: OfNames<"project">): Promise<ExitCode> {
  const { names, project = false } = options;
  return withHub(context, { project }, async (work) => {
    if (project) requireLock(work, "verify");
    const verified = await work.hub.verify(names);
    const strays = project && names.length === 0 ? await straySkills(work.hub) : [];
    const results = verified.map((found) => {
      const { source, resolved, digest } = found.entry;
      return { name: found.name, source, resolved, digest, outcome: outcomeOf(found), drift: found.drift };
    });
    const others =
      strays.length === 0 ? "" : `Not in the lock, so not verified: ${listFirst(strays, MAX_STRAYS)}.`;
    const screen = (): readonly string[] => [
      ...verifiedLines(verified, project, context.terminal),
      ...hang(others, context.terminal),
    ];
    const document = { results, ...(strays.length > 0 && { strays }) };
    return answer(context, document, screen, verified.some(({ drift }) => drift.length > 0) ? 1 : 0);
  });
}

const MAX_STRAYS = 12;

function outcomeOf({ drift, entry }: Verification): "intact" | "drifted" | "linked" {
  if (drift.length > 0) return "drifted";
  return entry.linked === true ? "linked" : "intact";
}

function verifiedLines(
  verified: readonly Verification[],
  project: boolean,
  layout: Layout,
): readonly string[] {
  if (verified.length === 0) return ["Nothing is installed."];
  const { colours } = layout;
  const marks = { intact: colours.green("✓"), drifted: colours.red("✗"), linked: colours.dim("○") };
  const lines = verified.flatMap((found) => {
    const outcome = outcomeOf(found);
    const files = count(Object.keys(found.entry.files).length, "file");
    const note = outcome === "intact" ? colours.dim(`  ${files}`) : "";
    return [
      `${marks[outcome]} ${colours.bold(stripControl(found.name))}  ${outcome}${note}`,
      ...found.drift.flatMap(({ target, file, message }) => {
        const where = file === "" ? target : `${target}/${file}`;
        return hang(showSentence(`${where}: ${message}`, layout.environment), layout, { indent: 4 });
      }),
    ];
  });
  const drifted = verified.filter(({ drift }) => drift.length > 0);
  if (drifted.length === 0) return lines;
  // Targets that were links, where something else is now.
  const foreign = drifted.flatMap(({ entry, drift }) => {
    const links = new Set(entry.targets.filter(({ how }) => how === "link").map(({ path }) => path));
    return drift.filter(({ kind, target }) => kind === "type" && links.has(target));
  });
  const flag = project ? " --project" : "";
  // A lock's source may be unreachable while its files are committed. No lock path goes into a command.
  const git = project ? "git restore, if git tracks the files; otherwise " : "";
  return [
    ...lines,
    ...[
      ...Array.from(
        new Set(foreign.map(({ target }) => target)),
        (target) => `${target} was not placed by Skillet, and no flag replaces it: move it away first.`,
      ),
      `${count(drifted.length, "skill")} of ${verified.length} drifted from the lock. What you changed stays until you pass --discard.`,
      `See what changed: skillet diff${flag}`,
      `Lose it, and put back what the lock says: ${git}skillet install --discard${flag}`,
    ].flatMap((text) => hang(text, layout)),
  ];
}

const FOLDER = ".agents/skills";

async function straySkills(hub: Hub): Promise<readonly string[]> {
  const folder = join(hub.root, FOLDER);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const { skills } = await hub.list();
  const known = new Set([...skills.values()].flatMap(({ targets }) => targets.map(({ path }) => path)));
  return readdirSync(folder)
    .map((name) => `${FOLDER}/${name}`)
    .filter((path) => !known.has(path) && existsSync(join(hub.root, path, "SKILL.md")))
    .sort(compareByteOrder);
}
