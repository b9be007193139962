import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

// As many as the kernel follows.
const MAX_LINKS = 40;

/**
 * Every file and folder that is passed on the way to a path, links and what they lead to; the last is the path without
 * links. Throws what the file system throws.
 */
export function pathTrail(path: string): readonly string[] {
  const trail: string[] = [];
  const rest = resolve(path).split("/").filter(Boolean);
  let place = "/";
  for (let links = 0, part = rest.shift(); part !== undefined; part = rest.shift()) {
    place = part === ".." ? dirname(place) : join(place, part);
    trail.push(place);
    if (!lstatSync(place).isSymbolicLink()) continue;
    links += 1;
    if (links > MAX_LINKS) throw Object.assign(new Error(`Too many links: ${path}`), { code: "ELOOP" });
    const target = readlinkSync(place);
    place = target.startsWith("/") ? "/" : dirname(place);
    rest.unshift(...target.split("/").filter((name) => name !== "" && name !== "."));
  }
  return trail;
}
