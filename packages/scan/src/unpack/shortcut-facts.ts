import type { Fact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";
import { anomalyOf } from "./unpacked.ts";

/** What a shortcut in text leads to: one on another machine hands over the user's password hash when its folder is merely looked at. */
export function shortcutFacts(file: SkillFile, suffix: string): Fact[] {
  if (!SHORTCUTS.has(suffix)) return [];
  const text = Buffer.from(file.bytes.subarray(0, MAX_BYTES)).toString("latin1");
  const target = OTHER_MACHINE.exec(text)?.[0];
  return target === undefined ? [] : [anomalyOf(file, "shortcut", `it leads to another machine (${target})`)];
}

const MAX_BYTES = 64 * 1024;
const SHORTCUTS: ReadonlySet<string> = new Set(["url", "scf", "library-ms", "searchconnector-ms", "theme"]);
const OTHER_MACHINE = /(?:\\\\|file:\/\/)(?!localhost|\?)[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}/i;
