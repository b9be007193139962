import type { Diagnostic } from "@skillet/kit/diagnostics";
import { diagnosticBlock } from "../ui/diagnostic-report.ts";
import type { Layout } from "../ui/layout.ts";
import { showPath } from "../ui/show-path.ts";

/** Every diagnostic, with the line it is about where the text of its file is known. */
export function diagnosticSection(
  diagnostics: readonly Diagnostic[],
  options: Layout & { readonly texts: ReadonlyMap<string, string> },
): string[] {
  if (diagnostics.length === 0) return [];
  const lines = diagnostics.flatMap((diagnostic) => {
    const text = options.texts.get(diagnostic.file);
    return diagnosticBlock(diagnostic, {
      ...options,
      width: options.width - 2,
      file: showPath(diagnostic.file, options.environment),
      ...(text !== undefined && { text }),
    }).map((line) => `  ${line}`);
  });
  return [options.colours.bold("Diagnostics"), ...lines];
}
