import { randomUUID } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { quoteName, removeHidden } from "@skillet/kit/text";
import type { CallOptions } from "../ask.ts";
import { createAllowList } from "../policy/decision.ts";
import { type Narrowing, narrowingOf, narrowingTo } from "../policy/narrowing.ts";
import type { Skill } from "../registry/skill.ts";
import { protectTags } from "./activate/wrap-skill.ts";
import { givenOptions, givenText, givenTexts } from "./model-input.ts";
import { findProfile, openState } from "./open-session.ts";
import { orClose } from "./records/recorder.ts";
import type { ForkRecord } from "./records/session-record.ts";
import { type AllowedScript, readAllowed, type ScriptAllowlist, showScript } from "./run/script-allowlist.ts";
import {
  type Activation,
  type ActivationSource,
  checkSource,
  type Session,
  type SessionOptions,
} from "./session.ts";
import { findNamed, resolveFor } from "./skill-access.ts";
import { usableSkills } from "./skill-view.ts";
import type { SessionState } from "./state.ts";
import { narrowingLevels, OWN_SCRIPTS } from "./tool-rules.ts";

/**
 * The grants of a child session. From its parent it inherits only limits (mode, narrowed tools, files in
 * play) and the way to ask the same user.
 */
export interface ForkOptions extends CallOptions {
  /** The child's only skills, by name; each must be one that the parent may use. */
  readonly skills?: readonly string[] | undefined;
  /**
   * Exactly `skill:scripts/path`: the child's only scripts, each on the parent's own list; `inherit`: scripts
   * of its skills that the parent may run. Default: none; with `activate`, `inherit`.
   */
  readonly scripts?: readonly string[] | "inherit" | undefined;
  /** A profile of the configuration; adds those of its skills and scripts that the parent may use. */
  readonly profile?: string | undefined;
  /**
   * Tool rules as in `allowed-tools`: the child may do only what they cover. Default: nothing; with
   * `activate`, what that skill's `allowed-tools` cover, or all that the parent may do if it has none.
   */
  readonly tools?: readonly string[] | undefined;
  /** The skill that the child is for, such as one with `context: fork`; it is loaded with those it needs. */
  readonly activate?: string | undefined;
  readonly arguments?: string | undefined;
  /** Who asked for that skill; default: the model. */
  readonly source?: ActivationSource | undefined;
  readonly context?: string | undefined;
}

/** A child session: a subset of its parent, with records of its own below the parent's. */
export interface ForkSession extends Session {
  readonly parentRunId: string;
  readonly context: string | undefined;
  /** The loaded skill that the child is for: its text, and the agent and model that it requests. */
  readonly activation: Activation | undefined;
  /** Tool rules that could not be parsed; they cover nothing. */
  readonly diagnostics: readonly Diagnostic[];
  /** Ends the child; the parent gets only this summary, cleaned and shortened. */
  finish(summary: string): Promise<string>;
}

interface OpenedFork {
  readonly child: SessionState;
  readonly record: Omit<ForkRecord, "event">;
  readonly diagnostics: readonly Diagnostic[];
  readonly activate: { readonly name: string; readonly source: ActivationSource } | undefined;
}

export function checkForkOptions(given: ForkOptions): ForkOptions {
  const options = givenOptions(given);
  for (const key of ["skills", "scripts", "tools"] as const)
    if (key !== "scripts" || options.scripts !== "inherit")
      givenTexts(options[key], `\`${key}\` of the fork`);
  checkSource(options.source ?? "model");
  for (const key of ["profile", "context", "activate", "arguments"] as const)
    if (options[key] !== undefined) givenText(options[key], `\`${key}\` of the fork`);
  return options;
}

export async function openFork(session: SessionState, fork: ForkOptions): Promise<OpenedFork> {
  const { options, recorder, runner } = session;
  const { context, profile, activate, source = "model" } = fork;
  const main = activate === undefined ? undefined : resolveFor(session, activate, source);
  const tools = fork.tools ?? main?.manifest.tools.allowed ?? [];
  const skills = forkedSkills(session, fork, main);
  const wanted = fork.scripts ?? (main === undefined ? [] : "inherit");
  const scripts =
    wanted === "inherit"
      ? session.allowlist.of(new Set(skills))
      : inheritScripts(wanted, skills, session.allowlist);
  const runId = randomUUID();
  const { runFolder, store } = recorder;
  const records = runFolder === undefined ? store?.child(runId) : await makeChildFolder(runFolder, runId);
  const given = narrowingTo(tools, {
    by: "the list of tools that this fork was given",
    project: options.projectDirectory ?? "/",
  });
  const names = skills.map(({ qualifiedName }) => qualifiedName);
  const own: SessionOptions = {
    runId,
    allow: names,
    profile,
    records,
    runner,
    // The child also has the values of the skill that it is for; they reach that skill's scripts alone.
    secrets: main && { [main.qualifiedName]: session.secrets.valuesFor(main) },
  };
  const child = await openState(
    session,
    { ...inheritedOptions(options), ...own },
    {
      parent: {
        session,
        scripts,
        skills: new Set(skills),
        narrowing: [
          ...narrowingLevels(session),
          ...(fork.tools === undefined && main !== undefined ? [] : [[given.narrowing]]),
          ...(main === undefined ? [] : ownLimit(session, main).map((limit) => [limit])),
        ],
      },
    },
  );
  const record = {
    kind: "fork",
    childRunId: runId,
    childFolder: typeof records === "string" ? records : "",
    skills: names,
    tools,
    ...(scripts.length > 0 && { scripts: scripts.map(showScript) }),
    ...(context !== undefined && { context }),
  } as const;
  await orClose(child.recorder, () => recorder.append({ ...record, event: "started" }));
  // Users cannot ask a child for skills: its parent passes on what they asked for.
  const asked = main && {
    name: main.qualifiedName,
    source: source === "model" ? source : ("parent" as const),
  };
  return { child, record, diagnostics: given.diagnostics, activate: asked };
}

