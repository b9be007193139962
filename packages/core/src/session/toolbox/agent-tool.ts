import { SkilletError } from "@skillet/kit/errors";
import { parseJson } from "@skillet/kit/json";
import { cutText, showLine } from "@skillet/kit/text";
import type { ApprovalOptions, Question } from "../../ask.ts";
import type { Decision } from "../../policy/decision.ts";
import { givenOptions, toJson } from "../model-input.ts";
import { recordRefusal } from "../records/recorder.ts";
import { recordedAs } from "../records/session-events.ts";
import { checkAgainstSchema, listProblems, withoutNulls } from "../schema/check-against-schema.ts";
import type { ScriptOutputListener, ScriptRefusal } from "../script-runner.ts";
import { checkOpen, type Judged, type SessionState } from "../state.ts";
import { type ObjectSchema, strictSchema } from "./strict-schema.ts";

/**
 * A tool for a model, in the shape that all skill tools share.
 *
 * @example
 * const { tools } = await session.toolbox();
 * const result = await tools.find(({ name }) => name === call.name)?.execute(call.input);
 */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** Plain JSON Schema; each read gives a new copy, which the host may change. */
  readonly inputSchema: ObjectSchema;
  /** Whether the schema is in OpenAI's strict form. */
  readonly strict: boolean;
  /** What it is for; `skill` is a tool that a skill declares itself. */
  readonly kind: "load" | "read" | "search" | "script" | "skill";
  /** False for a tool that a skill declares, until the skill is loaded; a call before that says so. */
  isActive(): boolean;
  /** The decision on a call, with the question if the user must be asked. Runs and asks nothing. */
  preflight(input: unknown): Promise<Decision & { readonly question?: Question }>;
  /** Carries out a call. A model's input never makes it throw; faults that the operator must fix do. */
  execute(input: unknown, options?: AgentToolOptions): Promise<AgentToolResult>;
}

/** Options for a call. */
export interface AgentToolOptions extends ApprovalOptions {
  readonly onOutput?: ScriptOutputListener | undefined;
}

/** Text of a result. */
export type TextPart = { readonly type: "text"; readonly text: string };

/** A file of a result, such as an image. */
export interface FilePart {
  readonly type: "file";
  readonly mediaType: string;
  readonly data: Uint8Array;
  readonly filename: string;
}

/** The result of a call; `text` is for the model. */
export interface AgentToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** Why it failed; `approval-needed` if `question` waits for an answer. */
  readonly code?: string;
  readonly question?: Question;
  /** The same as data, for the host. */
  readonly value?: unknown;
  /** Present if the result is more than text. */
  readonly parts?: readonly (TextPart | FilePart)[];
}

export interface ToolDefinition extends Pick<AgentTool, "name" | "description" | "kind" | "inputSchema"> {
  /** What a model is shown instead, if the tool explains faults better than the schema. */
  readonly shownSchema?: ObjectSchema;
  isActive?(): boolean;
  preflight?(fields: object): Promise<Judged | AgentToolResult | undefined>;
  execute(fields: object, options: AgentToolOptions): Promise<AgentToolResult>;
}

export function createTool(session: SessionState, definition: ToolDefinition, strict: boolean): AgentTool {
  const { name, description, kind, inputSchema, shownSchema = inputSchema } = definition;
  const shown = strict ? strictSchema(shownSchema) : undefined;
  return {
    name,
    description,
    kind,
    strict: shown !== undefined,
    get inputSchema() {
      return JSON.parse(JSON.stringify(shown ?? shownSchema));
    },
    isActive: () => definition.isActive?.() ?? true,
    preflight: async (input) => {
      checkOpen(session);
      const fields = readFields(definition, input);
      const judged =
        "isError" in fields ? fields : await forModel(async () => definition.preflight?.(fields.given));
      if (judged === undefined) return { outcome: "allow", reason: "nothing stands against it" };
      if ("isError" in judged) return { outcome: "deny", reason: judged.text };
      const { outcome, reason, rule, question } = judged;
      return { outcome, reason, ...(rule !== undefined && { rule }), ...(outcome === "ask" && { question }) };
    },
    execute: async (input, options) => {
      checkOpen(session);
      const given = givenOptions(options);
      given.signal?.throwIfAborted();
      const fields = readFields(definition, input);
      const { calledBy, ...how } = given;
      if (!("isError" in fields))
        return recordedAs(calledBy, () => forModel(() => definition.execute(fields.given, how)));
      // The text names keys of the input, which must not be recorded.
      const error = { code: fields.code ?? "", message: "The input does not fit the tool's schema." };
      await recordedAs(calledBy, () =>
        recordRefusal(session.recorder, { what: "tool", subject: name, error }),
      );
      return fields;
    },
  };
}

