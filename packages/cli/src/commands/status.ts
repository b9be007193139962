import { existsSync } from "node:fs";
import { join } from "node:path";
import { resolveHome, type Skill, type Skills } from "@skillet/core";
import { createAgentsReading, detectAgents } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { vetShown } from "../context/vet-shown.ts";
import { knownOutdated } from "../hub/known-outdated.ts";
import { withHub } from "../hub/with-hub.ts";
import { firstErrors } from "../ui/skill-notices.ts";
import { rulesOf, type ShownState, shownState } from "../ui/skill-state.ts";
import type { Terminal } from "../ui/terminal.ts";
import { count, displayWidth, hang, pad, spacedBlocks, stripControl, truncate } from "../ui/text.ts";

/** Something that a person should know, with the command that goes on from there. */
interface Notice {
  readonly mark: "✗" | "!" | "○";
  readonly text: string;
  readonly names: readonly string[];
  readonly next: readonly [command: string, what: string];
}

/** Where a person stands, on one screen of 24 lines: skills by agent, what needs a look, and how to go on. */
export async function status(context: CommandContext): Promise<ExitCode> {
  const skills = await openRegistry(context);
  const own = skills.snapshot.skills.filter(({ scope }) => scope !== "bundled");
  const notices = await findNotices(context, skills, own);
  const { terminal } = context;
  const bundled = skills.snapshot.skills.length - own.length;
  const title = own.length === 0 ? "No skills yet" : count(own.length, "skill");
  terminal.print(
    spacedBlocks([
      hang(`${title}, and ${bundled} that Skillet brings`, terminal, { paint: terminal.colours.bold }),
      agentLines(context, skills, own),
      notices.map((notice) => noticeLine(notice, terminal)),
      nextLines(context, notices, own.length),
    ]),
  );
  return 0;
}

const MAX_AGENTS = 6;

function agentLines(
  { terminal, environment }: CommandContext,
  { project }: Skills,
  own: readonly Skill[],
): readonly string[] {
  const places = { userHome: resolveHome(environment).userHome, environment };
  const agents = detectAgents(places);
  const readers = createAgentsReading({ agents, places, projectRoot: project?.root });
  const read = own.map((skill) => ({ name: skill.name, by: new Set(readers(skill).map(({ id }) => id)) }));
  const rows = agents.map(({ id, title }) => ({
    title,
    names: read.filter(({ by }) => by.has(id)).map(({ name }) => name),
  }));
  const unread = read.filter(({ by }) => by.size === 0).map(({ name }) => name);
  const shown = [
    ...rows.toSorted((left, right) => right.names.length - left.names.length).slice(0, MAX_AGENTS),
    ...(unread.length > 0 ? [{ title: "no agent", names: unread }] : []),
  ];
  const column = Math.max(0, ...shown.map(({ title }) => displayWidth(title)));
  const rest = rows.length - MAX_AGENTS;
  return [
    ...shown.map(({ title, names }) => {
      const head = `  ${pad(title, column)}  ${String(names.length).padStart(3)}  `;
      const list = stripControl([...new Set(names)].sort().join(", "));
      return head + terminal.colours.dim(truncate(list, terminal.width - displayWidth(head)));
    }),
    ...(rest > 0 ? [terminal.colours.dim(`  and ${count(rest, "other agent")}`)] : []),
  ];
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
  const dangerous = named((skill) => {
    const known = facts.get(skill);
    return known?.verdict === "dangerous" && known.approved !== true;
  });
  const held = inState("withheld").filter((name) => !dangerous.includes(name));
  const [waiting, edited, unscanned] = [inState("untrusted"), inState("changed"), inState("unscanned")];
  const locked = await readLocks(context, skills);
  const explain = (names: readonly string[]): string => `explain ${shellArgument(names[0] ?? "")}`;
  const broken = firstErrors(skills.snapshot).map(({ file }) => file);
  const notices: readonly (Notice | undefined)[] = [
    notice("✗", "dangerous", dangerous, [explain(dangerous), "why it is dangerous"]),
    notice("!", "changed since trusted", edited, [explain(edited), "what changed"]),
    notice("!", "changed since installed", locked.drifted, [locked.verify, "which files"]),
    notice("!", "waiting for your yes to this project", waiting, ["trust", "look, then say yes or no"]),
    notice("!", "withheld after a scan", held, [explain(held), "why"]),
    notice("✗", "that cannot be loaded", broken, ["doctor", "what is wrong with them"]),
    notice("○", "outdated, when last asked", locked.outdated, [locked.update, "see what is new first"]),
    notice("○", "not scanned yet", unscanned, ["scan --all", "scan them"]),
  ];
  return notices.filter((one) => one !== undefined);
}

function notice(
  mark: Notice["mark"],
  text: string,
  names: readonly string[],
  next: Notice["next"],
): Notice | undefined {
  return names.length === 0 ? undefined : { mark, text, names, next };
}

interface Locked {
  readonly drifted: readonly string[];
  readonly outdated: readonly string[];
  readonly verify: string;
  readonly update: string;
}

/** What the locks say, without asking a source; a lock that cannot be read is for `doctor`. */
async function readLocks(context: CommandContext, { home, project }: Skills): Promise<Locked> {
  const drifted: string[] = [];
  const outdated: string[] = [];
  const files = [join(home, "lock.json"), ...(project ? [join(project.root, "skillet.lock")] : [])];
  let flags = "";
  for (const [index, file] of files.entries()) {
    if (!existsSync(file)) continue;
    try {
      await withHub(context, { project: index === 1 }, async ({ hub }) => {
        const changed = (await hub.verify([])).filter(({ drift }) => drift.length > 0);
        const behind = knownOutdated(home, hub.lockFile, await hub.list());
        if (index === 1 && changed.length + behind.length > 0) flags = " --project";
        drifted.push(...changed.map(({ name }) => name));
        outdated.push(...behind);
        return 0;
      });
    } catch (error) {
      if (!SkilletError.isInstance(error) && !(error instanceof CliError)) throw error;
    }
  }
  return { drifted, outdated, verify: `verify${flags}`, update: `update --dry-run${flags}` };
}

function noticeLine({ mark, text, names }: Notice, { colours, width }: Terminal): string {
  const paint = { "✗": colours.red, "!": colours.yellow, "○": colours.dim }[mark];
  const list = stripControl(names.slice(0, 20).join(", "));
  return `${paint(mark)} ${truncate(`${names.length} ${text}: ${list}`, width - 2)}`;
}

const COMMANDS = 3;

function nextLines({ terminal }: CommandContext, notices: readonly Notice[], own: number): readonly string[] {
  const next: readonly Notice["next"][] = [
    ...notices.map((one) => one.next),
    ...(own > 0 ? ([["show", "every skill, and which agents read it"]] as const) : []),
    ["install OWNER/REPO", "skills of others, scanned first"],
    ["new NAME", "write a skill of your own"],
    ["help", "what else there is"],
  ];
  const commands = next.slice(0, COMMANDS).map(([words, what]) => ({ line: `skillet ${words}`, what }));
  const column = Math.max(...commands.map(({ line }) => displayWidth(line))) + 4;
  const { bold, cyan, dim } = terminal.colours;
  return [
    bold("Go on with"),
    ...commands.map(({ line, what }) => {
      const note = column + displayWidth(what) <= terminal.width ? dim(what) : "";
      return `  ${cyan(pad(line, column - 2))}${note}`.trimEnd();
    }),
  ];
}
