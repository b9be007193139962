import type { SourceFile } from "../source/skill-source.ts";

/** The links of a skill that do not plainly lead to one of its own files or folders. */
export function linksBeyond(files: readonly SourceFile[], skillFile: string): readonly SourceFile[] {
  const links = files.filter(({ path, kind }) => kind === "link" && path !== skillFile);
  if (links.length === 0) return [];
  const own = new Set<string>([""]);
  for (const { path, kind } of files) {
    if (kind === "link") continue;
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const known = path.slice(0, end);
      if (own.has(known)) break;
      own.add(known);
    }
  }
  return links.filter(({ path, target = "" }) => {
    const reached = follow(path, target);
    return reached === undefined || !own.has(reached);
  });
}

// By its text alone. Where a link lies on the way this may name what is not there, and then it counts as beyond.
function follow(path: string, target: string): string | undefined {
  if (target.startsWith("/") || target === "") return undefined;
  const steps = path.split("/").slice(0, -1);
  for (const step of target.split("/")) {
    if (step === "" || step === ".") continue;
    if (step !== "..") steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.join("/");
}
