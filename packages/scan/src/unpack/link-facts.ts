import { posix } from "node:path";
import type { Fact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";
import { anomalyOf } from "./unpacked.ts";

/** Says of a link whether it leaves the skill, or the archive that it is in. */
export function linkFacts(file: SkillFile): Fact[] {
  const target = Buffer.from(file.bytes).toString("utf8").replaceAll("\\", "/");
  const inside = file.path.slice(file.path.lastIndexOf("!/") === -1 ? 0 : file.path.lastIndexOf("!/") + 2);
  const isAbsolute = target.startsWith("/") || target.startsWith("~") || /^[A-Za-z]:/.test(target);
  const resolved = posix.normalize(posix.join(posix.dirname(inside), target));
  if (!isAbsolute && resolved !== ".." && !resolved.startsWith("../")) return [];
  return [anomalyOf(file, "escaping-path", `the link leads to ${target.slice(0, 200)}`)];
}
