import { type ParsedScript, parse } from "unbash";

/** The parser's tree; where nesting exhausts the stack, an empty one with an error. */
export function parseShell(text: string): ParsedScript {
  try {
    return parse(text);
  } catch (error) {
    // The parser bounds most nesting, but not `a()a()a()…`.
    if (!(error instanceof RangeError)) throw error;
    return {
      type: "Script",
      pos: 0,
      end: text.length,
      shebang: undefined,
      commands: [],
      errors: [{ message: "nested too deeply", pos: 0 }],
    };
  }
}