/** A skill's `allowed-tools` as the limit of its fork, without asking the user; scripts have a list. */
function ownLimit({ options, userHome: home }: SessionState, skill: Skill): readonly Narrowing[] {
  const project = options.projectDirectory ?? "/";
  const { allowed, disallowed } = narrowingOf(skill, { source: "parent", project, home }).narrowing;
  const by = `${skill.qualifiedName}, which this fork is for,`;
  return allowed === undefined ? [] : [{ by, allowed: [...allowed, OWN_SCRIPTS], disallowed }];
}

function forkedSkills(
  session: SessionState,
  { skills = [], profile }: ForkOptions,
  main: Skill | undefined,
): readonly Skill[] {
  const usable = main === undefined ? [] : usableSkills(session, "parent");
  const needed = new Set(main === undefined ? [] : [main]);
  // The set grows while it is iterated.
  for (const { manifest } of needed)
    for (const name of manifest.gating.skills) {
      const skill = findNamed(name, usable, session.snapshot);
      if (skill !== undefined) needed.add(skill);
    }
  const named = [...needed, ...skills.map((name) => resolveFor(session, name, "parent"))];
  if (profile === undefined) return [...new Set(named)];
  const isListed = createAllowList(findProfile(session, profile).skills);
  const listed = usableSkills(session, "parent").filter(({ qualifiedName }) => isListed(qualifiedName));
  return [...new Set([...named, ...listed])];
}

// A link in the run folder would redirect the children's records.
async function makeChildFolder(runFolder: string, runId: string): Promise<string> {
  const children = join(runFolder, "children");
  await mkdir(children, { recursive: true, mode: 0o700 });
  if ((await lstat(children)).isSymbolicLink()) {
    const message = `${children} is a link, which is not followed; remove it, or record into another folder.`;
    throw new SkilletError("records-unavailable", message, { data: { runFolder } });
  }
  return join(children, runId);
}

// Only limits are inherited, including hooks that guard tools: no grants, profile, run id or commands.
function inheritedOptions(options: SessionOptions): SessionOptions {
  const { ask, interactive, product, projectDirectory, files, onDrift, freeze, clock } = options;
  const { hooks, onEvent, recordMessages, recordOutput, hostTools } = options;
  const limits = { interactive, product, projectDirectory, files, onDrift, freeze, hooks, hostTools };
  return { ask, ...limits, clock, onEvent, recordMessages, recordOutput };
}

// A summary is for a model's context, not a transcript.
const MAX_SUMMARY_CHARACTERS = 8_000;

/** Makes a child's summary safe for its parent: plain, bounded, nothing invisible, none of our tags. */
export function cleanSummary(summary: string): string {
  const plain = removeHidden(summary).trim();
  const characters = [...plain];
  const isLong = characters.length > MAX_SUMMARY_CHARACTERS;
  return protectTags(isLong ? `${characters.slice(0, MAX_SUMMARY_CHARACTERS).join("")}…` : plain);
}

/** The scripts a child is given by name: each is of one of its skills, and on its parent's own list. */
function inheritScripts(
  names: readonly string[],
  skills: readonly Skill[],
  parent: ScriptAllowlist,
): readonly AllowedScript[] {
  return readAllowed(names, "sandbox").map((script) => {
    const named = parent.ownerOf(script);
    const owner = named !== undefined && skills.includes(named) ? named : undefined;
    const entry = owner && parent.find(owner, script.path);
    if (entry !== undefined) return entry;
    const name = showScript(script);
    const why =
      owner === undefined ? "the child does not have that skill" : "the parent itself may not run it";
    const message = `${quoteName(name)} cannot be given to a child: ${why}. Name the skill in skills, and only scripts that the session has.`;
    throw new SkilletError("script-not-inherited", message, { data: { script: name } });
  });
}
