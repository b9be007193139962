import type { Decision } from "../../policy/decision.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { SkilletError } from "../../skillet-error.ts";
import { showName } from "../activate/show-name.ts";
import type { FrozenSkills } from "../frozen-skills.ts";
import type { SkillReader } from "../skill-reader.ts";
import { activeManifest } from "./active-manifest.ts";
import { callTool, type RunScript } from "./call-tool.ts";
import type { DeclaredTool } from "./declaration/declared-toolset.ts";
import { readSkillToolsets } from "./declaration/read-skill-toolsets.ts";
import { modelToolName } from "./model-tool-name.ts";
import type { SkillTool, ToolResult } from "./skill-tool.ts";

/** What the tools of a session are made from. */
export interface SessionToolsParts {
  readonly reader: SkillReader;
  readonly frozen: FrozenSkills;
  /** The skills whose instructions are in context now. */
  activeSkills(): readonly Skill[];
  /** Whether the operator lets the script run at all. */
  isAllowed(skill: Skill, script: string): boolean;
  /** What the policy says about running it, before anybody is asked. */
  decide(skill: Skill, script: string): Decision;
  readonly run: RunScript;
}

/** The tools that active skills bring along. */
export class SessionTools {
  readonly #parts: SessionToolsParts;

  constructor(parts: SessionToolsParts) {
    this.#parts = parts;
  }

  /** Every declared tool whose script may run here; a model is not told about the others. */
  async list(): Promise<readonly SkillTool[]> {
    const tools: SkillTool[] = [];
    for (const skill of this.#parts.activeSkills()) {
      for (const tool of await this.#toolsOf(skill)) tools.push(tool);
    }
    const counts = new Map<string, number>();
    for (const { name } of tools) counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
    // Names hold a digest where skills could share one; whoever still made two equal gets neither.
    return tools.filter(({ name }) => counts.get(keyOf(name)) === 1);
  }

  async #toolsOf(skill: Skill): Promise<readonly SkillTool[]> {
    const { isAllowed, decide } = this.#parts;
    try {
      const index = await this.#parts.frozen.get(skill);
      // Of a tree that was not seen whole, nothing is run.
      if (index.treeDigest === undefined) return [];
      const declared = await this.#declared(skill, index);
      return declared
        .filter(({ script }) => isAllowed(skill, script) && decide(skill, script).outcome !== "deny")
        .map((tool) => this.#tool(skill, index, tool));
    } catch (error) {
      // Its files are gone or no longer to be read: then none of its scripts can be run either.
      if (SkilletError.isInstance(error)) return [];
      throw error;
    }
  }

  async #declared(skill: Skill, index: ResourceIndex): Promise<readonly DeclaredTool[]> {
    const { reader } = this.#parts;
    const manifest = await activeManifest(skill, index, reader);
    if (manifest === undefined || manifest.toolsets.length === 0) return [];
    const toolsets = await readSkillToolsets(skill, manifest, index, reader);
    return toolsets.flatMap(({ tools }) => tools);
  }

  #tool(skill: Skill, index: ResourceIndex, tool: DeclaredTool): SkillTool {
    const { qualifiedName } = skill;
    const name = modelToolName(qualifiedName, tool.name);
    return {
      name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      skill: qualifiedName,
      script: tool.script,
      call: async (input, options = {}) =>
        this.#isOf(skill, index)
          ? callTool(qualifiedName, tool, { input, options, run: this.#parts.run })
          : outdated(skill),
    };
  }

  // A skill that was loaded anew may mean something else by the same script; its schema and arguments are of now.
  #isOf({ qualifiedName }: Skill, { treeDigest }: ResourceIndex): boolean {
    return this.#parts.frozen.indexes.get(qualifiedName)?.treeDigest === treeDigest;
  }
}

// Hosts compare the names of tools without regard to case.
function keyOf(name: string): string {
  return name.toLowerCase();
}

function outdated({ qualifiedName }: Skill): ToolResult {
  const message = `${showName(qualifiedName)} has changed since this tool was listed; list the tools again.`;
  return { status: "refused", code: "tool_outdated", message };
}
