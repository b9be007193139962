import { isUtf8 } from "node:buffer";
import {
  type AgentToolResult,
  type CompactOptions,
  type FoundSkill,
  type Session,
  SkilletError,
} from "@skillet/core";
import { isJsonObject, textOf } from "@skillet/kit/json";
import { type BindOptions, type BoundCall, bindSession } from "./bind/bind-session.ts";

export type { BindOptions } from "./bind/bind-session.ts";

/** Options for skills in an agent of Google's ADK. */
export interface AdkOptions extends BindOptions {
  /** Your own instruction; the catalogue comes after it. */
  readonly instruction?: string | undefined;
}

/** A skill in ADK's form. */
export interface AdkSkill {
  readonly frontmatter: { name: string; description: string; license?: string };
  readonly instructions: string;
  readonly resources: {
    readonly references: Record<string, string | Buffer>;
    readonly assets: Record<string, string | Buffer>;
    readonly scripts: Record<string, { src: string }>;
  };
}

/** A call in the form that ADK's callbacks get. */
export interface AdkToolCall {
  readonly tool: { readonly name: string };
  readonly args: Record<string, unknown>;
  readonly context: { readonly functionCallId?: string; readonly abortSignal?: AbortSignal };
}

/** Skills in an agent of Google's ADK. */
export interface AdkSkills {
  /** For `new SkillToolset([], { registry })`, which provides the agent's tools for skills. */
  readonly registry: {
    getSkill(name: string): Promise<AdkSkill>;
    searchSkills(query: string): Promise<AdkSkill["frontmatter"][]>;
  };
  /** Spread this into the settings of an `LlmAgent`. */
  readonly agent: {
    readonly instruction: string;
    /** Begins a turn. */
    beforeAgentCallback(): Promise<undefined>;
    /** Answers the toolset's calls through the session; checks all others against skills and rules. */
    beforeToolCallback(call: AdkToolCall): Promise<Record<string, unknown> | undefined>;
    /** Adds news of changed skills to the result, and tells hooks of allowed plugins about the call. */
    afterToolCallback(
      call: AdkToolCall & { readonly response: unknown },
    ): Promise<Record<string, unknown> | undefined>;
  };
  /** Picks up skills that changed on disk or in the configuration; the next tool result says so, once. */
  refresh(): Promise<void>;
  /** The text to add after you have shortened the history: the catalogue and the loaded instructions. */
  compacted(options?: CompactOptions): Promise<string>;
}

const HOST = "adk";
const MAX_SKILL_BYTES = 32 * 1024 * 1024;

/**
 * Skills for Google's ADK as a registry of its `SkillToolset`. With the callbacks, the session checks and
 * records loads, reads and scripts, and its sandbox replaces ADK's code executor. Questions go to its `ask`.
 *
 * @example
 * const { registry, agent } = await adk(session, { instruction: "You are a helpful assistant." });
 * const tools = [new SkillToolset([], { registry })];
 * const assistant = new LlmAgent({ name: "assistant", model, tools, ...agent });
 */
export async function adk(
  session: Session,
  { instruction: own, toolbox, ...options }: AdkOptions = {},
): Promise<AdkSkills> {
  const bound = await bindSession(session, HOST, { ...options, toolbox: { ...toolbox, search: true } });
  /** Calls of the agent's other tools, by their arguments. */
  const made = new WeakSet<object>();
  const execute = async (call: BoundCall, signal?: AbortSignal): Promise<AgentToolResult> => {
    const result = await bound.execute(call, { signal });
    bound.throwFault();
    return result;
  };
  return {
    registry: {
      getSkill: async (name) => {
        const { text: instructions, isError, value } = await execute({ name: "load_skill", input: { name } });
        // The skill that was loaded, since several can have the name.
        const loaded = textOf(value, "name") ?? name;
        const skill = session.snapshot.skills.find((one) => one.qualifiedName === loaded);
        if (isError || skill === undefined) throw new SkilletError("skill-not-found", instructions);
        const { description, license } = skill.manifest;
        const frontmatter = { name, description, ...(license !== undefined && { license }) };
        return { frontmatter, instructions, resources: await readResources(session, skill.qualifiedName) };
      },
      searchSkills: async (query) => {
        const { value } = await execute({ name: "search_skills", input: { query } });
        const found = Array.isArray(value) ? (value as readonly FoundSkill[]) : [];
        return found.map(({ name, description }) => ({ name, description }));
      },
    },
    agent: {
      instruction: bound.instructionsAfter(own),
      beforeAgentCallback: async () => {
        await bound.beginTurn();
        return undefined;
      },
      beforeToolCallback: async ({ tool, args, context: { functionCallId: callId, abortSignal } }) => {
        const call = toSession(tool.name, args);
        if (call !== undefined && !bound.isSkillTool(call.name))
          return { error: "Scripts of skills are not run here. Go on without them." };
        if (call !== undefined) {
          const { text, isError } = await execute({ ...call, callId }, abortSignal);
          return { [isError ? "error" : "result"]: text };
        }
        if (tool.name === "list_skills") return { result: session.catalog().text };
        if (tool.name === "search_skills") return undefined;
        const guarded = await bound.guard({ name: tool.name, input: args, callId }, { isApproved: false });
        bound.throwFault();
        if (guarded.outcome !== "allow") return { error: guarded.text };
        made.add(args);
        return undefined;
      },
      // If a tool failed, ADK reports its error alone.
      afterToolCallback: async ({ tool, args, context: { functionCallId: callId }, response }) => {
        if (made.delete(args)) await bound.called({ name: tool.name, input: args, callId }, response);
        const skills = response == null ? "" : bound.takeNotices().join("\n\n");
        if (skills === "") return undefined;
        return { ...(isJsonObject(response) ? response : { result: response }), skills };
      },
    },
    refresh: bound.loop.refresh,
    compacted: bound.compact,
  };
}

/** Maps calls of the toolset to the session's tool names and inputs. */
function toSession(tool: string, args: Record<string, unknown>): BoundCall | undefined {
  const { skill_name: skill, path, script_path } = args;
  if (tool === "load_skill") return { name: tool, input: args };
  if (tool === "load_skill_resource") return { name: "read_skill_resource", input: { skill, path } };
  if (tool !== "run_skill_script") return undefined;
  // In the form that ADK's own executors use.
  const given = isJsonObject(args.args) ? Object.entries(args.args) : [];
  const flags = given.flatMap(([key, value]) => [`--${key}`, String(value)]);
  return { name: tool, input: { skill, path: script_path, args: flags } };
}

async function readResources(session: Session, name: string): Promise<AdkSkill["resources"]> {
  const [references, assets, scripts] = [Object.create(null), Object.create(null), Object.create(null)];
  const resources: AdkSkill["resources"] = { references, assets, scripts };
  let size = 0;
  for await (const { path, bytes } of (await session.files(name)).files) {
    size += bytes.length;
    if (size > MAX_SKILL_BYTES)
      throw new SkilletError("skill-not-offered", `${name} has more than ${MAX_SKILL_BYTES} bytes.`);
    const [folder, ...rest] = path.split("/");
    const file = rest.join("/");
    const text = isUtf8(bytes) ? Buffer.from(bytes).toString() : undefined;
    if (folder === "scripts" && text !== undefined) resources.scripts[file] = { src: text };
    if (folder === "references" || folder === "assets") resources[folder][file] = text ?? Buffer.from(bytes);
  }
  return resources;
}
