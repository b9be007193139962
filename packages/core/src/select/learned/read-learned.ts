import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { NOTHING_LEARNED } from "./learned.ts";
import { type ParsedLearned, parseLearned } from "./parse-learned.ts";

/** Room for thousands of skills; a longer file is not read. */
export const MAX_LEARNED_BYTES: number = 1024 * 1024;

/** The learned file of a home: what it says, and its text as it was read. */
export interface LearnedReading extends ParsedLearned {
  readonly file: string;
  /** Absent where there is no file, or none that can be read. */
  readonly text?: string;
}

/** Where the learned file of a home lies. */
export function learnedPath(home: string): string {
  return join(home, "selection.yaml");
}

/**
 * Reads what use has taught the user of a home; a file that cannot be read teaches nothing and says so.
 *
 * There is one in the user's home and nowhere else: a project or a skill that brought its own could keep other skills
 * from being offered and push itself.
 */
export function readLearned(home: string): LearnedReading {
  const file = learnedPath(home);
  try {
    const bytes = readBoundedFile(file, { maxBytes: MAX_LEARNED_BYTES });
    if (bytes === undefined) return { file, learned: NOTHING_LEARNED, diagnostics: [] };
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { file, text, ...parseLearned(text, file) };
  } catch (error) {
    if (SkilletError.isInstance(error)) return unreadable(file, error.message);
    if (error instanceof TypeError) return unreadable(file, "It is not UTF-8 text.");
    throw error;
  }
}

function unreadable(file: string, why: string): LearnedReading {
  return {
    file,
    learned: NOTHING_LEARNED,
    diagnostics: [
      {
        code: "learned-unreadable",
        severity: "error",
        message: `What was learned from use cannot be read and has no effect: ${why}`,
        file,
        hint: "Repair the file, or move it away and learn again with `skillet eval learn`.",
      },
    ],
  };
}
