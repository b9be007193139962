import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import { type Locator, locatorOf, plainValue } from "@skillet/kit/located";
import {
  text as anyText,
  array,
  type Fault,
  lenient,
  matching,
  object,
  optional,
  readDocument,
  refine,
  type Schema,
  scalar,
  wholeNumber,
} from "@skillet/kit/schema";
import { hasHidden } from "@skillet/kit/text";
import { asSentence, FaultList } from "../../../format/fault-list.ts";
import { locateYaml } from "../../../format/locate-yaml.ts";
import { normaliseResourcePath } from "../../read/read-resource.ts";
import { MAX_SCRIPT_TIMEOUT_MS } from "../../run/check-script-call.ts";
import type { JsonSchema } from "../../schema/check-against-schema.ts";
import { cleanText, toolSchema } from "./tool-schema.ts";

/** A tool that a skill declares: a script that reads and writes JSON. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  /** Always of type object. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly script: string;
  readonly args: readonly string[];
  readonly timeoutMs?: number;
  readonly range?: Range;
}

/** One entry of `toolsets` in a skill's header, and what it declares. */
export interface DeclaredToolset {
  /** As in the header: a file of the skill, or an entry for another system. */
  readonly file: string;
  readonly isSupported: boolean;
  readonly tools: readonly DeclaredTool[];
  /** Faults of the file and its tools; a tool with an error is left out. */
  readonly diagnostics: readonly Diagnostic[];
}

export const MAX_TOOLSET_BYTES: number = 64 * 1024;
export const MAX_TOOLSETS = 8;
const MAX_TOOLS = 32;
const MAX_TOOL_DESCRIPTION_CHARACTERS = 1024;
const MAX_TOOL_ARGUMENTS = 32;
const MAX_TOOL_ARGUMENT_CHARACTERS = 1024;

export function parseToolset(
  text: string,
  options: { readonly file: string },
): { readonly tools: readonly DeclaredTool[]; readonly diagnostics: readonly Diagnostic[] } {
  const list = new FaultList(options.file, "lenient");
  const { root, faults: yamlFaults } = locateYaml(text.replace(/^\uFEFF/, ""));
  for (const { range, message, hint } of yamlFaults) {
    const fault = { code: "toolset-invalid", severity: "error", hint: asSentence(hint) } as const;
    list.add({ ...fault, message: asSentence(message, OUT) }, range.line, range.column);
  }
  if (yamlFaults.length > 0) return { tools: [], diagnostics: list.finish() };
  const locate = locatorOf(root);
  const { value, faults } = readDocument(toolsetSchema(locate), plainValue(root), {
    name: "the file",
    // The file is bounded, and whatever is faulty, the other tools are still read.
    maxFaults: Number.POSITIVE_INFINITY,
  });
  const noted = new Set<string>();
  for (const fault of faults) {
    const { path, part } = fault;
    // An unchecked keyword is reported once per schema.
    const note = [...path.slice(0, 3), path.at(-1)].join("\0");
    if (fault.code === "tool-schema-unchecked" && noted.has(note)) continue;
    noted.add(note);
    const { line, column } = locate(path, part) ?? { line: 1, column: 1 };
    list.add(describe(fault), line, column);
  }
  return { tools: value?.tools ?? [], diagnostics: list.finish() };
}

const OUT = ", so its tools are left out";

function describe({
  kind,
  path,
  code,
  message,
  severity,
  hint = "",
}: Fault): Parameters<FaultList["add"]>[0] {
  const sentence = (end = ""): string => asSentence(message, end);
  const rest = { severity: severity ?? "error", hint: asSentence(hint) } as const;
  if (code !== undefined) return { ...rest, code, message: sentence() };
  if (kind === "unknown-key")
    return {
      ...rest,
      code: "toolset-unknown-key",
      severity: "warning",
      message: sentence(", so it has no effect"),
    };
  if (path.length <= 1) return { ...rest, code: "toolset-invalid", message: sentence(OUT) };
  const isSchema = path[2] === "inputSchema" || path[2] === "outputSchema";
  return {
    ...rest,
    code: isSchema ? "tool-schema" : "tool-field",
    message: sentence(", so the tool is left out"),
  };
}

