import type { SourceText } from "../../text/source-text.ts";
import type { ApiTable } from "./api.ts";
import { JAVASCRIPT_API } from "./javascript-api.ts";
import { lowerJavascript } from "./lower-javascript.ts";
import { lowerPython } from "./lower-python.ts";
import type { Program } from "./program-tree.ts";
import { PYTHON_API } from "./python-api.ts";
import { isDeclarationFile, readDeclarations } from "./read-declarations.ts";

/** A program with what its language can do. */
export interface LoweredProgram {
  readonly program: Program;
  readonly language: "python" | "javascript";
  readonly api: ApiTable;
}

/** Reads a program of either language into the common form; anything but Python is read as JavaScript. */
export function lowerProgram(source: SourceText): LoweredProgram {
  if (source.language === "python")
    return { program: lowerPython(source.text), language: "python", api: PYTHON_API };
  if (isDeclarationFile(source.file)) {
    const program = readDeclarations(source.text);
    if (program !== undefined) return { program, language: "javascript", api: JAVASCRIPT_API };
  }
  const dialect = source.language === "typescript" ? "typescript" : "javascript";
  return { program: lowerJavascript(source.text, dialect), language: "javascript", api: JAVASCRIPT_API };
}
