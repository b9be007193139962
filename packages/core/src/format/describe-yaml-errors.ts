import type { LineCounter, YAMLError } from "yaml";

/** Why a header cannot be read; a refused one is sound YAML that is not let in, so that repairs are not tried. */
export interface HeaderFault {
  readonly kind: "invalid" | "refused" | "not-map";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly line: number;
  readonly column: number;
  /** Further faults that are no mere consequence of this one. */
  readonly others?: readonly Omit<HeaderFault, "others">[];
}

/** A value that YAML takes for a map because of its colon. */
export const UNQUOTED_COLON = {
  code: "unquoted-colon",
  message: "The value holds a colon and a space, which YAML reads as another key.",
  hint: "Put the whole value in quotes.",
} as const;

// Each of these spoils its own value only; behind any other error the library may have lost its way.
const LOCAL: ReadonlySet<string> = new Set(["BLOCK_AS_IMPLICIT_KEY", "TAB_AS_INDENT", "BAD_SCALAR_START"]);

/** The first error of a text, with those that are faults of their own: at most one on each line. */
export function describeYamlErrors(errors: readonly YAMLError[], lines: LineCounter): HeaderFault {
  const [first, ...rest] = errors.toSorted((left, right) => left.pos[0] - right.pos[0]);
  if (first === undefined) throw new RangeError("there is no error to describe");
  const fault = describeError(first, lines);
  const others: HeaderFault[] = [];
  if (!LOCAL.has(first.code)) return fault;
  for (const error of rest) {
    if (!LOCAL.has(error.code)) break;
    const other = describeError(error, lines);
    if (other.line !== (others.at(-1) ?? fault).line) others.push(other);
  }
  return others.length === 0 ? fault : { ...fault, others };
}

function describeError(error: YAMLError, lines: LineCounter): HeaderFault {
  const { line, col: column } = lines.linePos(error.pos[0]);
  const place = { kind: "invalid", line: Math.max(1, line), column: Math.max(1, column) } as const;
  switch (error.code) {
    case "BLOCK_AS_IMPLICIT_KEY":
      return { ...place, ...UNQUOTED_COLON };
    case "TAB_AS_INDENT":
      return {
        ...place,
        code: "tab-indentation",
        message: "The line is indented with a tab, which YAML does not allow.",
        hint: "Indent with spaces.",
      };
    default:
      return {
        ...place,
        code: "invalid-yaml",
        message: `The header is not valid YAML: ${firstLine(error.message)}.`,
        hint: "Correct this line; values with colons, brackets or other special characters need quotes.",
      };
  }
}

// The library may repeat as much of the text as it does not understand.
const MAX_MESSAGE_CHARACTERS = 200;

function firstLine(message: string): string {
  return message.slice(0, MAX_MESSAGE_CHARACTERS).split("\n", 1)[0] ?? "";
}
