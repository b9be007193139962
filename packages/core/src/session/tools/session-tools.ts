import { hash } from "node:crypto";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { showName } from "@skillet/kit/text";
import type { Manifest } from "../../format/manifest.ts";
import { parseSkillBytes } from "../../format/parse-skill.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { activeSkills, isActive } from "../active-skills.ts";
import { givenOptions } from "../model-input.ts";
import { recordRefusal } from "../records/recorder.ts";
import { runScript, type ScriptRequest } from "../run/run-script.ts";
import { showScript } from "../run/script-allowlist.ts";
import { presentSkill } from "../skill-access.ts";
import { frozenIndex, type SkillReader } from "../skill-reader.ts";
import { checkOpen, onRefusal, type SessionState } from "../state.ts";
import { decideScript } from "../tool-rules.ts";
import { callTool, type SkillTool, type ToolCallOptions, type ToolResult } from "./call-tool.ts";
import type { DeclaredTool } from "./declaration/parse-toolset.ts";
import { readSkillToolsets } from "./declaration/read-toolsets.ts";

/** Every declared tool whose script may run here; a model is not told about the others. */
export async function listTools(session: SessionState): Promise<readonly SkillTool[]> {
  const tools: SkillTool[] = [];
  // Where its files are gone or cannot be read any more, none of a skill's scripts can be run either.
  for (const skill of activeSkills(session))
    tools.push(...(await onRefusal(toolsOf(session, skill), () => [])));
  const counts = new Map<string, number>();
  for (const { name } of tools) counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
  // Names hold a digest where skills could share one; of two that are still equal, neither is listed.
  return tools.filter(({ name }) => counts.get(keyOf(name)) === 1);
}

async function toolsOf(session: SessionState, skill: Skill): Promise<readonly SkillTool[]> {
  const index = await frozenIndex(session, skill);
  const { treeDigest } = index;
  // Of a tree that was not seen whole, nothing is run.
  if (treeDigest === undefined) return [];
  const manifest = await activeManifest(skill, index, session.reader);
  if (manifest === undefined || manifest.toolsets.length === 0) return [];
  const toolsets = await readSkillToolsets(skill, manifest, index, session.reader);
  return toolsets
    .flatMap(({ tools }) => tools)
    .filter(({ script }) => session.runner && session.allowlist.targetOf(skill, script) !== undefined)
    .filter(({ script }) => decideScript(session, skill, script).outcome !== "deny")
    .map((tool) => createTool(session, skill, treeDigest, tool));
}

function createTool(session: SessionState, skill: Skill, treeDigest: Digest, tool: DeclaredTool): SkillTool {
  const { qualifiedName } = skill;
  const { description, inputSchema, script } = tool;
  const name = modelToolName(qualifiedName, tool.name);
  const listed = { tool: name, skill, treeDigest };
  const call: SkillTool["call"] = async (input, options) =>
    callListed(session, listed, tool, { input, options: givenOptions(options) });
  return { name, description, inputSchema, skill: qualifiedName, script, call };
}

type Listed = NonNullable<ScriptRequest["listed"]>;

async function callListed(
  session: SessionState,
  listed: Listed,
  tool: DeclaredTool,
  given: { readonly input: unknown; readonly options: ToolCallOptions },
): Promise<ToolResult> {
  const { config, secrets } = session;
  const { skill } = listed;
  const { script: path } = tool;
  checkOpen(session);
  const values = (): Readonly<Record<string, string>> =>
    secrets.valuesFor(presentSkill(session, skill) ?? skill);
  const before = values();
  const result =
    findObstacle(session, listed) ??
    (await callTool(tool, {
      ...given,
      maxTimeoutMs: config.skills.scriptTimeout,
      // The skill may be renamed or gone when its script ends.
      secrets: () => ({ ...before, ...values() }),
      run: (options) =>
        runScript(session, { name: skill.qualifiedName, path, args: tool.args, options, listed }),
    }));
  if (result.status === "refused" && result.run === undefined) {
    const { code, message } = result;
    await recordRefusal(session.recorder, {
      what: "tool",
      subject: `${listed.tool} ${showScript({ skill: skill.qualifiedName, path })}`,
      // The message names keys of the input, which must not be recorded.
      error: {
        code,
        message: code === "tool-input-invalid" ? "The input does not fit the tool's schema." : message,
      },
    });
  }
  return result;
}

// Compared with the skill as it was listed: another one may have its name by now, or it was loaded again and its script
// does something else.
function findObstacle(session: SessionState, { skill, treeDigest }: Listed): ToolResult | undefined {
  const shown = showName(skill.qualifiedName);
  const present = presentSkill(session, skill);
  if (present === undefined || !isActive(session, present)) {
    const message = `${shown} is not loaded any more; load it, then list the tools again.`;
    return { status: "refused", code: "skill-not-activated", message };
  }
  if (session.frozen.get(present.qualifiedName)?.treeDigest === treeDigest) return undefined;
  const message = `${shown} has changed since this tool was listed; list the tools again.`;
  return { status: "refused", code: "tool-outdated", message };
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
