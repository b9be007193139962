import { basename, dirname } from "node:path";
import { LocalSource, MAX_SKILL_BYTES } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { stripControl } from "../ui/strip-control.ts";
import { diagnosticSection } from "./diagnostic-section.ts";

// One broken checkout can hold thousands; `--json` has them all.
const MAX_SHOWN = 50;
const MAX_NAME_LINES = 4;

/** Why what was found under a name is no skill that could be explained, with the lines that are at fault. */
export async function explainFailure(
  name: string,
  diagnostics: readonly Diagnostic[],
  layout: Layout,
): Promise<string[]> {
  const { colours } = layout;
  const shown = diagnostics.slice(0, MAX_SHOWN);
  const rest = diagnostics.length - shown.length;
  const texts = new Map<string, string>();
  for (const file of new Set(shown.filter(({ range }) => range !== undefined).map((one) => one.file))) {
    const text = await readOrNothing(file);
    if (text !== undefined) texts.set(file, text);
  }
  return [
    ...title(name, layout),
    "",
    ...diagnosticSection(shown, { ...layout, texts }),
    ...(rest > 0 ? [colours.dim(`  and ${rest} more: --json lists all`)] : []),
  ];
}

function title(name: string, { colours, width }: Layout): string[] {
  const lines = wrap(`${stripControl(name)}  not loaded`, { width: width - 2, maxLines: MAX_NAME_LINES });
  return lines.map((line, index) => `${index === 0 ? colours.red("✗") : " "} ${colours.bold(line)}`);
}

// What may not be read now is explained without its lines.
async function readOrNothing(file: string): Promise<string | undefined> {
  try {
    const { bytes } = await new LocalSource(dirname(file)).read(basename(file), {
      maxBytes: MAX_SKILL_BYTES,
    });
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}
