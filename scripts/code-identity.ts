import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const core = join(import.meta.dirname, "../packages/core");

/** Stands for what core's parser does with a file: its source and the YAML library's version. */
export function codeIdentity(): string {
  const sum = createHash("sha256");
  const files = readdirSync(join(core, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .sort();
  for (const file of files) sum.update(`${file}\0`).update(readFileSync(join(core, "src", file)));
  sum.update(createRequire(join(core, "package.json"))("yaml/package.json").version);
  return sum.digest("hex");
}
