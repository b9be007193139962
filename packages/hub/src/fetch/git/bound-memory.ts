import { existsSync } from "node:fs";

// Not by PATH: it stands before every command. Part of util-linux; other systems than Linux have none.
const PLACES = ["/usr/bin/prlimit", "/bin/prlimit"];

/**
 * A command that can write to no more memory than this, in each of its processes; the command itself where the system has
 * no prlimit.
 *
 * git holds every ref that a server lists, and a server need never stop. Data and not address space is bounded, because
 * git maps packs whole, and because its credential helpers, which inherit this, may reserve far more than they use.
 */
export function boundMemory(
  argv: readonly [program: string, ...args: readonly string[]],
  maxBytes: number,
): readonly [program: string, ...args: readonly string[]] {
  const prlimit = PLACES.find((path) => existsSync(path));
  return prlimit === undefined ? argv : [prlimit, `--data=${maxBytes}:${maxBytes}`, "--", ...argv];
}
