import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type MarkdownBlock, markdownBlocks } from "./markdown-blocks.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A page of the documentation. */
export interface Page {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly MarkdownBlock[];
}

/** The absolute path of something in the repository. */
export function repositoryPath(path: string): string {
  return join(ROOT, path);
}

/** Every page of `docs/` and at the repository's root, in order of path. */
export function readPages(): readonly Page[] {
  const atRoot = readdirSync(ROOT).filter((name) => name.endsWith(".md"));
  const inDocs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`);
  return [...atRoot, ...inDocs].sort().map(readPage);
}

function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), "utf8");
  try {
    return { path, text, blocks: markdownBlocks(text) };
  } catch (error) {
    throw new SyntaxError(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
