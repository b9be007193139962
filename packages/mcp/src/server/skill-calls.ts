import { type PlainSkills, type PlainTool, plain } from "@skillet/adapters/plain";
import type { AgentToolResult, CatalogBudget, Session, Skill } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { asObject, fieldOf, type JsonObject } from "@skillet/kit/json";
import { quoteShell, showLine } from "@skillet/kit/text";
import { FAULT, ProtocolFault, textParam } from "../protocol/json-rpc.ts";
import { paginate } from "./served-skills.ts";

/** An unbounded search elsewhere returned 272 rows, which cost the model more than the task. */
const MAX_FOUND = 10;
const READING: ReadonlySet<string> = new Set(["load_skill", "read_skill_resource", "search_skills"]);

/** What today's clients support: tools, prompts and instructions. */
export interface SkillCalls {
  readonly instructions: string;
  toolNames(): string;
  listTools(): JsonObject;
  callTool(params: JsonObject, how: CallHow): Promise<JsonObject>;
  listPrompts(cursor: string | undefined): JsonObject;
  getPrompt(params: JsonObject, how: CallHow): Promise<JsonObject>;
}

interface CallsOptions {
  readonly budget: CatalogBudget | undefined;
  readonly host: string;
  readonly onFault: (error: unknown) => void;
}

interface CallHow {
  readonly callId: string;
  readonly signal: AbortSignal;
}

export async function createSkillCalls(
  session: Session,
  { budget, host, onFault }: CallsOptions,
): Promise<SkillCalls> {
  const skills = await plain(session, { host, budget, toolbox: { search: true } });
  return {
    instructions: skills.instructions === "" ? "" : `${skills.instructions}\n\n${RESOURCES}`,
    toolNames: () => skills.tools.map(({ name }) => name).join(" "),
    listTools: () => ({ tools: skills.tools.map(showTool) }),
    callTool: (params, how) => callTool(skills, params, { ...how, onFault }),
    listPrompts: (cursor) => {
      const page = paginate(forPeople(session), cursor, ({ qualifiedName }) => qualifiedName);
      return { prompts: page.items.map(showPrompt), ...page.next };
    },
    getPrompt: async (params, { callId, signal }) => {
      const name = textParam(params, "name");
      const skill = forPeople(session).find(({ qualifiedName }) => qualifiedName === name);
      if (skill === undefined) throw new ProtocolFault(FAULT.params, `There is no prompt ${name} here.`);
      const given = readArguments(skill, asObject(params.arguments) ?? {});
      const calledBy = { host, callId };
      try {
        const how = { source: "user", repeat: true, calledBy, signal } as const;
        const { text } = await session.activate(name, { ...how, ...(given !== "" && { arguments: given }) });
        const content = { type: "text", text };
        return { description: skill.manifest.description, messages: [{ role: "user", content }] };
      } catch (error) {
        if (!SkilletError.isInstance(error)) throw error;
        throw new ProtocolFault(FAULT.params, error.message, { code: error.code });
      }
    },
  };
}

const RESOURCES =
  "The files of these skills are also resources: skill://NAME/SKILL.md, and what lies beside it. " +
  "Before you begin a task that a skill is for, load it with load_skill, or read skill://NAME/SKILL.md.";

function showTool({ name, description, inputSchema }: PlainTool): JsonObject {
  const isReading = READING.has(name);
  const { limit } = name === "search_skills" ? inputSchema.properties : {};
  const most = { ...limit, maximum: MAX_FOUND, description: `How many at most, up to ${MAX_FOUND}.` };
  const bounded = { ...inputSchema, properties: { ...inputSchema.properties, limit: most } };
  return {
    name,
    description,
    inputSchema: limit === undefined ? inputSchema : bounded,
    annotations: { readOnlyHint: isReading, destructiveHint: !isReading, openWorldHint: !isReading },
  };
}

async function callTool(
  skills: PlainSkills,
  params: JsonObject,
  { callId, signal, onFault }: CallHow & Pick<CallsOptions, "onFault">,
): Promise<JsonObject> {
  const name = textParam(params, "name");
  if (!skills.tools.some((tool) => tool.name === name))
    throw new ProtocolFault(FAULT.params, `There is no tool ${name} here.`);
  const given = asObject(params.arguments) ?? {};
  const limit = fieldOf(given, "limit");
  const isTooMany = name === "search_skills" && typeof limit === "number" && limit > MAX_FOUND;
  try {
    const input = isTooMany ? { ...given, limit: MAX_FOUND } : given;
    return toContent((await skills.call(name, input, { callId, signal })) ?? UNUSABLE);
  } catch (error) {
    signal.throwIfAborted();
    // Faults are for the operator to read: they can name paths of this machine.
    onFault(error);
    return toContent(UNUSABLE);
  }
}

const UNUSABLE: AgentToolResult = {
  isError: true,
  code: "unknown",
  text: "Skills cannot be used at the moment. Go on without them, and tell the user.",
};

function toContent({ text, isError, parts }: AgentToolResult): JsonObject {
  const content = (parts ?? [{ type: "text" as const, text }]).map((part) => {
    if (part.type === "text") return part;
    const data = Buffer.from(part.data).toString("base64");
    if (part.mediaType.startsWith("image/")) return { type: "image", data, mimeType: part.mediaType };
    const uri = `skill-file:///${encodeURIComponent(part.filename)}`;
    return { type: "resource", resource: { uri, mimeType: part.mediaType, blob: data } };
  });
  return { content, isError };
}

function forPeople(session: Session): Skill[] {
  return session.snapshot.skills.filter(
    (skill) => session.mayUse(skill, { source: "user" }).obstacle === undefined,
  );
}

function showPrompt({ qualifiedName, manifest }: Skill): JsonObject {
  const { names, hint } = manifest.args;
  const own = names.map((name) => ({ name, required: false }));
  const one = hint === undefined ? [] : [{ name: ALL, description: showLine(hint), required: false }];
  const args = own.length > 0 ? own : one;
  const { description } = manifest;
  return { name: qualifiedName, description, ...(args.length > 0 && { arguments: args }) };
}

/** The single argument of a skill that does not name its arguments. */
const ALL = "arguments";

/** As a user would type them after the name; later arguments keep their position if one is missing. */
function readArguments({ manifest }: Skill, given: JsonObject): string {
  const { names } = manifest.args;
  if (names.length === 0) return asText(fieldOf(given, ALL));
  const values = names.map((name) => asText(fieldOf(given, name)));
  const last = values.findLastIndex((value) => value !== "");
  return values
    .slice(0, last + 1)
    .map(quoteShell)
    .join(" ");
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
