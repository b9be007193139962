import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { withoutCode } from "./markdown-blocks.ts";
import { type Page, repositoryPath } from "./pages.ts";

/** Links of a page that lead nowhere in the repository, each as `page:line: link: reason`. */
export function brokenLinks(page: Page): string[] {
  const faults: string[] = [];
  for (const [index, line] of withoutCode(page.text).split("\n").entries())
    for (const [, target = ""] of line.matchAll(/\]\(([^)\s]+)\)/g)) {
      const reason = faultOf(page, target);
      if (reason !== undefined) faults.push(`${page.path}:${index + 1}: ${target}: ${reason}`);
    }
  return faults;
}

/** The anchors of a page's headings, as GitHub makes them. */
export function headingAnchors(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const lines = text.split("\n");
  for (const [index, blanked] of withoutCode(text).split("\n").entries()) {
    if (!/^#{1,6} /.test(blanked)) continue;
    const base = (lines[index] ?? "")
      .replace(/^#+ /, "")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-");
    let anchor = base;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${base}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function faultOf(page: Page, target: string): string | undefined {
  if (/^https?:\/\//.test(target)) return undefined;
  if (/^[a-z]+:|^\//.test(target)) return "is neither relative nor a web address";
  const [path = "", anchor] = target.split("#", 2);
  const file = path === "" ? page.path : join(dirname(page.path), decodeURIComponent(path));
  if (file.startsWith("../")) return "leads out of the repository";
  if (file !== page.path && !existsSync(repositoryPath(file))) return "does not exist";
  if (anchor === undefined) return undefined;
  if (file !== page.path && statSync(repositoryPath(file)).isDirectory())
    return "is a folder, which has no headings";
  const anchors = headingAnchors(file === page.path ? page.text : readFileSync(repositoryPath(file), "utf8"));
  return anchors.has(anchor) ? undefined : "has no such heading";
}
