import { hash } from "node:crypto";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { Manifest } from "../../format/manifest.ts";
import { parseSkillBytes } from "../../format/parse-skill.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SessionCore } from "../equip-session.ts";
import { recordRefusal } from "../records/recorder.ts";
import { showScript } from "../run/script-allowlist.ts";
import type { ToolScript } from "../script-runner.ts";
import type { SkillReader } from "../skill-reader.ts";
import { callTool } from "./call-tool.ts";
import type { DeclaredTool } from "./declaration/declared-toolset.ts";
import { readSkillToolsets } from "./declaration/read-toolsets.ts";
import type { SkillTool, ToolCallOptions, ToolResult } from "./skill-tool.ts";

export class SessionTools {
  readonly #core: SessionCore;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** Every declared tool whose script may run here; a model is not told about the others. */
  async list(): Promise<readonly SkillTool[]> {
    const tools: SkillTool[] = [];
    for (const skill of this.#core.activations.active()) {
      for (const tool of await this.#toolsOf(skill)) tools.push(tool);
    }
    const counts = new Map<string, number>();
    for (const { name } of tools) counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
    // Names hold a digest where skills could share one; whoever still made two equal gets neither.
    return tools.filter(({ name }) => counts.get(keyOf(name)) === 1);
  }

  async #toolsOf(skill: Skill): Promise<readonly SkillTool[]> {
    const { scripts } = this.#core;
    try {
      const index = await this.#core.frozen.get(skill);
      const { treeDigest } = index;
      // Of a tree that was not seen whole, nothing is run.
      if (treeDigest === undefined) return [];
      const declared = await this.#declared(skill, index);
      return declared
        .filter(({ script }) => scripts.targetOf(skill, script) !== undefined)
        .filter(({ script }) => scripts.decide(skill, script).outcome !== "deny")
        .map((tool) => this.#tool(skill, treeDigest, tool));
    } catch (error) {
      // Its files are gone or no longer to be read: then none of its scripts can be run either.
      if (SkilletError.isInstance(error)) return [];
      throw error;
    }
  }

  async #declared(skill: Skill, index: ResourceIndex): Promise<readonly DeclaredTool[]> {
    const { reader } = this.#core;
    const manifest = await activeManifest(skill, index, reader);
    if (manifest === undefined || manifest.toolsets.length === 0) return [];
    const toolsets = await readSkillToolsets(skill, manifest, index, reader);
    return toolsets.flatMap(({ tools }) => tools);
  }

  #tool(skill: Skill, treeDigest: Digest, tool: DeclaredTool): SkillTool {
    const { qualifiedName } = skill;
    const { description, inputSchema, script } = tool;
    const name = modelToolName(qualifiedName, tool.name);
    const listed: ToolScript = { tool: name, skill, treeDigest, path: script };
    const call: SkillTool["call"] = (input, options = {}) => this.#call(listed, tool, { input, options });
    return { name, description, inputSchema, skill: qualifiedName, script, call };
  }

  async #call(
    listed: ToolScript,
    tool: DeclaredTool,
    given: { readonly input: unknown; readonly options: ToolCallOptions },
  ): Promise<ToolResult> {
    const { scripts, scriptFrame, secrets } = this.#core;
    const { skill, path } = listed;
    this.#core.checkOpen();
    const result =
      this.#obstacle(listed) ??
      (await callTool(tool, {
        ...given,
        maxTimeoutMs: scriptFrame.defaultTimeoutMs,
        // Those that were given for the skill, whether or not it is still active.
        secrets: () => secrets.valuesFor(skill),
        run: (options) => scripts.run(skill.qualifiedName, path, tool.args, options, listed),
      }));
    if (result.status === "refused" && result.run === undefined) await this.#record(listed, result);
    return result;
  }

  // By what it was listed as, not by what its skill's name means now: another skill may go by that name, or the same
  // one have been loaded anew and mean something else by the same script.
  #obstacle({ skill, treeDigest }: ToolScript): RefusedTool | undefined {
    const { activations, frozen } = this.#core;
    const shown = showName(skill.qualifiedName);
    if (!activations.active().includes(skill))
      return refused(
        "skill_not_activated",
        `${shown} is not loaded any more; load it, then list the tools again.`,
      );
    if (frozen.indexes.get(skill.qualifiedName)?.treeDigest === treeDigest) return undefined;
    return refused("tool_outdated", `${shown} has changed since this tool was listed; list the tools again.`);
  }

  #record({ tool, skill, path }: ToolScript, { code, message }: RefusedTool): Promise<void> {
    return recordRefusal(this.#core.recorder, {
      what: "tool",
      subject: `${tool} ${showScript({ skill: skill.qualifiedName, path })}`,
      // What does not fit is named by its keys, which are the input's own; no record has any of it.
      error: {
        code,
        message: code === "tool_input_invalid" ? "The input does not fit the tool's schema." : message,
      },
    });
  }
}

type RefusedTool = Extract<ToolResult, { status: "refused" }>;

function refused(code: RefusedTool["code"], message: string): RefusedTool {
  return { status: "refused", code, message };
}

// Hosts compare the names of tools without regard to case.
function keyOf(name: string): string {
  return name.toLowerCase();
}

/**
 * The header that belongs to the files of an active skill, or undefined when it is no longer to be had.
 *
 * A skill that changed since the snapshot may be active with what it says now, where the session reports drift instead
 * of refusing it; a header of one state must not name the tools of another.
 */
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

// What the interfaces of models take: letters, digits, underscores and hyphens, at most 64.
const MAX_NAME_CHARACTERS = 64;
const SEPARATOR = "__";
const DIGEST_CHARACTERS = 10;
// Lower case alone: hosts compare names without regard to case.
const PLAIN = /^[a-z0-9-]+$/;

/**
 * The name under which a model sees a skill's tool: `pdf-forms__fill`.
 *
 * A skill's name that cannot stand as it is gets a digest of itself behind it, so that no two skills share a name, and
 * no skill that calls itself `mcp` can pass for a server whose tools somebody allowed.
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
