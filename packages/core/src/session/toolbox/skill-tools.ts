import { basename } from "node:path/posix";
import { onRefusal, SkilletError } from "@skillet/kit/errors";
import { cutText, showLine, showName } from "@skillet/kit/text";
import { type Answer, type CallOptions, unlessAborted } from "../../ask.ts";
import { SCRIPT_TOOL } from "../../config/tool-rule/tool-rule.ts";
import type { Skill } from "../../registry/skill.ts";
import { judgeLoading } from "../activate/activate-skill.ts";
import { isActive } from "../active-skills.ts";
import type { ForkOptions, ForkSession } from "../open-fork.ts";
import { MAX_READ_BYTES, type ResourceRead, readResource } from "../read/read-resource.ts";
import { orClose } from "../records/recorder.ts";
import { MAX_ARGUMENTS, MAX_SCRIPT_TIMEOUT_MS } from "../run/check-script-call.ts";
import { preflightRun, runScript, type ScriptRequest } from "../run/run-script.ts";
import { type ExecutedScript, isRefusal } from "../script-runner.ts";
import { renderFound, SEARCH_TOOL, selectSkills } from "../search/session-search.ts";
import type { ActivateOptions, Activation } from "../session.ts";
import { findHidden, resolveFor } from "../skill-access.ts";
import type { SessionState } from "../state.ts";
import {
  type AgentToolOptions,
  type AgentToolResult,
  type FilePart,
  refused,
  refusedRun,
  type ToolDefinition,
} from "./agent-tool.ts";
import { answerCleaner, describeEnd } from "./read-answer.ts";
import type { ObjectSchema, PlainSchema } from "./strict-schema.ts";

const LOAD_TOOL = "load_skill";
const READ_TOOL = "read_skill_resource";

/** Runs a child session in a separate agent and returns its summary; `signal` ends the wait for it. */
export type OnFork = (child: ForkSession, options: CallOptions) => Promise<string>;

/** Fields that fit the schemas below; each tool has some of them. */
interface Fields {
  readonly name: string;
  readonly arguments?: string;
  readonly file_path?: string;
  readonly skill: string;
  readonly path: string;
  readonly maxBytes?: number;
  readonly query: string;
  readonly limit?: number;
  readonly args?: readonly string[];
  readonly stdin?: string;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

function closed(required: string[], properties: ObjectSchema["properties"]): ObjectSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

function text(description: string): PlainSchema {
  return { type: "string", description };
}

/** The session's own ways to load a skill, one at a time. */
export interface LoadParts {
  activate(name: string, options: ActivateOptions, approval: Answer | undefined): Promise<Activation>;
  fork(options: ForkOptions, approval: Answer | undefined): Promise<ForkSession>;
}

export function loadTool(
  session: SessionState,
  parts: LoadParts,
  onFork: OnFork | undefined,
): Omit<ToolDefinition, "description"> {
  const read = readTool(session);
  const isFile = ({ file_path }: Fields): boolean => file_path !== undefined && file_path !== "SKILL.md";
  return {
    name: LOAD_TOOL,
    kind: "load",
    inputSchema: closed(["name"], {
      name: text("The name of a skill exactly as it is listed or found."),
      arguments: text("What the skill is to work on, where its text takes arguments."),
      file_path: text("Gives this file of the skill instead of its instructions: references/guide.md"),
    }),
    preflight: async (fields: Fields) => {
      if (isFile(fields)) return undefined;
      const skill = resolveFor(session, fields.name, "model");
      return judgeLoading(session, skill, "model", { given: fields.arguments, isBeforehand: true });
    },
    execute: async (fields: Fields, options) => {
      const { name, file_path: path, arguments: given } = fields;
      if (isFile(fields)) return read.execute({ skill: name, path }, options);
      const { signal, approval } = options;
      const how = { signal, ...(given !== undefined && { arguments: given }) };
      if (onFork !== undefined && (await isForked(session, name))) {
        const child = await parts.fork({ ...how, activate: name }, approval);
        const run = async (): Promise<string> => onFork(child, { signal });
        const finish = async (): Promise<string> => child.finish(await unlessAborted(run(), signal));
        return { text: await orClose(child, finish), isError: false };
      }
      const activation = await parts.activate(name, how, approval);
      return { text: activation.text, isError: false, value: activation };
    },
  };
}

// The activation refuses and records a name without a skill. A sub-agent must not start itself again.
function isForked(session: SessionState, name: string): Promise<boolean> {
  const find = async (): Promise<Skill> => resolveFor(session, name, "model");
  return onRefusal(
    find().then(
      (skill) => skill.manifest.execution.context === "fork" && !(session.parent && isActive(session, skill)),
    ),
    () => false,
  );
}

export function readTool(session: SessionState): ToolDefinition {
  return {
    name: READ_TOOL,
    description:
      "Reads a file of a skill, such as references/guide.md or assets/logo.png. The skill's instructions say which files there are.",
    kind: "read",
    inputSchema: closed(["skill", "path"], {
      skill: text("The name of the skill."),
      path: text("The file, relative to the skill's folder."),
      maxBytes: {
        type: "integer",
        minimum: 1,
        maximum: MAX_READ_BYTES,
        description: "How much of a text to give at most.",
      },
    }),
    execute: async ({ skill, path, ...limit }: Fields, { signal }) =>
      toReadResult(await unlessAborted(readResource(session, skill, path, { ...limit, signal }), signal)),
  };
}

function toReadResult(read: ResourceRead): AgentToolResult {
  const { error, content, bytes, path, observedSizeBytes: size = 0, truncated = false } = read;
  // This is a fault of the machine, not of the model.
  if (error?.code === "unknown") throw new SkilletError("file-unreadable", error.message, { data: { path } });
  if (error !== undefined) return refused(error.code, showLine(error.message));
  if (content !== undefined) {
    const note = `\n[Cut: the file has ${size} bytes. Pass a larger maxBytes for more, at most ${MAX_READ_BYTES}.]`;
    return { text: truncated ? `${content}${note}` : content, isError: false, value: read };
  }
  const mediaType = mediaTypeOf(bytes);
  const facts = `${showName(path)} is binary: ${mediaType}, ${size} bytes`;
  if (bytes === undefined)
    return { text: `${facts}; it is too large to be given.`, isError: false, value: read };
  const shown = `${facts}.`;
  const file: FilePart = { type: "file", mediaType, data: bytes, filename: basename(path) };
  return { text: shown, isError: false, value: read, parts: [{ type: "text", text: shown }, file] };
}

// By the first bytes: model APIs refuse an image whose name says something else.
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^%PDF-/, "application/pdf"],
];

