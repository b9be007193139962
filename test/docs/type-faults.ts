import ts from "typescript";
import type { SourceProgram } from "./source-program.ts";

/** What the compiler has against the blocks, each as `page:line: message`. */
export function typeFaults({ program, blocks }: SourceProgram): string[] {
  return blocks.flatMap(({ file, page, block }) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ start = 0, messageText }) => {
      const line = source === undefined ? 0 : source.getLineAndCharacterOfPosition(start).line;
      return `${page.path}:${block.line + 1 + line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  });
}
