import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Hub, Verification } from "@skillet/hub";
import { compareByteOrder } from "@skillet/kit/order";
import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { withHub } from "../hub/with-hub.ts";
import { printJson } from "../ui/json-document.ts";
import { count, stripControl, wrap } from "../ui/text.ts";

/** Which skills are verified. */
export interface VerifyOptions {
  readonly names: readonly string[];
  readonly project?: boolean;
}

/** Hashes what is on disk against the lock and names every file that differs; nothing is changed. */
export async function verify(context: CommandContext, options: VerifyOptions): Promise<ExitCode> {
  const { names, project = false } = options;
  return withHub(context, { project }, async ({ hub, progress }) => {
    // In the wrong folder a pipeline would otherwise verify nothing, and be content.
    if (project && !existsSync(hub.lockFile)) throw lockMissing(hub.lockFile);
    const verified = await hub.verify(names);
    progress.clear();
    const strays = project && names.length === 0 ? await straySkills(hub) : [];
    if (context.json)
      printJson(context.terminal, {
        results: verified.map(rowOf),
        ...(strays.length > 0 && { strays }),
      });
    else {
      print(context, verified, { project });
      printStrays(context, strays);
    }
    return verified.some(({ drift }) => drift.length > 0) ? 1 : 0;
  });
}

function lockMissing(file: string): CliError {
  return new CliError("lock-missing", `There is no ${file}, so there is nothing to verify.`, {
    exitCode: 1,
    hints: ["Run it where the lock is, or name the folder with --workspace."],
    details: { file },
  });
}

function outcomeOf({ drift, entry }: Verification): "intact" | "drifted" | "linked" {
  if (drift.length > 0) return "drifted";
  return entry.linked === true ? "linked" : "intact";
}

function rowOf(verification: Verification): Readonly<Record<string, unknown>> {
  const { name, entry, drift } = verification;
  const { source, resolved, digest } = entry;
  return { name, source, resolved, digest, outcome: outcomeOf(verification), drift };
}

function print(
  { terminal }: CommandContext,
  verified: readonly Verification[],
  { project }: { readonly project: boolean },
): void {
  const { colours, width } = terminal;
  if (verified.length === 0) {
    terminal.print("Nothing is installed.");
    return;
  }
  for (const verification of verified) {
    const { name, drift, entry } = verification;
    const outcome = outcomeOf(verification);
    const mark = { intact: colours.green("✓"), drifted: colours.red("✗"), linked: colours.dim("○") }[outcome];
    const files =
      outcome === "intact" ? colours.dim(`  ${count(Object.keys(entry.files).length, "file")}`) : "";
    terminal.print(`${mark} ${colours.bold(stripControl(name))}  ${outcome}${files}`);
    for (const { target, file, message, explanation } of drift) {
      const where = file === "" ? target : `${target}/${file}`;
      const why = explanation === undefined ? "" : ` (${explanation})`;
      for (const line of wrap(stripControl(`${where}: ${message}${why}`), { width: width - 4 }))
        terminal.print(`    ${line}`);
    }
  }
  const drifted = verified.filter(({ drift }) => drift.length > 0);
  if (drifted.length === 0) return;
  for (const target of new Set(drifted.flatMap(inTheWay)))
    terminal.print(
      `What stands at ${stripControl(target)} is not Skillet's, and no flag replaces it: move it away first.`,
    );
  terminal.print(
    `${count(drifted.length, "skill")} of ${verified.length} drifted from the lock. Put back what it says: skillet install --discard${project ? " --project" : ""}`,
  );
}

function printStrays({ terminal }: CommandContext, strays: readonly string[]): void {
  if (strays.length === 0) return;
  const rest = strays.length - MAX_STRAYS;
  const named = `${strays.slice(0, MAX_STRAYS).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  const text = `The lock names nothing of ${named}, so that nothing was verified there.`;
  for (const line of wrap(stripControl(text), { width: terminal.width })) terminal.print(line);
}

const MAX_STRAYS = 12;

/** Targets that were links, and where something else stands now. */
function inTheWay({ entry, drift }: Verification): readonly string[] {
  const links = new Set(entry.targets.filter(({ how }) => how === "link").map(({ path }) => path));
  return drift.filter(({ kind, target }) => kind === "type" && links.has(target)).map(({ target }) => target);
}

const FOLDER = ".agents/skills";

/** Skills that lie where a project's are placed, but that no entry of its lock names; relative to the project. */
export async function straySkills(hub: Hub): Promise<readonly string[]> {
  const folder = join(hub.root, FOLDER);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const { skills } = await hub.list();
  const known = new Set([...skills.values()].flatMap(({ targets }) => targets.map(({ path }) => path)));
  return readdirSync(folder)
    .map((name) => `${FOLDER}/${name}`)
    .filter((path) => !known.has(path) && existsSync(join(hub.root, path, "SKILL.md")))
    .sort(compareByteOrder);
}
