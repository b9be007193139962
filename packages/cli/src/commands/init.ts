import { existsSync, lstatSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { resolveHome, type Skill, type Skills } from "@skillet/core";
import { detectAgents, needsTrust, readTrust, trustFolder, trustOf } from "@skillet/core/internal";
import { errorCode } from "@skillet/kit/errors";
import { canonicalPath, isInside, makeFolders, readBoundedFile } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import { openAgentsOf } from "../context/agents-of.ts";
import { CliError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { openRegistry } from "../context/open-registry.ts";
import { noProject, openWorkspace } from "../context/open-workspace.ts";
import { recordAndApply } from "../context/record-decision.ts";
import { vetShown } from "../context/vet-shown.ts";
import { type ShownState, type SkillFacts, shownState, stateMark, verdictWords } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, listAll, pad, showPath, stripControl } from "../ui/text.ts";

const SKILLS = ".agents/skills";
const EMPTY_LOCK = '{\n  "lockVersion": 1,\n  "skills": {}\n}\n';
// Left behind by an interrupted install, for the next command to clean up.
const IGNORED = ".skillet-*";
const MAX_IGNORE_BYTES = 1024 * 1024;

export interface Change {
  /** Relative to the project. */
  readonly path: string;
  readonly what: string;
  readonly undo: string;
  readonly apply: () => Promise<unknown> | unknown;
}

interface LinkChange extends Change {
  readonly skill: Skill;
  readonly agent: string;
}

/** A skill that came with the repository and that is not linked for any agent in its current state. */
interface HeldSkill {
  readonly skill: Skill;
  readonly state: ShownState;
  readonly facts: SkillFacts | undefined;
  /** The agents that would get a link. */
  readonly agents: readonly string[];
}

/** Sets up a project: shows everything it would write, asks once, and changes no file but .gitignore. */
export async function init(
  context: CommandContext,
  options: Flags<"ci" | "yes" | "dryRun">,
): Promise<ExitCode> {
  const { terminal, environment, workspace, json } = context;
  const { cyan, green } = terminal.colours;
  const { root, project } = openWorkspace(context);
  if (project === undefined)
    throw noProject(workspace, "Run it in a project's folder, such as a repository.");
  const skills = await openRegistry({ ...context, skillsRoots: [] });
  const { links, held } = await sortLinks(context, skills, root);
  const changes = [...findChanges(skills, root, links), ...(options.ci === true ? ciChange(root) : [])];
  const rows = changes.map(({ path, what, undo }) => ({ path, what, undo }));
  const column = Math.max(0, ...rows.map(({ path }) => path.length)) + 2;
  const lines = rows.flatMap(({ path, what }) =>
    hang(what, terminal, { indent: column + 2, lead: `  ${pad(stripControl(path), column)}` }),
  );
  if (!json && rows.length > 0) terminal.print([`In ${showPath(root, environment)}:`, ...lines, ""]);
  if (!json && held.length > 0) terminal.print([...held.flatMap((one) => heldLines(one, terminal)), ""]);
  const { dryRun = false, yes = dryRun || rows.length === 0 } = options;
  const isAgreed = yes || (await confirmChange(context, "Write this?", { details: { changes: rows } }));
  const done = isAgreed && !dryRun;
  if (done) for (const { path, apply } of changes) await orUnwritable(join(root, path), apply);
  const isTrusted = trustOf(readTrust(skills.home), root).trusted;
  const awaiting = held.filter(({ state }) => state === "untrusted" || state === "changed");
  const linksLater = [...new Set(awaiting.flatMap(({ agents }) => agents))];
  const next = [
    ...(isTrusted && awaiting.length === 0 ? [] : ["trust"]),
    ...(linksLater.length === 0 ? [] : [`init   # once they are trusted: links for ${listAll(linksLater)}`]),
    ...["install OWNER/REPO --project", "new NAME"],
  ];
  const screen = (): readonly string[] => [
    `${green("✓")} The project is set up${rows.length === 0 ? " already" : ""}. Next:`,
    ...next.map((words) => `  ${cyan(`skillet ${words}`)}`),
  ];
  const heldRows = held.map(({ skill: { name, path }, facts, ...one }) => {
    return { name, path, ...one, verdict: facts?.verdict };
  });
  const document = { root, changes: rows, done, held: heldRows };
  return answer(context, document, done ? screen : () => "Nothing was changed.", isAgreed ? 0 : 1);
}

/** A clone's own skills are linked for further agents only after a scan and the user's trust. */
async function sortLinks(
  context: CommandContext,
  skills: Skills,
  root: string,
): Promise<{ links: readonly LinkChange[]; held: readonly HeldSkill[] }> {
  const own = skills.snapshot.skills.filter(({ path }) => isInside(path, join(root, SKILLS)));
  const known = await vetShown(context, skills, own, { maxScanned: own.length });
  const links = linkChanges(context, skills, { root, own });
  const held = own.flatMap((skill): readonly HeldSkill[] => {
    const facts = known.get(skill);
    const state = shownState(skill, facts);
    if (!HELD.has(state)) return [];
    const agents = links.flatMap((link) => (link.skill === skill ? [link.agent] : []));
    return [{ skill, state, facts, agents }];
  });
  return { links: links.filter((link) => !held.some(({ skill }) => skill === link.skill)), held };
}

const HELD: ReadonlySet<ShownState> = new Set(["changed", "disabled", "unscanned", "untrusted", "withheld"]);

function heldLines({ skill, state, facts, agents }: HeldSkill, layout: Layout): readonly string[] {
  const words = [facts && verdictWords(facts), state].filter((word) => word !== undefined).join(", ");
  const link = agents.length === 0 ? "" : `; no link for ${listAll(agents)}`;
  const why = facts?.withheld === undefined ? "" : `: ${facts.withheld}`;
  const lead = `${stateMark(state, layout.colours)} ${stripControl(skill.name)}  `;
  return hang(`${words}${link}${why}`, layout, { indent: 2, lead });
}

function findChanges(skills: Skills, root: string, links: readonly Change[]): readonly Change[] {
  const { home, snapshot } = skills;
  const place = join(root, SKILLS);
  const folder: Change = {
    path: `${SKILLS}/`,
    what: "the project's skills, which Codex, Gemini CLI and others read",
    undo: `rmdir ${SKILLS}`,
    apply: () => makeFolders(place),
  };
  const trust: Change = {
    path: "trust",
    what: "on this machine: agents that use Skillet are told of its skills, and its config is read",
    undo: "skillet trust --revoke",
    apply: () =>
      recordAndApply(home, { action: "trust", path: root, decision: "allow" }, () =>
        trustFolder({ home, projectRoot: root, skills: [], clock: Date.now }),
      ),
  };
  // Existing skills must be reviewed first: `skillet trust` shows them.
  const isHeld = snapshot.skills.some(({ scope }) => needsTrust(scope));
  return [
    ...(isFree(place, root) ? [folder] : []),
    ...newFile(root, "skillet.lock", "what is installed, file for file; commit it", EMPTY_LOCK),
    ...ignoreChange(root),
    ...links,
    ...(isHeld || trustOf(readTrust(home), root).trusted ? [] : [trust]),
  ];
}

/** Checks that nothing is there, and that no link in the repository leads outside it. */
function isFree(place: string, root: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) === undefined && staysInside(dirname(place), root);
}

