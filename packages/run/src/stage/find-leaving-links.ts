// As Linux does.
const MAX_HOPS = 40;
const MAX_TARGET_BYTES = 4095;
// Of all links together: chains of long targets would otherwise multiply.
const MAX_STEPS = 1_000_000;

/**
 * Finds the links of a tree that lead out of it, with the reason; keys are paths, values the texts of their targets.
 *
 * Each is followed as the kernel would, through the tree's other links: `..` behind a link counts from where that link
 * leads, so a target that looks harmless as text can still lead out.
 */
export function findLeavingLinks(links: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const leaving = new Map<string, string>();
  const budget = { steps: MAX_STEPS };
  for (const path of links.keys()) {
    const fault = follow(path, links, budget);
    if (fault !== undefined) leaving.set(path, fault);
  }
  return leaving;
}

function follow(
  path: string,
  links: ReadonlyMap<string, string>,
  budget: { steps: number },
): string | undefined {
  const place: string[] = [];
  // The parts still to be walked, the next one last.
  const ahead = path.split("/").reverse();
  for (let hops = 0; ; ) {
    const part = ahead.pop();
    if (part === undefined) return undefined;
    if (--budget.steps < 0) return "belongs to a tangle of links that is too large to follow";
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (place.pop() === undefined) return "leads out of the skill";
      continue;
    }
    place.push(part);
    const target = links.get(place.join("/"));
    if (target === undefined) continue;
    const fault = faultOfTarget(target);
    if (fault !== undefined) return fault;
    if (++hops > MAX_HOPS) return `leads through more than ${MAX_HOPS} links`;
    place.pop();
    ahead.push(...target.split("/").reverse());
  }
}

function faultOfTarget(target: string): string | undefined {
  if (target === "" || target.includes("\0")) return "has no target";
  if (Buffer.byteLength(target) > MAX_TARGET_BYTES) return `is longer than ${MAX_TARGET_BYTES} bytes`;
  return target.startsWith("/") ? "leads to an absolute path" : undefined;
}
