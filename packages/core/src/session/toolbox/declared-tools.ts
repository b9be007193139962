import { hash } from "node:crypto";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { showName } from "@skillet/kit/text";
import type { Manifest } from "../../format/manifest.ts";
import { parseSkillBytes } from "../../format/parse-skill.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { isActive } from "../active-skills.ts";
import { recordRefusal } from "../records/recorder.ts";
import { MAX_SCRIPT_TIMEOUT_MS } from "../run/check-script-call.ts";
import { preflightRun, runScript, type ScriptRequest } from "../run/run-script.ts";
import { showScript } from "../run/script-allowlist.ts";
import { isRefusal } from "../script-runner.ts";
import { vetShown } from "../session-vetting.ts";
import { findHidden, presentSkill } from "../skill-access.ts";
import { checkTrust, frozenIndex, type SkillReader } from "../skill-reader.ts";
import { type Judged, onRefusal, type SessionState } from "../state.ts";
import { decideScript } from "../tool-rules.ts";
import type { DeclaredTool } from "../tools/declaration/parse-toolset.ts";
import { readSkillToolsets } from "../tools/declaration/read-toolsets.ts";
import { type AgentToolOptions, type AgentToolResult, refused, refusedRun } from "./agent-tool.ts";
import { readAnswer } from "./read-answer.ts";

/** A declared tool whose script may run here, and the files of the skill that it was read from. */
export interface ListedTool {
  readonly name: string;
  readonly skill: Skill;
  readonly treeDigest: Digest;
  readonly declared: DeclaredTool;
}

/**
 * Every declared tool whose script may run here, also of skills that are not loaded yet; a model is not told about the
 * others. Only skills with a script on the operator's list are looked at, however many there are.
 */
export async function listDeclared(session: SessionState): Promise<readonly ListedTool[]> {
  const { allowlist, snapshot, runner } = session;
  if (runner === undefined || allowlist.scripts.length === 0) return [];
  const owners = new Set(allowlist.scripts.map((script) => allowlist.ownerOf(script)));
  const tools: ListedTool[] = [];
  // Where its files are gone or cannot be read any more, none of a skill's scripts can be run either.
  for (const skill of snapshot.skills.filter((one) => owners.has(one)))
    tools.push(...(await onRefusal(toolsOf(session, skill), () => [])));
  const counts = new Map<string, number>();
  for (const { name } of tools) counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
  // Names hold a digest where skills could share one; of two that are still equal, neither is listed.
  return tools.filter(({ name }) => counts.get(keyOf(name)) === 1);
}

async function toolsOf(session: SessionState, skill: Skill): Promise<readonly ListedTool[]> {
  const { allowlist, reader } = session;
  const read = isActive(session, skill)
    ? await readLoaded(session, skill)
    : await readUnloaded(session, skill);
  // Of a tree that was not seen whole, nothing is run.
  if (read?.index.treeDigest === undefined || read.manifest.toolsets.length === 0) return [];
  const { treeDigest } = read.index;
  const toolsets = await readSkillToolsets(skill, read.manifest, read.index, reader);
  return toolsets
    .flatMap(({ tools }) => tools)
    .filter(({ script }) => allowlist.targetOf(skill, script) !== undefined)
    .filter(({ script }) => decideScript(session, skill, script).outcome !== "deny")
    .map((declared) => ({
      name: modelToolName(skill.qualifiedName, declared.name),
      ...{ skill, treeDigest, declared },
    }));
}

type ReadSkill = { readonly index: ResourceIndex; readonly manifest: Manifest };

async function readLoaded(session: SessionState, skill: Skill): Promise<ReadSkill | undefined> {
  const index = await frozenIndex(session, skill);
  const manifest = await activeManifest(skill, index, session.reader);
  return manifest && { index, manifest };
}

// What a model is told before it loads a skill must be what was found, trusted and vetted.
async function readUnloaded(session: SessionState, skill: Skill): Promise<ReadSkill | undefined> {
  const { manifest, digest } = skill;
  if (manifest.toolsets.length === 0 || findHidden(session, skill) !== undefined) return undefined;
  const index = await session.reader.indexResources(skill);
  const isSame = index.skillDigest === digest && (await checkTrust(session, skill, index)).length === 0;
  if (isSame) await vetShown(session, skill, index);
  return isSame ? { index, manifest } : undefined;
}

