import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A file's text, or a link, or a file with a mode. */
export type TreeContent =
  | string
  | { readonly link: string }
  | { readonly text: string; readonly mode: number };

/** Writes a tree of files for a test; paths are relative, folders come by themselves. */
export function writeTree(root: string, tree: Readonly<Record<string, TreeContent>>): string {
  mkdirSync(root, { recursive: true });
  for (const [path, content] of Object.entries(tree)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === "string") writeFileSync(file, content);
    else if ("link" in content) symlinkSync(content.link, file);
    else {
      writeFileSync(file, content.text);
      chmodSync(file, content.mode);
    }
  }
  return root;
}

/** The text of a small valid skill. */
export function skillText(name: string, description = `Does ${name}.`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nInstructions.\n`;
}
