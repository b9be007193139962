import { createRequire } from "node:module";
import { join } from "node:path";
import type { Ignore } from "ignore";
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

/** Adds the rules of a folder's ignore files to those of the folders above it. */
export function extendRules(options: {
  readonly absolute: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly outer: IgnoreRules | undefined;
}): IgnoreRules | undefined {
  let rules = options.outer;
  for (const file of IGNORE_FILES) {
    if (!options.files.includes(file)) continue;
    const matcher = createMatcher();
    matcher.add(readRules(join(options.absolute, file)));
    rules = {
      base: options.path,
      file: options.path === "" ? file : `${options.path}/${file}`,
      matcher,
      outer: rules,
    };
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

let createMatcherOnce: (() => Ignore) | undefined;

// Loaded when the first ignore file turns up: most roots have none, and start-up time is everybody's.
function createMatcher(): Ignore {
  createMatcherOnce ??= createRequire(import.meta.url)("ignore") as () => Ignore;
  return createMatcherOnce();
}

function readRules(path: string): string {
  return withRegularFile(path, ({ descriptor, stats }) => {
    const buffer = Buffer.allocUnsafe(Math.min(stats.size, MAX_IGNORE_BYTES));
    return buffer.toString("utf8", 0, readInto(descriptor, buffer));
  });
}
