import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const PACKAGES = join(import.meta.dirname, "../packages");

/** Stands for what core's parser does with a file: its source and the YAML library's version. */
export function codeIdentity(): string {
  return identityOf(["kit", "shell", "core"], ["yaml"]);
}

/** Stands for what the scanner says of a skill: its source, and the versions of everything that it reads with. */
export function ruleSet(): string {
  const { dependencies } = JSON.parse(readFileSync(join(PACKAGES, "scan/package.json"), "utf8"));
  const libraries = Object.keys(dependencies).filter((name) => !name.startsWith("@skillet/"));
  return identityOf(["kit", "shell", "scan"], [...libraries, "unbash"]).slice(0, RULE_SET_DIGITS);
}

const RULE_SET_DIGITS = 16;

/** Of some packages, and of libraries that the last of them depends on. */
function identityOf(packages: readonly string[], libraries: readonly string[]): string {
  const sum = createHash("sha256");
  for (const name of packages) {
    const folder = join(PACKAGES, name, "src");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("testing/"))
      .sort();
    for (const file of files) sum.update(`${file}\0`).update(readFileSync(join(folder, file)));
  }
  for (const library of libraries) sum.update(versionOf(join(PACKAGES, packages.at(-1) ?? ""), library));
  return sum.digest("hex");
}

// Not every package lets its package.json be required, and it need not lie in the package's own folder.
function versionOf(folder: string, library: string): string {
  for (const path of createRequire(join(folder, "package.json")).resolve.paths(library) ?? []) {
    try {
      return JSON.parse(readFileSync(join(path, library, "package.json"), "utf8")).version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  throw new Error(`${library} is not installed; run npm ci`);
}
