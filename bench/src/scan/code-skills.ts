import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { SkillFile } from "@skillet/scan";
import { readOne } from "./read-files.ts";

/** Code that nobody wrote as a skill, made into one. */
export interface CodeSkill {
  readonly name: string;
  readonly files: () => readonly SkillFile[];
}

const PACKAGE_FILES = /\.(?:[cm]?[jt]sx?|json|sh|bash|md)$/i;
const MAX_FILES = 400;
const MAX_FILE_BYTES = 1024 * 1024;
const SCRIPT = /^#!.{0,60}?\b(?:sh|bash|dash|zsh|python[0-9.]*)\b/;
const PROBED_BYTES = 128;

/** Every npm package in a folder `node_modules`, its nested ones as packages of their own. */
export function npmSkills(folder: string): readonly CodeSkill[] {
  return packageFolders(folder).map((path) => ({
    name: path.slice(folder.length + 1),
    files: () => [synthetic(packageName(path), describePackage(path)), ...packageFiles(path)],
  }));
}

/** Every shell and Python script below folders, each a skill of its own. */
export function scriptSkills(folders: readonly string[]): readonly CodeSkill[] {
  return folders.flatMap((folder) =>
    list(folder)
      .map((name) => join(folder, name))
      .filter(isScript)
      .map((path) => {
        const name = basename(path);
        const description = `Runs ${name}, a script of the operating system.`;
        return { name: path, files: () => [synthetic(name, description), readOne(path, `scripts/${name}`)] };
      }),
  );
}

function packageFolders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .flatMap(({ name }) => {
      const path = join(folder, name);
      if (name.startsWith("@")) return packageFolders(path);
      const nested = join(path, "node_modules");
      const below = lstatSync(nested, { throwIfNoEntry: false })?.isDirectory() ? packageFolders(nested) : [];
      return [path, ...below];
    })
    .sort();
}

function packageFiles(path: string): SkillFile[] {
  return list(path)
    .filter((name) => PACKAGE_FILES.test(name) && !/(?:^|\/)node_modules\//.test(name))
    .filter((name) => isOrdinary(join(path, name)))
    .slice(0, MAX_FILES)
    .map((name) => readOne(join(path, name), name));
}

function packageName(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

function describePackage(path: string): string {
  const file = join(path, "package.json");
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return "A package.";
  const { description } = JSON.parse(readFileSync(file, "utf8")) as { readonly description?: unknown };
  return typeof description === "string" ? description : "A package.";
}

function synthetic(name: string, description: string): SkillFile {
  const plain = JSON.stringify(description.replace(/\s+/g, " "));
  const text = `---\nname: ${name.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase()}\ndescription: ${plain}\n---\n\n# ${name}\n\nUse the files in this folder.\n`;
  return { path: "SKILL.md", mode: "644", bytes: Buffer.from(text) };
}

function list(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return listBelow(folder, "").sort();
}

// Links are not followed: Debian has one that leads to its own folder.
function listBelow(folder: string, prefix: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${prefix}${entry.name}`;
    return entry.isDirectory() ? listBelow(join(folder, entry.name), `${path}/`) : [path];
  });
}

function isScript(path: string): boolean {
  if (!isOrdinary(path)) return false;
  return path.endsWith(".py") || SCRIPT.test(readFileSync(path).subarray(0, PROBED_BYTES).toString("latin1"));
}

function isOrdinary(path: string): boolean {
  const status = lstatSync(path);
  return status.isFile() && status.size <= MAX_FILE_BYTES;
}