/** Checks that no link on the way leads out of the project, or to nothing, where no folder could be made. */
export function staysInside(folder: string, root: string): boolean {
  for (let at = folder; at !== root && dirname(at) !== at; at = dirname(at))
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true && !existsSync(at)) return false;
  return isInside(canonicalPath(folder), root);
}

function newFile(root: string, path: string, what: string, text: string): readonly Change[] {
  const place = join(root, path);
  const apply = (): void => {
    makeFolders(dirname(place));
    writeFileSync(place, text, { flag: "wx" });
  };
  return isFree(place, root) ? [{ path, what, undo: `rm ${shellArgument(path)}`, apply }] : [];
}

function ignoreChange(root: string): readonly Change[] {
  const place = join(root, ".gitignore");
  const isFile = lstatSync(place, { throwIfNoEntry: false })?.isFile();
  if (!existsSync(join(root, ".git")) || isFile === false) return [];
  const text = Buffer.from(readBoundedFile(place, { maxBytes: MAX_IGNORE_BYTES }) ?? []).toString();
  if (text.split(/\r?\n/).includes(IGNORED)) return [];
  const line = `${text === "" || text.endsWith("\n") ? "" : "\n"}${IGNORED}\n`;
  const what = `a line for ${IGNORED}, which an interrupted install leaves`;
  const undo = `remove the line ${IGNORED}`;
  return [{ path: ".gitignore", what, undo, apply: () => writeFileSync(place, line, { flag: "a" }) }];
}