// A model writes input token by token; more is data, which belongs in a file of the workspace.
const MAX_INPUT_CHARACTERS = 256_000;

/** Read from its JSON, so that getters cannot show the check something else; a text is parsed as JSON. */
function readFields(
  { name, inputSchema }: ToolDefinition,
  input: unknown,
): { readonly given: object } | AgentToolResult {
  const code = "tool-input-invalid";
  const given = typeof input === "string" ? input.trim() || "{}" : toJson(input ?? {});
  if (given === undefined || given.length > MAX_INPUT_CHARACTERS)
    return refused(
      code,
      `The input of ${name} is not JSON or has more than ${MAX_INPUT_CHARACTERS} characters; pass an object with ${Object.keys(inputSchema.properties ?? {}).join(", ")}.`,
    );
  const fields = withoutNulls(parseJson(given), inputSchema);
  const problems = checkAgainstSchema(fields, inputSchema);
  if (problems.length > 0) return refused(code, listProblems(`The input of ${name}`, problems));
  return { given: fields as object };
}

export function refused(code: string, text: string, question?: Question): AgentToolResult {
  const shown = cutText(text, MAX_REFUSAL_CHARACTERS);
  if (question === undefined) return { text: shown, isError: true, code };
  return { text: shown, isError: true, code: "approval-needed", question };
}

const MAX_REFUSAL_CHARACTERS = 8_000;
const NOT_RUNNABLE = "The script cannot be run at the moment. Go on without it, and tell the user.";
const CHANGED =
  "The skill's files are not those that were loaded and trusted, and nothing was run. Load it again, or tell the user.";

/** Refusals whose own words reveal places on this machine; the record and `value` have them in full. */
const REFUSED_RUNS: ReadonlyMap<string, string> = new Map([
  ["sandbox-unavailable", NOT_RUNNABLE],
  ["permission-denied", NOT_RUNNABLE],
  ["unknown", NOT_RUNNABLE],
  ["script-snapshot-mismatch", CHANGED],
  ["skill-not-trusted", CHANGED],
]);

export function refusedRun(refusal: ScriptRefusal): AgentToolResult {
  const { code, message, question } = refusal;
  return { ...refused(code, REFUSED_RUNS.get(code) ?? message, question), value: refusal };
}

/** Turns faults that a model can act on into a result; the others are the operator's, and rethrown. */
async function forModel<Result>(action: () => Promise<Result>): Promise<Result | AgentToolResult> {
  try {
    return await action();
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const { code, message, data } = error;
    if (UNREADABLE.has(code))
      return refused(code, "The skill cannot be read at the moment. Go on without it, and tell the user.");
    if (!OWN_WORDS.has(code)) throw error;
    return refused(code, showLine(message), data.question as Question | undefined);
  }
}

/** Errors that models are told in the error's own words. */
const OWN_WORDS: ReadonlySet<string> = new Set(
  (
    "skill-not-found skill-ambiguous skill-for-users skill-denied skill-not-offered skill-drifted " +
    "arguments-too-long rendered-too-long call-invalid"
  ).split(" "),
);

/** Errors whose own words reveal places on this machine. */
const UNREADABLE: ReadonlySet<string> = new Set(
  (
    "skill-changing skill-unreadable skill-too-large skill-tree-unreadable skill-not-here file-not-found " +
    "file-too-large not-a-file link-refused path-outside-root path-changed permission-denied"
  ).split(" "),
);
