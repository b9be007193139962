import { existsSync, lstatSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { resolveHome } from "@skillet/core";
import { type Hub, readSwitchRecords, type SwitchRecord, type SwitchStep } from "@skillet/hub";
import { isInside, readBoundedFile } from "@skillet/kit/files";
import { answer, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { changeLines, dangerousSteps, said } from "../hub/agent-changes.ts";
import { planSwitches } from "../hub/plan-switch.ts";
import { withHub } from "../hub/with-hub.ts";
import type { Layout } from "../ui/terminal.ts";
import {
  count,
  formatBytes,
  hang,
  listAll,
  pathArgument,
  showPath,
  showSentence,
  stripControl,
} from "../ui/text.ts";
import { schemaText } from "./new.ts";
import { remove } from "./remove.ts";

export async function uninstall(
  context: CommandContext,
  options: OfNames<"discard" | "dryRun" | "yes">,
): Promise<ExitCode> {
  const { names: given, discard = false, dryRun = false, yes = false } = options;
  // As in package managers, a name removes that skill.
  if (given.length > 0) return remove(context, options);
  const { terminal, environment, json } = context;
  // A dry run caches nothing, because a new cache would remain afterwards.
  return withHub(context, { dryRun: true }, async ({ hub, home, config }) => {
    const found = await hub.planUninstall();
    // Disabled skills are given back to agents, because no command that could do so remains afterwards.
    const store = { disabled: join(home, "disabled"), removed: join(home, "removed") };
    const records = await readSwitchRecords(home);
    const removed = records.flatMap((one) =>
      one.kind === "move" && isInside(one.to, store.removed) ? [one.from, one.to] : [],
    );
    // The user's config is removed along with its overrides; a project's config belongs to the project.
    const ofConfig = records.flatMap((one) => (one.kind === "config" ? [one] : []));
    const staying = [
      ...records.filter((one) => one.kind === "move" && removed.includes(one.to)),
      ...ofConfig,
    ];
    const undo = (keeps: readonly SwitchRecord[]) => {
      const requests = [...new Set(records.map(({ skill }) => skill))];
      const of = requests.map((name) => ({ action: "enable", name, keeps }) as const);
      return planSwitches({ ...resolveHome(environment), environment, hub }, of);
    };
    // An installed skill is removed along with the others anyway.
    const back = (await undo(staying)).steps.filter(({ record }) => record.kind !== "target");
    const dangerous = [...(await dangerousSteps(context, back, config.skills.pluginsDir))];
    const { steps } = await undo([...staying, ...dangerous.map(([{ record }]) => record)]);
    const undone = new Set(steps.map(({ record }) => JSON.stringify(record)));
    const waiting = records.filter((one) => one.kind !== "config" && !undone.has(JSON.stringify(one)));
    const ofDisabling = [join(home, "disabled.json"), store.disabled];
    // Disabled skills come back, and their list is removed once it is empty.
    const stays = (path: string): boolean => !ofDisabling.includes(path) || waiting.length > 0;
    const overridden = ofConfig.flatMap(({ file, override }) =>
      override.layer === "project" && existsSync(file) ? [file] : [],
    );
    const plan = {
      ...found,
      kept: found.kept.filter(stays),
      projects: [...new Set([...found.projects, ...overridden])],
    };
    const { installed, leftovers, kept, links, projects } = plan;
    const show = (path: string): string =>
      showPath(isAbsolute(path) ? path : join(hub.root, path), environment);
    const bytes = leftovers.reduce((sum, one) => sum + one.bytes, 0);
    const schema = ownSchema(resolveHome(environment).userHome);
    const report = (removed: boolean, lines: readonly string[], exitCode: ExitCode = 0): ExitCode =>
      answer(context, { home, removed, ...plan, schema, bytes }, () => lines, exitCode);
    const adopted = installed.flatMap((one) => one.adopted);
    const shown = steps.filter(
      ({ record }) => record.kind !== "target" || adopted.includes(record.target.path),
    );
    const say = (text: string): readonly string[] => hang(text, terminal);
    const places = (title: string, paths: readonly string[]): readonly string[] =>
      paths.length === 0 ? [] : [...say(title), ...paths.map((path) => `  ${stripControl(show(path))}`)];
    const yours = places(
      "These are yours and stay:",
      kept.filter((path) => ![...ofDisabling, store.removed].includes(path)),
    );
    const theirs = places("These belong to their projects and stay:", projects);
    const stay = [...say(waitingText(waiting, show(home), removed.length > 0)), ...yours, ...theirs];
    const keptOff = dangerous.flatMap(([step, { isScanned }]) => dangerLines(step, isScanned, terminal));
    if (installed.length + leftovers.length + schema.length + shown.length === 0) {
      await removeTraces(hub, { dryRun });
      const text = `There is nothing of Skillet in ${show(home)} that can be removed.`;
      return report(false, [text, ...keptOff, ...stay]);
    }
    const lines = [
      ...places(
        `${count(installed.length, "installed skill")}, with every link and folder:`,
        installed.flatMap(({ targets }) => targets),
      ),
      ...(installed.length === 0 ? [] : say("To install them again later:")),
      ...installed.map(({ again }) => `  ${showSentence(again, environment)}`),
      ...places("You adopted these. Skillet forgets them; the folders stay, with your edits:", adopted),
      ...places("Links that `skillet new` and `skillet init` made for your agents:", links),
      ...places("The schema for editors that `skillet new` made:", schema),
      ...places(
        `Everything that Skillet keeps in ${show(home)} (${formatBytes(bytes)}): settings, trust, approvals, the audit log, earlier versions, conversations:`,
        leftovers.map(({ path }) => path),
      ),
      ...(kept.includes(store.removed)
        ? say(
            `Skills that you removed stay in ${show(store.removed)}. To delete them first: skillet prune --all`,
          )
        : []),
      ...yours,
      ...theirs,
      // Shown last, so that it is still on the screen when the question comes.
      ...(shown.length === 0 ? [] : say("What was changed at your agents is undone:")),
      ...changeLines(shown, terminal),
      ...keptOff,
    ];
    // Checked before agents are changed: stopping half way would leave disabled skills enabled.
    const edited = (discard ? [] : await hub.verify([])).flatMap(({ name, drift: all }) => {
      const drift = all.filter(({ file, target }) => file !== "" && !adopted.includes(target));
      const files = drift.map(({ file, message }) => `${file} ${message}`).join("; ");
      const where = listAll([...new Set(drift.map(({ target }) => show(target)))]);
      return drift.length === 0 ? [] : say(`${name} was edited: ${files}, in ${where}.`);
    });
    if (!json) terminal.print(lines);
    if (edited.length > 0) return report(false, [...edited, ...say(KEEP_EDITS)], 1);
    if (dryRun) return report(false, ["Nothing was changed: this was a dry run."]);
    const asked = { undone: "removed", details: { home } };
    if (!yes && !(await confirmChange(context, "Remove all of this?", asked)))
      return report(false, ["Nothing was changed."], 1);
    if (steps.length > 0) await hub.applySwitch({ action: "enable", steps });
    await hub.uninstall(await hub.planUninstall(), { discardEdits: discard });
    for (const path of schema) rmSync(path, { force: true });
    return report(true, [
      `${terminal.colours.green("✓")} Removed. To remove the command itself: npm uninstall --global skillet`,
      ...stay,
    ]);
  });
}

/** Scanning the skills that stay off writes a cache and an audit log, even to a home that had neither. */
async function removeTraces(hub: Hub, { dryRun }: { readonly dryRun: boolean }): Promise<void> {
  const made = await hub.planUninstall();
  if (!dryRun && made.installed.length === 0) await hub.uninstall(made, { discardEdits: false });
}

const KEEP_EDITS = "Nothing was changed. Copy what you want to keep, then add --discard.";

/** Lists skills that are in the store or that agents' settings keep off, and says what becomes of them. */
function waitingText(records: readonly SwitchRecord[], home: string, isRemoved: boolean): string {
  const named = (kind: SwitchRecord["kind"]): string =>
    listAll([...new Set(records.flatMap((one) => (one.kind === kind ? [stripControl(one.skill)] : [])))]);
  const [moved, off] = [named("move"), named("edit")];
  if (moved + off === "") return "";
  const inStore = moved && `Kept from your agents, and still in ${home}: ${moved}. `;
  const inSettings =
    off && `Switched off in settings of your agents, which ${home}/disabled.json stays to undo: ${off}. `;
  const end = isRemoved ? " To delete for good what you removed: skillet prune --all" : "";
  return `${inStore}${inSettings}To bring one back: skillet enable NAME.${end}`;
}

/** A schema that was edited, or that another version wrote, stays. */
function ownSchema(userHome: string): readonly string[] {
  const path = join(userHome, ".agents/skill.schema.json");
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const bytes = readBoundedFile(path, { maxBytes: 1024 * 1024 });
  return bytes !== undefined && Buffer.from(bytes).equals(Buffer.from(schemaText())) ? [path] : [];
}

/** Says what is kept from agents, where it is, and how to put it back. */
function dangerLines({ record, setting }: SwitchStep, isScanned: boolean, layout: Layout): readonly string[] {
  const { environment, colours } = layout;
  const show = (path: string): string => pathArgument(path, environment);
  const [place, ...back] =
    record.kind === "move"
      ? [`is kept in ${record.to}. To put it back yourself:`, `mv ${show(record.to)} ${show(record.from)}`]
      : [`stays off by ${setting} in ${record.kind === "edit" ? record.file : ""}.`];
  const why = `${isScanned ? "is dangerous" : "could not be scanned"}, so it is not enabled: it ${place}`;
  const lines = said(`${record.skill} ${why}`, layout, `${colours.red("✗")} `);
  return [...lines, ...back.map((line) => `    ${colours.cyan(line)}`)];
}
