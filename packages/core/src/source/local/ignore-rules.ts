import { createRequire } from "node:module";
import { join } from "node:path";
import type { Ignore, Options } from "ignore";
import { SkilletError } from "../../skillet-error.ts";
import { readInto, withRegularFile } from "../open-regular-file.ts";

/** Files whose rules hide folders below the one they stand in. */
export const IGNORE_FILES: readonly string[] = [".gitignore", ".skilletignore"];

const MAX_IGNORE_BYTES = 256 * 1024;

/** The rules in force in a folder: its own and those of the folders above it, up to the root. */
export interface IgnoreRules {
  readonly base: string;
  readonly file: string;
  readonly matcher: Ignore;
  readonly outer: IgnoreRules | undefined;
}

/** Adds the rules of a folder's ignore files to those of the folders above it; one that cannot be read is reported. */
export function extendRules(options: {
  readonly absolute: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly outer: IgnoreRules | undefined;
  readonly onUnreadable: (file: string, reason: string) => void;
}): IgnoreRules | undefined {
  let rules = options.outer;
  for (const name of IGNORE_FILES) {
    if (!options.files.includes(name)) continue;
    const file = options.path === "" ? name : `${options.path}/${name}`;
    try {
      const matcher = createMatcher();
      matcher.add(readRules(join(options.absolute, name)));
      rules = { base: options.path, file, matcher, outer: rules };
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      options.onUnreadable(file, error.message);
    }
  }
  return rules;
}

/** The ignore file that hides a folder, if one does; a deeper file's word stands over a shallower one's. */
export function ignoredBy(rules: IgnoreRules | undefined, folder: string): string | undefined {
  for (let current = rules; current !== undefined; current = current.outer) {
    const relative = current.base === "" ? folder : folder.slice(current.base.length + 1);
    const verdict = current.matcher.test(`${relative}/`);
    if (verdict.ignored) return current.file;
    if (verdict.unignored) return undefined;
  }
  return undefined;
}

let createMatcherOnce: ((options: Options) => Ignore) | undefined;

// Loaded when the first ignore file turns up: most roots have none, and start-up time is everybody's.
function createMatcher(): Ignore {
  createMatcherOnce ??= createRequire(import.meta.url)("ignore") as (options: Options) => Ignore;
  // As git does by default on systems whose file names have case.
  return createMatcherOnce({ ignorecase: process.platform === "win32" || process.platform === "darwin" });
}

function readRules(path: string): string {
  return withRegularFile(path, ({ descriptor, stats }) => {
    if (stats.size > MAX_IGNORE_BYTES)
      throw new SkilletError("file-too-large", `It is larger than ${MAX_IGNORE_BYTES} bytes.`, {
        data: { path },
      });
    const buffer = Buffer.alloc(stats.size);
    return buffer.toString("utf8", 0, readInto(descriptor, buffer));
  });
}
