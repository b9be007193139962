import { hash } from "node:crypto";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { onRefusal } from "@skillet/kit/errors";
import type { Manifest } from "../../format/manifest.ts";
import { parseSkillBytes } from "../../format/parse-skill.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { isActive } from "../active-skills.ts";
import { MAX_SCRIPT_TIMEOUT_MS } from "../run/check-script-call.ts";
import type { ScriptRequest } from "../run/run-script.ts";
import { vetShown } from "../session-vetting.ts";
import { findHidden, presentSkill } from "../skill-access.ts";
import { checkTrust, frozenIndex } from "../skill-reader.ts";
import { placeKey } from "../snapshot-index.ts";
import type { SessionState } from "../state.ts";
import { decideScript } from "../tool-rules.ts";
import type { DeclaredTool } from "../tools/declaration/parse-toolset.ts";
import { readSkillToolsets } from "../tools/declaration/read-toolsets.ts";
import type { AgentToolOptions, ToolDefinition } from "./agent-tool.ts";
import { readAnswer } from "./read-answer.ts";
import { scriptCalls } from "./skill-tools.ts";
import type { ObjectSchema } from "./strict-schema.ts";

/** A declared tool whose script may run here, and the files of the skill that it was read from. */
export interface ListedTool {
  readonly name: string;
  readonly skill: Skill;
  readonly treeDigest: Digest;
  readonly declared: DeclaredTool;
}

/**
 * Every declared tool whose script may run here, including tools of skills that are not loaded yet; a model
 * is not told about others. Only skills with a script on the operator's list are read.
 */
export async function listDeclared(session: SessionState): Promise<readonly ListedTool[]> {
  const { allowlist, snapshot, runner } = session;
  if (runner === undefined || allowlist.scripts.length === 0) return [];
  const owners = new Set(allowlist.scripts.map((script) => allowlist.ownerOf(script)));
  const tools: ListedTool[] = [];
  // If a skill's files are gone or unreadable, its scripts cannot be run either.
  for (const skill of snapshot.skills.filter((one) => owners.has(one)))
    tools.push(...(await onRefusal(toolsOf(session, skill), () => [])));
  const names = tools.map(({ name }) => name.toLowerCase());
  // Names have a digest where skills could share one; if two are still equal to a host, neither is listed.
  return tools.filter((_tool, index) => names.filter((name) => name === names[index]).length === 1);
}

async function toolsOf(session: SessionState, skill: Skill): Promise<readonly ListedTool[]> {
  const { allowlist, reader } = session;
  const read = isActive(session, skill)
    ? await readLoaded(session, skill)
    : await readUnloaded(session, skill);
  // Nothing is run from a tree that could not be read in full.
  if (read?.index.treeDigest === undefined || read.manifest.toolsets.length === 0) return [];
  const { treeDigest } = read.index;
  const toolsets = await readSkillToolsets(skill, read.manifest, read.index, reader);
  return toolsets
    .flatMap(({ tools }) => tools)
    .filter(({ script }) => allowlist.targetOf(skill, script) !== undefined)
    .filter(({ script }) => decideScript(session, skill, script).outcome !== "deny")
    .map((declared) => ({
      name: modelToolName(skill.qualifiedName, declared.name),
      skill,
      treeDigest,
      declared,
    }));
}

type ReadSkill = { readonly index: ResourceIndex; readonly manifest: Manifest };

// With drift, a newer header can be active; it must not be combined with older tools.
async function readLoaded(session: SessionState, skill: Skill): Promise<ReadSkill | undefined> {
  const index = await frozenIndex(session, skill);
  if (index.skillDigest === skill.digest) return { index, manifest: skill.manifest };
  const bytes = await session.reader.readSkillFile(skill);
  if (digestBytes(bytes) !== (index.skillDigest ?? skill.digest)) return undefined;
  const { path: file, directoryName } = skill;
  const { manifest } = parseSkillBytes(bytes, { mode: "lenient", file, directoryName });
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

/** `find` returns the tool as it is listed now. */
export function declaredTool(
  session: SessionState,
  listed: ListedTool,
  find: (name: string) => ListedTool | undefined,
): ToolDefinition {
  const { name, declared } = listed;
  const { description, script: path, args, outputSchema } = declared;
  // The model was told about this tool: the same one of a reloaded skill may replace it, another may not.
  const current = (): ListedTool => {
    const now = find(name);
    return now !== undefined && contractOf(now) === contractOf(listed) ? now : listed;
  };
  const request = (input: object, { approval, ...how }: AgentToolOptions): ScriptRequest => {
    const { skill, treeDigest } = current();
    const { scriptTimeout } = session.config.skills;
    // A skill may lower the operator's time limit for its tools, not raise it.
    const timeoutMs = Math.min(declared.timeoutMs ?? scriptTimeout, scriptTimeout, MAX_SCRIPT_TIMEOUT_MS);
    return {
      name: skill.qualifiedName,
      path,
      args,
      approval,
      listed: { tool: name, skill, treeDigest },
      options: { cwd: "workspace", stdin: `${JSON.stringify(input)}\n`, timeoutMs, ...how },
    };
  };
  return {
    name,
    description,
    kind: "skill",
    inputSchema: declared.inputSchema as ObjectSchema,
    isActive: () => {
      const present = presentSkill(session, current().skill);
      return present !== undefined && isActive(session, present);
    },
    ...scriptCalls(session, request, (run, clean) => readAnswer(run, clean, outputSchema)),
  };
}

function contractOf({ skill, declared: { range: _range, ...declared } }: ListedTool): string {
  return JSON.stringify([placeKey(skill), declared]);
}

// Model APIs accept letters, digits, underscores and hyphens, at most 64.
const MAX_NAME_CHARACTERS = 64;
const SEPARATOR = "__";
const DIGEST_CHARACTERS = 10;
// Lower case only, because hosts compare names without regard to case.
const PLAIN = /^[a-z0-9-]+$/;

/**
 * The name under which a model sees a skill's tool: `pdf-forms__fill`. A skill's name that cannot be used as
 * it is gets a digest of itself appended, so that no two skills share a name, and no skill that calls itself
 * `mcp` can pass for a server whose tools were allowed.
 */
export function modelToolName(skill: string, tool: string): string {
  const room = MAX_NAME_CHARACTERS - SEPARATOR.length - tool.length;
  const isPlain = PLAIN.test(skill) && skill.length <= room && skill !== "mcp";
  return `${isPlain ? skill : markedName(skill, room)}${SEPARATOR}${tool}`;
}

function markedName(skill: string, room: number): string {
  const mark = `_${hash("sha256", skill, "hex").slice(0, DIGEST_CHARACTERS)}`;
  const safe = skill.replaceAll(/[^A-Za-z0-9-]+/g, "_").slice(0, Math.max(0, room - mark.length));
  // The tool's own name begins after the first two underscores in a row.
  return `${safe.replace(/_+$/, "")}${mark}`;
}
