import { randomUUID } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { quoteName, removeHidden } from "@skillet/kit/text";
import type { PolicyMode } from "../config/config.ts";
import { type Narrowing, narrowingTo } from "../policy/narrowing.ts";
import type { Skill } from "../registry/skill.ts";
import { protectTags } from "./activate/wrap-skill.ts";
import type { SkillSessionParts } from "./equip-session.ts";
import type { Recorder } from "./records/recorder.ts";
import type { ForkRecord } from "./records/session-record.ts";
import { type AllowedScript, readAllowed, type ScriptAllowlist, showScript } from "./run/script-allowlist.ts";
import type { Session, SessionOptions } from "./session.ts";
import type { SessionVetting } from "./session-vetting.ts";
import { SkillSession } from "./skill-session.ts";

/**
 * Opens a child session with these skills and tools, and records that it was.
 *
 * @param prepare Makes the parts of the child over the parent's own snapshot.
 */
export async function openFork(
  fork: ForkOptions,
  skills: readonly Skill[],
  { options, recorder, mode, vetting, gate, scriptFrame }: SkillSessionParts,
  prepare: (options: SessionOptions, parent: ParentSession) => Promise<SkillSessionParts>,
): Promise<ForkSession> {
  const { runner, allowlist, protect } = scriptFrame;
  const scripts = inheritScripts(fork.scripts ?? [], skills, allowlist);
  const runId = randomUUID();
  const records =
    recorder.runFolder === undefined ? undefined : await makeChildFolder(recorder.runFolder, runId);
  const given = narrowingTo(fork.tools ?? [], {
    by: "the list of tools that this fork was given",
    project: options.projectDirectory ?? "/",
  });
  const names = skills.map(({ qualifiedName }) => qualifiedName);
  const child = await prepare(
    {
      ...inherited(options),
      runId,
      allow: names,
      ...(fork.profile !== undefined && { profile: fork.profile }),
      ...(records !== undefined && { records }),
      // A child that was given no scripts does not keep it.
      ...(runner !== undefined && { runner }),
    },
    {
      runId: recorder.runId,
      mode,
      skills: new Set(skills),
      narrowing: [...gate.narrowing(), [given.narrowing]],
      scripts,
      protect,
      vetting,
    },
  );
  const record = {
    kind: "fork",
    childRunId: runId,
    childFolder: records ?? "",
    skills: names,
    tools: fork.tools ?? [],
    ...(scripts.length > 0 && { scripts: scripts.map(showScript) }),
    ...(fork.context !== undefined && { context: fork.context }),
  } as const;
  await recorder.append({ ...record, event: "started" });
  return new ForkedSession(child, { parent: recorder, record, diagnostics: given.diagnostics });
}

// A link in the run folder would lead the records of children wherever somebody likes.
async function makeChildFolder(runFolder: string, runId: string): Promise<string> {
  const children = join(runFolder, "children");
  await mkdir(children, { recursive: true, mode: 0o700 });
  if ((await lstat(children)).isSymbolicLink())
    throw new SkilletError(
      "records-unavailable",
      `${children} is a link, which is not followed; remove it, or record into another folder.`,
      { data: { runFolder } },
    );
  return join(children, runId);
}

// Nothing of the parent's comes along but how careful it is: no grants, no profile of its own, no run id, no commands.
function inherited(options: SessionOptions): SessionOptions {
  const INHERITED = [
    "ask",
    "interactive",
    "product",
    "projectDirectory",
    "files",
    "onDrift",
    "clock",
  ] as const;
  return Object.fromEntries(
    INHERITED.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])),
  );
}

interface ForkLink {
  readonly parent: Recorder;
  readonly record: Omit<ForkRecord, "event">;
  /** Rules for tools that could not be understood; they cover nothing. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A child session; `openFork` makes one. */
class ForkedSession extends SkillSession implements ForkSession {
  readonly #link: ForkLink;

  constructor(parts: SkillSessionParts, link: ForkLink) {
    super(parts);
    this.#link = link;
  }

  get parentRunId(): string {
    return this.#link.parent.runId;
  }

  get context(): string | undefined {
    return this.#link.record.context;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#link.diagnostics;
  }

  async finish(summary: string): Promise<string> {
    const { parent, record } = this.#link;
    const cleaned = cleanSummary(summary);
    await this.end();
    await parent.append({ ...record, event: "returned", summaryCharacters: cleaned.length });
    return cleaned;
  }
}

// A summary is for a model's context, not a transcript.
const MAX_SUMMARY_CHARACTERS = 8_000;

/** What a parent may be told of a child's work: plain text, nothing unseen, no wrapper of ours, and not too long. */
export function cleanSummary(summary: string): string {
  const plain = removeHidden(summary).trim();
  const characters = [...plain];
  const isLong = characters.length > MAX_SUMMARY_CHARACTERS;
  return protectTags(isLong ? `${characters.slice(0, MAX_SUMMARY_CHARACTERS).join("")}…` : plain);
}

/**
 * What a child session gets; nothing comes along by itself but how careful the parent is: its mode, its narrowing, the
 * files in play, and the way to the same person.
 */
export interface ForkOptions {
  /** The only skills of the child, by name; each must be one that the parent may use. */
  readonly skills?: readonly string[];
  /** Exactly `skill:scripts/path`: the only scripts of the child, each on the parent's own list; default none. */
  readonly scripts?: readonly string[];
  /** A profile of the configuration: its skills come too, as far as the parent may use them, and their scripts. */
  readonly profile?: string;
  /** Rules for tools as in `allowed-tools`: the child may do nothing that they do not cover; default nothing at all. */
  readonly tools?: readonly string[];
  /** The prompt that the child begins with, kept in its record. */
  readonly context?: string;
}

/** A child session: a subset of its parent, with records of its own below the parent's. */
export interface ForkSession extends Session {
  readonly parentRunId: string;
  readonly context: string | undefined;
  /** Rules for tools that could not be understood; they cover nothing. */
  readonly diagnostics: readonly Diagnostic[];
  /** Ends the child; the parent gets this summary, cleaned and shortened, and nothing else. */
  finish(summary: string): Promise<string>;
}

export interface ParentSession {
  readonly runId: string;
  readonly mode: PolicyMode;
  /** The only skills that the child has. */
  readonly skills: ReadonlySet<Skill>;
  /** Every level must cover what the child does. */
  readonly narrowing: readonly (readonly Narrowing[])[];
  /** Each is on the parent's own list. */
  readonly scripts: readonly AllowedScript[];
  /** The folders that no script may write, the parents' records among them. */
  readonly protect: readonly string[];
  readonly vetting: SessionVetting;
}

/** The scripts that a child is given by name: of skills that it has, and each on its parent's own list. */
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
    throw new SkilletError(
      "script-not-inherited",
      `${quoteName(name)} cannot be given to a child: ${why}. Name the skill in skills, and only scripts that the session has.`,
      { data: { script: name } },
    );
  });
}