/**
 * Links for agents in use that do not read the project's skills folder or, without a root, the user's;
 * installs add their own links later.
 */
export function linkChanges(
  context: CommandContext,
  skills: Skills,
  { root, own }: { readonly root: string | undefined; readonly own: readonly Skill[] },
): readonly LinkChange[] {
  const { environment } = context;
  const { userHome } = resolveHome(environment);
  const places = { userHome, environment };
  const { readersOf } = openAgentsOf(context, skills);
  const agents = detectAgents(places).filter(({ followsLinks }) => followsLinks !== false);
  return own.flatMap((skill) =>
    agents.flatMap((agent): readonly LinkChange[] => {
      const { id, title, projectFolder } = agent;
      const folder =
        root === undefined ? agent.userFolder?.(places) : projectFolder && join(root, projectFolder);
      const { loading, switchedOff } = readersOf(skill);
      const isRead = [...loading, ...switchedOff].some((one) => one.id === id);
      if (folder === undefined || isRead) return [];
      const place = join(folder, skill.directoryName);
      if (!isFree(place, root ?? canonicalPath(folder))) return [];
      const path = root === undefined ? place : relative(root, place);
      const undo = `rm ${shellArgument(path)}`;
      const reason = `linked for ${title}; undo: ${undo}`;
      const decision = {
        action: "enable",
        skill: skill.name,
        path: place,
        decision: "allow",
        reason,
      } as const;
      const apply = (): Promise<void> =>
        recordAndApply(skills.home, decision, async () => {
          makeFolders(dirname(place));
          symlinkSync(relative(canonicalPath(dirname(place)), skill.directory), place, "dir");
        });
      const what = `a link to ${SKILLS}/${skill.directoryName}, for ${title}`;
      return [{ path, what, undo, apply, skill, agent: title }];
    }),
  );
}

/** Writes what was shown; an error of the system, such as a protected folder, is reported with its path. */
export async function orUnwritable<Written>(
  path: string,
  write: () => Promise<Written> | Written,
): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    const errno = errorCode(error);
    if (error instanceof CliError || errno === undefined) throw error;
    throw new CliError("file-unwritable", `${path} could not be written (${errno}).`, {
      hints: ["Check the permissions of the folders above it, and the space on the disk."],
      details: { path, errno },
    });
  }
}

// CI must run the version that the project pins, never a stranger's package of this name from a registry.
function ciChange(root: string): readonly Change[] {
  // Git keeps no empty folders, and a project may have no skills yet.
  const hasSkills = `        if: hashFiles('${SKILLS}/**/SKILL.md') != ''\n`;
  const steps = [
    "uses: actions/checkout@v4",
    "uses: actions/setup-node@v4\n        with:\n          node-version: 20",
    "run: npm ci",
    "run: npx --no-install skillet install --frozen --project",
    `run: npx --no-install skillet validate ${SKILLS}\n${hasSkills}`,
    `run: npx --no-install skillet scan ${SKILLS}\n${hasSkills}`,
  ].map((step) => `      - ${step.trimEnd()}\n`);
  const job = `jobs:\n  skillet:\n    runs-on: ubuntu-latest\n    steps:\n${steps.join("")}`;
  const text = `name: skills\non: [push, pull_request]\npermissions:\n  contents: read\n${job}`;
  const what =
    "checks the skills in CI, with the Skillet that your package.json and its lock file name; to add it there from a packed file: npm install --save-dev ./tools/skillet-VERSION.tgz";
  return newFile(root, ".github/workflows/skillet.yml", what, text);
}
