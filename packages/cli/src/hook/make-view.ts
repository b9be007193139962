import { join } from "node:path";
import type { HookView } from "@skillet/adapters/hooks";
import {
  describeHookSkill,
  isIndexed,
  settledStamp,
  skillPlaces,
  stampFile,
  viewFiles,
  writeView,
} from "@skillet/adapters/hooks";
import { loadConfig, parseSkill, resolveHome, type Skill, type Skills } from "@skillet/core";
import {
  AGENT_SWITCHES,
  AGENTS,
  agentHome,
  approvalPath,
  configPath,
  createAgentsLoading,
  organisationDirectory,
  projectConfigPath,
  trustPath,
  type UseRules,
} from "@skillet/core/internal";
import { isInside, readBoundedFile } from "@skillet/kit/files";
import { onSkilletError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { openWorkspace, ownConfig } from "../context/open-workspace.ts";
import { vetShown } from "../context/vet-shown.ts";
import { loadSelecting } from "../load-beside.ts";
import { rulesOf } from "../ui/skill-state.ts";
import { createTerminal } from "../ui/terminal.ts";

interface ViewRequest extends Pick<CommandContext, "environment" | "workspace"> {
  readonly agent: string;
  readonly code: string;
}

export { keepRuns } from "./propose-learning.ts";

/**
 * Works out what an agent's hooks need to know, with the same checks as every other command, and caches it.
 * Stamps are taken before anything is read, so that the next hook notices a change that happens meanwhile.
 */
export async function makeView(request: ViewRequest): Promise<HookView> {
  const { environment, workspace, agent: id, code } = request;
  const { home, userHome } = resolveHome(environment);
  const places = { userHome, environment };
  const context = silentContext(request);
  const settings = stampAll(settingsFiles(context, id));
  const agent = AGENTS.find((one) => one.id === id);
  const project = openWorkspace(context).project?.root;
  const watched = [
    ...(agent?.userReads(places) ?? []),
    ...(project === undefined ? [] : (agent?.projectReads ?? []).map((folder) => join(project, folder))),
  ];
  const folders = stampAll(watched);
  const skills = await openRegistry(context);
  const found = skills.snapshot.skills.filter(({ scope }) => scope !== "bundled");
  const stamps = new Map(found.map((skill) => [skill, settledStamp(skills, skill)]));
  const parts = stampAll(found.flatMap((skill) => skillPlaces(skills, skill)));
  const facts = await vetShown(context, skills, found, { maxScanned: Number.POSITIVE_INFINITY });
  const rules = await readRules(skills, found);
  const loading = createAgentsLoading({ agents: agent ? [agent] : [], places, projectRoot: project });
  const isTaken = (skill: Skill): boolean => skill.state === "enabled" && loading(skill).loading.length > 0;
  const taken = new Set(found.filter(isTaken).map(({ name }) => name));
  const { config, layers } = skills.config;
  const view: HookView = {
    code,
    agent: id,
    workspace,
    project: project ?? workspace,
    mode: config.policy.mode,
    layers: layers.map(({ kind, values: { policy } }) => ({
      kind,
      values: policy === undefined ? {} : { policy },
    })),
    ifHooksFail: config.policy.ifHooksFail,
    settings: [...settings, ...stampAll(config.scan.rules)],
    places: [...folders, ...stampAll(skills.snapshot.roots.map(({ path }) => path)), ...parts],
    learned: [...loadSelecting().readLearned(home).learned.skills],
    skills: found.map((skill) => {
      const { loading: readers, refusedBy } = loading(skill);
      const isRead = readers.length > 0;
      const isHeld = isRead || refusedBy.length > 0;
      const readAt =
        [skill.path, ...skill.alsoAt].find((file) => watched.some((folder) => isInside(file, folder))) ??
        skill.path;
      const [stamp, isNamesake] = [stamps.get(skill), taken.has(skill.name)];
      const judged = { isRead, isHeld, readAt, isNamesake, stamp, facts: facts.get(skill), rules };
      return describeHookSkill(skill, judged);
    }),
  };
  const files = viewFiles(home, id, workspace);
  await keepIndex(skills, view, files.index);
  await writeView(files.view, view);
  return view;
}

/** Prints nothing: the agent must read only the answer. */
function silentContext({ environment, workspace }: Omit<ViewRequest, "agent" | "code">): CommandContext {
  const sink = { isTTY: false, columns: undefined, write: () => true };
  const terminal = createTerminal({ stdout: sink, stderr: sink, environment });
  return {
    json: true,
    skillsRoots: [],
    workspace,
    debug: false,
    version: "",
    argv: [],
    terminal,
    environment,
  };
}

function settingsFiles(context: CommandContext, agent: string): readonly string[] {
  const { environment } = context;
  const { home, userHome } = resolveHome(environment);
  const places = { userHome, environment };
  const project = openWorkspace(context).project?.root;
  const own = AGENT_SWITCHES.find(({ id }) => id === agent);
  return [
    ...(project === undefined ? [] : [join(project, ".git"), projectConfigPath(project)]),
    ...[
      configPath(organisationDirectory(process.platform, environment)),
      configPath(home),
      trustPath(home),
      approvalPath(home),
    ],
    ...["lock.json", "selection.yaml", "scan-suppressions.yaml", "disabled"].map((name) => join(home, name)),
    ...(own === undefined ? [] : own.files(places, project)),
    join(agentHome("CLAUDE_CONFIG_DIR", places), "plugins/installed_plugins.json"),
  ];
}

function stampAll(paths: readonly string[]): HookView["settings"] {
  return [...new Set(paths)].map((path) => [path, ...stampFile(path)] as const);
}

async function readRules(skills: Skills, found: readonly Skill[]): Promise<UseRules> {
  const rules = rulesOf(skills);
  if (rules.mode !== "plan") return rules;
  const scripted = new Set<Skill>();
  for (const skill of found) if (await skills.reader.hasScripts(skill)) scripted.add(skill);
  return { ...rules, hasScripts: (skill) => scripted.has(skill) };
}

/** Caches the index of the skills that may be named, so that a prompt does not wait for texts to be read. */
async function keepIndex(skills: Skills, { skills: known }: HookView, cacheFile: string): Promise<void> {
  const paths = new Set(known.filter(isIndexed).map(({ path }) => path));
  const read = skills.snapshot.skills.filter(({ path }) => paths.has(path));
  await loadSelecting().createSelector(
    { ...skills.snapshot, skills: read },
    {
      cacheFile,
      readBody: (skill) =>
        skills.reader
          .readText(skill)
          .then(({ text }) => parseSkill(text, { file: skill.path }).body)
          .catch(onSkilletError(() => undefined)),
    },
  );
}

/**
 * Returns what the organisation's config or the user's says about failures. A broken user config cannot lift
 * the organisation's rule, and its own still counts: an error elsewhere must not disable its `deny`.
 */
export async function failurePolicy(
  request: Omit<ViewRequest, "agent" | "code">,
): Promise<HookView["ifHooksFail"]> {
  try {
    return (await ownConfig(silentContext(request))).policy.ifHooksFail;
  } catch (error) {
    const otherwise = () =>
      saysDeny(request.environment) ? "deny" : organisationPolicy(request.environment);
    return onSkilletError(otherwise)(error);
  }
}

const MAX_CONFIG_BYTES = 1024 * 1024;

function saysDeny(environment: ViewRequest["environment"]): boolean {
  try {
    const bytes = readBoundedFile(configPath(resolveHome(environment).home), { maxBytes: MAX_CONFIG_BYTES });
    return /^[^#\n]*\bifHooksFail["']?\s*:\s*["']?deny\b/m.test(new TextDecoder().decode(bytes));
  } catch (error) {
    return onSkilletError(() => false)(error);
  }
}

function organisationPolicy(environment: ViewRequest["environment"]): HookView["ifHooksFail"] {
  const { home, userHome } = resolveHome(environment);
  const given = { values: false, from: home } as const;
  try {
    return loadConfig({ home, userHome, environment, projectTrusted: false, given }).config.policy
      .ifHooksFail;
  } catch (error) {
    return onSkilletError(() => "deny" as const)(error);
  }
}
