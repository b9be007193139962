import type { Skill, Skills } from "@skillet/core";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { openAgentsOf } from "../context/agents-of.ts";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { vetShown } from "../context/vet-shown.ts";
import { readLocks } from "../hub/read-locks.ts";
import { firstErrors } from "../ui/skill-notices.ts";
import { isDangerous, rulesOf, type ShownState, shownState } from "../ui/skill-state.ts";
import type { Terminal } from "../ui/terminal.ts";
import { count, displayWidth, hang, pad, spacedBlocks, stripControl, truncate } from "../ui/text.ts";

/** Skills that need the user's attention, with the command to run next. */
type Notice = readonly [mark: "✗" | "!" | "○", text: string, names: readonly string[], ...Next];
type Next = readonly [command: string, what: string];

const MAX_AGENTS = 6;
const MAX_NAMED = 20;
const COMMANDS = 3;

/** Shows on one screen of 24 lines: skills by agent, what needs attention, and what to do next. */
export async function status(context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const skills = await openRegistry(context);
  const own = skills.snapshot.skills.filter(({ scope }) => scope !== "bundled");
  const notices = (await findNotices(context, skills, own)).filter(([, , names]) => names.length > 0);
  const bundled = skills.snapshot.skills.length - own.length;
  const title = own.length === 0 ? "No skills yet" : count(own.length, "skill");
  const next: readonly Next[] = [
    ...notices.map(([, , , command, what]): Next => [command, what]),
    ...(own.length > 0 ? ([["show", "every skill, and which agents read it"]] as const) : []),
    ["install OWNER/REPO", "other people's skills, scanned first"],
    ["new NAME", "write a skill of your own"],
    ["help", "what else there is"],
  ];
  terminal.print(
    spacedBlocks([
      hang(`${title}, and ${bundled} that Skillet brings`, terminal, { paint: terminal.colours.bold }),
      agentLines(context, skills, own),
      notices.flatMap((notice) => noticeLines(notice, terminal)),
      nextLines(next.slice(0, COMMANDS), terminal),
    ]),
  );
  return 0;
}

function agentLines(context: CommandContext, skills: Skills, own: readonly Skill[]): readonly string[] {
  const { width, colours } = context.terminal;
  const { agents = [], readersOf } = openAgentsOf(context, skills, ["all"]);
  const rows = new Map(agents.map(({ title }) => [title, new Set<string>()]));
  for (const skill of own) {
    const { loading, refusedBy, switchedOff } = readersOf(skill);
    const readers = loading.map(({ title }) => title);
    const isNone = readers.length === 0 && skill.state !== "disabled";
    const why =
      refusedBy[0]?.why ?? (switchedOff.length > 0 ? "switched off in them" : "in no folder of theirs");
    const name = skill.plugin === undefined ? skill.name : skill.qualifiedName;
    for (const title of readers.length > 0 ? readers : [isNone ? "no agent" : "disabled"])
      rows.set(title, (rows.get(title) ?? new Set()).add(isNone ? `${name} (${why})` : name));
  }
  const column = Math.max(0, ...[...rows.keys()].map(displayWidth));
  const rest = rows.size - MAX_AGENTS - 1;
  const sorted = [...rows].toSorted(([, left], [, right]) => right.size - left.size);
  const lines = sorted.slice(0, MAX_AGENTS + 1).map(([title, names]) => {
    const head = `  ${pad(title, column)}  ${String(names.size).padStart(3)}  `;
    return head + colours.dim(truncate(stripControl([...names].sort().join(", ")), width - head.length));
  });
  return [...lines, ...(rest > 0 ? [colours.dim(`  and ${count(rest, "other agent")}`)] : [])];
}

async function findNotices(
  context: CommandContext,
  skills: Skills,
  own: readonly Skill[],
): Promise<readonly Notice[]> {
  const facts = await vetShown(context, skills, own);
  const rules = rulesOf(skills);
  const named = (isMeant: (skill: Skill) => boolean): readonly string[] =>
    own.filter(isMeant).map(({ qualifiedName }) => qualifiedName);
  const inState = (state: ShownState): readonly string[] =>
    named((skill) => shownState(skill, facts.get(skill), rules) === state);
  const isBad = (skill: Skill): boolean => isDangerous(facts.get(skill));
  const { readersOf } = openAgentsOf(context, skills);
  const loaders = (skill: Skill) => readersOf(skill).loading;
  const isOff = (skill: Skill): boolean => skill.state === "disabled" && loaders(skill).length === 0;
  const off = named((skill) => isBad(skill) && isOff(skill));
  const dangerous = named((skill) => isBad(skill) && !isOff(skill));
  const loading = [...new Set(own.filter(isBad).flatMap(loaders))].map(({ title }) => title);
  const loaded = loading.length === 0 ? "" : `, still loaded by ${listFirst(loading, 3)}`;
  const held = inState("withheld").filter((name) => !dangerous.includes(name));
  const [waiting, edited, unscanned] = [inState("untrusted"), inState("changed"), inState("unscanned")];
  const unwritten = inState("unwritten");
  const locks = await readLocks(context);
  const drifted = locks.flatMap((lock) => lock.drifted);
  const outdated = locks.flatMap((lock) => lock.outdated);
  const isOnly = locks.every((lock) => lock.project || lock.drifted.length + lock.outdated.length === 0);
  const flags = isOnly ? " --project" : "";
  const caution = named((skill) => {
    const known = facts.get(skill);
    return known?.verdict === "caution" && known.withheld === undefined && known.approved !== true;
  });
  const first = (command: string, names: readonly string[]): string =>
    `${command} ${shellArgument(names[0] ?? "")}`;
  const broken = firstErrors(skills.snapshot).map(({ file }) => file);
  return [
    ["✗", `dangerous${loaded}`, dangerous, first("explain", dangerous), "why it is dangerous"],
    ["○", "dangerous, and disabled", off, first("explain", off), "why it is dangerous"],
    ["!", "changed since trusted", edited, first("explain", edited), "which file changed"],
    ["!", "changed since installed", drifted, `verify${flags}`, "which files"],
    ["!", "waiting for you to trust this project", waiting, "trust", "look, then say yes or no"],
    ["!", "withheld after a scan", held, first("explain", held), "why"],
    ["✗", "that cannot be loaded", broken, "doctor", "what is wrong with them"],
    ["!", "still a template", unwritten, first("lint", unwritten), "what is left to write"],
    ["!", "to look at before you rely on them", caution, first("explain", caution), "what the scan found"],
    ["○", "outdated when last checked", outdated, `update --dry-run${flags}`, "what is new"],
    ["○", "not scanned yet", unscanned, "scan --all", "scan them"],
  ];
}

function noticeLines([mark, text, names]: Notice, { colours, width }: Terminal): readonly string[] {
  const paint = { "✗": colours.red, "!": colours.yellow, "○": colours.dim }[mark];
  const list = names.slice(0, MAX_NAMED).join(", ");
  return hang(`${names.length} ${text}: ${list}`, { width }, { indent: 2, lead: `${paint(mark)} ` });
}

function nextLines(next: readonly Next[], { colours, width }: Terminal): readonly string[] {
  const column = Math.max(...next.map(([command]) => displayWidth(command))) + "skillet ".length + 4;
  const lines = next.map(([command, what]) => {
    const note = column + displayWidth(what) <= width ? colours.dim(what) : "";
    return `  ${colours.cyan(pad(`skillet ${command}`, column - 2))}${note}`.trimEnd();
  });
  return [colours.bold("Go on with"), ...lines];
}
