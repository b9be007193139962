import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "./random.ts";
import { NOUNS, VERBS } from "./words.ts";
import type { BodyPieces } from "./write-body.ts";

/** Gives a skill one or two of `scripts/` and `references/` with up to three small files each. */
export function writeResources(
  random: Random,
  options: { readonly directory: string; readonly pieces: BodyPieces },
): void {
  const form = random.next();
  if (form < 0.66) writeScripts(random, join(options.directory, "scripts"));
  if (form > 0.33) writeReferences(random, join(options.directory, "references"), options.pieces);
}

function writeScripts(random: Random, directory: string): void {
  mkdirSync(directory);
  for (let index = random.between(1, 3); index > 0; index--) {
    const path = join(directory, `${random.pick(VERBS)}-${index}.sh`);
    writeFileSync(path, `#!/bin/sh\nset -eu\nprintf '%s\\n' "${random.pick(NOUNS)}"\n`, { mode: 0o755 });
  }
}

function writeReferences(random: Random, directory: string, pieces: BodyPieces): void {
  mkdirSync(directory);
  for (let index = random.between(1, 3); index > 0; index--) {
    writeFileSync(join(directory, `${random.pick(NOUNS)}-${index}.md`), random.pick(pieces.ascii));
  }
}