function toolsetSchema(locate: Locator): Schema<{ readonly tools: readonly DeclaredTool[] }> {
  const read = array(lenient(toolIn(locate)), { hint: "write tools: and a list below it" });
  return object<{ readonly tools: readonly DeclaredTool[] }>(
    {
      tools: (value, reading) => {
        if (!Array.isArray(value) || value.length <= MAX_TOOLS) return read(value, reading);
        reading.faultAt(MAX_TOOLS, `is more than ${MAX_TOOLS} tools; it and those after it are left out`, {
          code: "toolset-limit",
          hint: "declare fewer: models are told about every one of them",
        });
        return read(value.slice(0, MAX_TOOLS), reading);
      },
    },
    { unknown: "report", hint: "write tools: and a list below it" },
  );
}

type WrittenTool = Omit<DeclaredTool, "args" | "inputSchema" | "range"> &
  Partial<Pick<DeclaredTool, "args" | "inputSchema">>;

function toolIn(locate: Locator): Schema<DeclaredTool> {
  return refine(tool, ({ args = [], inputSchema = NO_INPUT, ...rest }, reading) => {
    const range = locate([...reading.path, "name"]);
    return { ...rest, args, inputSchema, ...(range !== undefined && { range }) };
  });
}

// A tool without a schema takes nothing.
const NO_INPUT: JsonSchema = Object.freeze({
  type: "object",
  properties: Object.freeze({}),
  additionalProperties: false,
});

const tool = object<WrittenTool>(
  {
    name: matching(
      /^[a-zA-Z][a-zA-Z0-9_-]{0,40}$/,
      "a name",
      "begin with a letter, and use at most 41 letters, digits, underscores and hyphens",
    ),
    description: refine(anyText, (value, reading) => {
      const characters = [...cleanText(value)];
      if (characters.length === 0)
        return reading.fault("is empty", { hint: "say in a sentence what the tool does and when to use it" });
      if (characters.length <= MAX_TOOL_DESCRIPTION_CHARACTERS) return characters.join("");
      reading.fault(`has more than ${MAX_TOOL_DESCRIPTION_CHARACTERS} characters; the rest is cut off`, {
        code: "tool-description-long",
        severity: "warning",
        hint: "say less, and put the rest into the skill's text",
      });
      return `${characters.slice(0, MAX_TOOL_DESCRIPTION_CHARACTERS - 1).join("")}…`;
    }),
    script: scalar(
      "a file below scripts/",
      (value) => (typeof value === "string" && isScript(value) ? value : undefined),
      "name it like scripts/fill.py",
    ),
    inputSchema: optional(
      refine(toolSchema, (value, reading) =>
        value.type === "object"
          ? value
          : reading.fault("is not of type object, so the tool is left out", {
              code: "tool-field",
              hint: "write a schema with type: object",
            }),
      ),
    ),
    outputSchema: optional(toolSchema),
    args: optional(
      scalar(
        `a list of at most ${MAX_TOOL_ARGUMENTS} texts`,
        (value) => (isArguments(value) ? value : undefined),
        `write texts of at most ${MAX_TOOL_ARGUMENT_CHARACTERS} characters, none of them invisible`,
      ),
    ),
    timeoutMs: optional(wholeNumber(1, MAX_SCRIPT_TIMEOUT_MS, { unit: "milliseconds" })),
  },
  { unknown: "report", hint: "write a map with name, description, inputSchema and script" },
);

function isScript(path: string): boolean {
  return path.startsWith("scripts/") && normaliseResourcePath(path) === path && !hasHidden(path);
}

function isArguments(value: unknown): value is readonly string[] {
  const isFine = (item: unknown): boolean =>
    typeof item === "string" && item.length <= MAX_TOOL_ARGUMENT_CHARACTERS && !hasHidden(item);
  return Array.isArray(value) && value.length <= MAX_TOOL_ARGUMENTS && value.every(isFine);
}
