import type { SourceText } from "../../text/source-text.ts";
import type { Siblings } from "../siblings.ts";

/** The file of the skill that an import means, if it is one of the skill's own. */
export function resolveModule(
  siblings: Siblings,
  specifier: string,
  from: string,
  language: "python" | "javascript",
): SourceText | undefined {
  const paths = language === "python" ? pythonPaths(specifier, from) : javascriptPaths(specifier, from);
  for (const path of paths) {
    const source = path === from ? undefined : siblings.source(path);
    if (source !== undefined) return source;
  }
  return undefined;
}

/** A file of the skill's own by the path under which a program opens it. */
export function resolveData(siblings: Siblings, path: string, from: string): SourceText | undefined {
  if (path === "" || path.length > 300 || /^(?:[~/\\*]|[A-Za-z]:)/.test(path)) return undefined;
  const plain = normalise(path);
  if (plain === undefined || plain === "") return undefined;
  const near = siblings.source(joinFolder(folderOf(from), plain)) ?? siblings.source(plain);
  if (near !== undefined) return near;
  // `Path(__file__).parent.parent / "data" / "config.json"`: which folder it starts from is not known.
  const name = siblings.named(plain.slice(plain.lastIndexOf("/") + 1));
  return name === undefined || !`/${name}`.endsWith(`/${plain}`) ? undefined : siblings.source(name);
}

function pythonPaths(specifier: string, from: string): readonly string[] {
  const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
  const name = specifier.slice(dots).replaceAll(".", "/");
  if (name === "" || name.length > 200) return [];
  let folder = folderOf(from);
  for (let up = 1; up < dots; up++) folder = folderOf(folder);
  const folders = dots > 0 ? [folder] : [...ancestorsOf(folder), "scripts", "src", "lib"];
  return folders.flatMap((place) => [
    joinFolder(place, `${name}.py`),
    joinFolder(place, `${name}/__init__.py`),
  ]);
}

function javascriptPaths(specifier: string, from: string): readonly string[] {
  if (!/^\.\.?\//.test(specifier) || specifier.length > 200) return [];
  const path = normalise(joinFolder(folderOf(from), specifier));
  if (path === undefined) return [];
  // TypeScript names the file that it will become.
  const stem = path.replace(/\.([cm]?)js$/, ".$1ts");
  return [path, stem, ...SUFFIXES.map((suffix) => `${path}${suffix}`)];
}

const SUFFIXES = [".js", ".ts", ".mjs", ".cjs", ".tsx", ".json", "/index.js", "/index.ts", "/index.mjs"];

function folderOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end === -1 ? "" : path.slice(0, end);
}

function ancestorsOf(folder: string): readonly string[] {
  const folders = [folder];
  for (let place = folder; place !== "" && folders.length < 6; ) {
    place = folderOf(place);
    folders.push(place);
  }
  return folders;
}

function joinFolder(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`;
}

/** Without `.` and `..`; undefined where it leaves the skill. */
function normalise(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}