function mediaTypeOf(bytes: Uint8Array = new Uint8Array()): string {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  return SIGNATURES.find(([pattern]) => pattern.test(start))?.[1] ?? "application/octet-stream";
}

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;

/** A longer query is a document. */
const MAX_QUERY_CHARACTERS = 4096;

export function searchTool(session: SessionState): ToolDefinition {
  return {
    name: SEARCH_TOOL,
    description:
      "Searches all skills, also those that are not listed, and gives the names and descriptions of those that fit best. " +
      "Use it when none of the listed skills fits the task; then load the one that fits by its name.",
    kind: "search",
    inputSchema: closed(["query"], {
      query: text(
        "What the task is about, in a few words, with file types and commands where there are any.",
      ),
      limit: {
        type: "integer",
        minimum: 1,
        description: `How many at most, up to ${MAX_LIMIT}; ${DEFAULT_LIMIT} unless given.`,
      },
    }),
    execute: async ({ query, limit = DEFAULT_LIMIT }: Fields, { signal }) => {
      if (query.trim() === "")
        return refused("tool-input-invalid", "`query` is empty; say in a few words what the task is about.");
      const options = { limit: Math.min(limit, MAX_LIMIT) };
      const searching = selectSkills(session, query.slice(0, MAX_QUERY_CHARACTERS), options);
      const found = await unlessAborted(searching, signal);
      // A model's query may name a skill that only users can start.
      const usable = found.filter(({ skill }) => findHidden(session, skill) === undefined);
      const { text: shown, results } = renderFound(usable);
      return { text: shown, isError: false, value: results };
    },
  };
}

export function scriptCalls(
  session: SessionState,
  request: (fields: object, options: AgentToolOptions) => ScriptRequest,
  answer: (run: ExecutedScript, clean: (text: string) => string) => AgentToolResult,
): Pick<ToolDefinition, "preflight" | "execute"> {
  return {
    preflight: async (fields) => {
      const judged = await preflightRun(session, request(fields, {}));
      return "status" in judged ? refusedRun(judged) : judged;
    },
    execute: async (fields, options) => {
      const run = await runScript(session, request(fields, options));
      // A host's own runner may not know that its output reaches a model.
      return isRefusal(run) ? refusedRun(run) : answer(run, answerCleaner(session.secrets.redactor()));
    },
  };
}

export function scriptTool(session: SessionState): ToolDefinition {
  const request = (fields: object, { approval, ...how }: AgentToolOptions): ScriptRequest => {
    const { skill: name, path, args = [], ...rest } = fields as Fields;
    return { name, path, args, approval, options: { ...rest, ...how } };
  };
  return {
    name: SCRIPT_TOOL,
    description:
      "Runs a script of a skill that is loaded, and gives its exit code and what it wrote. " +
      "Load the skill first and follow its instructions; a refusal says why nothing was run.",
    kind: "script",
    inputSchema: closed(["skill", "path"], {
      skill: text("The name of the loaded skill."),
      path: text("The script, relative to the skill's folder: scripts/fill.py"),
      args: {
        type: "array",
        items: { type: "string" },
        maxItems: MAX_ARGUMENTS,
        description: "Each is one argument; no shell reads them.",
      },
      stdin: text("What the script reads from its standard input."),
      cwd: text(
        'Where it starts: "workspace" unless given, "skill", or a folder in the workspace like "./labs".',
      ),
      timeoutMs: {
        type: "integer",
        minimum: 1,
        maximum: MAX_SCRIPT_TIMEOUT_MS,
        description: "When it is ended.",
      },
    }),
    ...scriptCalls(session, request, toRunResult),
  };
}

// Runners bound what they keep; this bounds a host's own runner.
const MAX_STREAM_CHARACTERS = 100_000;

function toRunResult(run: ExecutedScript, clean: (text: string) => string): AgentToolResult {
  const isError = run.status !== "executed" || run.exitCode !== 0;
  const end = run.status === "executed" ? describeEnd(run) : `was ended: ${run.status}`;
  const streams = (["stdout", "stderr"] as const).flatMap((name) =>
    run[name] === "" ? [] : [`${name}:\n${cutText(clean(run[name]), MAX_STREAM_CHARACTERS)}`],
  );
  const shown = [`The script ${end}.`, ...streams].join("\n");
  return { text: shown, isError, ...(isError && { code: "script-failed" }), value: run };
}