function requestOf(
  { config }: SessionState,
  { name: tool, skill, treeDigest, declared }: ListedTool,
  input: object,
  { signal, onOutput, approval }: AgentToolOptions,
): ScriptRequest {
  const { script: path, args, timeoutMs = config.skills.scriptTimeout } = declared;
  return {
    ...{ name: skill.qualifiedName, path, args, approval, listed: { tool, skill, treeDigest } },
    options: {
      ...{ cwd: "workspace", stdin: `${JSON.stringify(input)}\n` },
      // A skill may lower the operator's limit for its tools, not raise it.
      timeoutMs: Math.min(timeoutMs, config.skills.scriptTimeout, MAX_SCRIPT_TIMEOUT_MS),
      ...(signal && { signal }),
      ...(onOutput && { onOutput }),
    },
  };
}

/** What a call would meet, for an input that fits the schema. */
export async function preflightListed(
  session: SessionState,
  tool: ListedTool,
  input: object,
): Promise<Judged | AgentToolResult> {
  const obstacle = findObstacle(session, tool);
  if (obstacle !== undefined) return obstacle;
  const judged = await preflightRun(session, requestOf(session, tool, input, {}));
  return "status" in judged ? refusedRun(judged) : judged;
}

export async function callListed(
  session: SessionState,
  tool: ListedTool,
  input: object,
  options: AgentToolOptions,
): Promise<AgentToolResult> {
  const { name, skill, declared } = tool;
  const obstacle = findObstacle(session, tool);
  if (obstacle !== undefined) {
    const subject = `${name} ${showScript({ skill: skill.qualifiedName, path: declared.script })}`;
    const error = { code: obstacle.code ?? "", message: obstacle.text };
    await recordRefusal(session.recorder, { what: "tool", subject, error });
    return obstacle;
  }
  const values = (): Readonly<Record<string, string>> =>
    session.secrets.valuesFor(presentSkill(session, skill) ?? skill);
  const before = values();
  const run = await runScript(session, requestOf(session, tool, input, options));
  // The skill may be renamed or gone when its script ends.
  return isRefusal(run) ? refusedRun(run) : readAnswer(run, declared, { ...before, ...values() });
}

// Compared with the skill as it was listed: another one may have its name by now, or it was loaded again and its script
// does something else.
function findObstacle(session: SessionState, { skill, treeDigest }: ListedTool): AgentToolResult | undefined {
  const shown = showName(skill.qualifiedName);
  const present = presentSkill(session, skill);
  if (present === undefined || !isActive(session, present)) {
    const text = `The skill ${shown} is not loaded. Load it first, then call this tool again.`;
    return refused("skill-not-activated", text);
  }
  if (session.frozen.get(present.qualifiedName)?.treeDigest === treeDigest) return undefined;
  const text = `${shown} has changed since this tool was listed, and the tool with it; go on without it.`;
  return refused("tool-outdated", text);
}

// Hosts compare the names of tools without regard to case.
function keyOf(name: string): string {
  return name.toLowerCase();
}

/** Undefined when unreadable. With drift a newer header can be active; it must not name older tools. */
async function activeManifest(
  skill: Skill,
  index: ResourceIndex,
  reader: SkillReader,
): Promise<Manifest | undefined> {
  if (index.skillDigest === skill.digest) return skill.manifest;
  const bytes = await reader.readSkillFile(skill);
  if (digestBytes(bytes) !== (index.skillDigest ?? skill.digest)) return undefined;
  const { path: file, directoryName } = skill;
  return parseSkillBytes(bytes, { mode: "lenient", file, directoryName }).manifest;
}

// Model APIs accept letters, digits, underscores and hyphens, at most 64.
const MAX_NAME_CHARACTERS = 64;
const SEPARATOR = "__";
const DIGEST_CHARACTERS = 10;
// Lower case alone: hosts compare names without regard to case.
const PLAIN = /^[a-z0-9-]+$/;

/**
 * The name under which a model sees a skill's tool: `pdf-forms__fill`. A skill's name that cannot stand as it is gets
 * a digest of itself after it, so that no two skills share a name, and no skill that calls itself `mcp` can pass for
 * a server whose tools were allowed.
 */
export function modelToolName(skill: string, tool: string): string {
  const room = MAX_NAME_CHARACTERS - SEPARATOR.length - tool.length;
  const isPlain = PLAIN.test(skill) && skill.length <= room && skill !== "mcp";
  return `${isPlain ? skill : markedName(skill, room)}${SEPARATOR}${tool}`;
}

function markedName(skill: string, room: number): string {
  const mark = `_${hash("sha256", skill, "hex").slice(0, DIGEST_CHARACTERS)}`;
  const safe = skill.replaceAll(/[^A-Za-z0-9-]+/g, "_").slice(0, Math.max(0, room - mark.length));
  // The first two underscores in a row are where the tool's own name begins.
  return `${safe.replace(/_+$/, "")}${mark}`;
}
