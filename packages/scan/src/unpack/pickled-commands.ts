import { isCommandLine } from "../analyse/data/command-shape.ts";
import type { SkillFile } from "../file/skill-file.ts";
import { printableStrings } from "./printable-strings.ts";
import { memberOf } from "./unpacked.ts";

/** The commands in a pickle that calls a function which runs some when it is loaded. */
export function pickledCommands(file: SkillFile): SkillFile[] {
  const isPickle = file.bytes[0] === 0x80 && (file.bytes[1] ?? 9) <= 5;
  if (!isPickle) return [];
  const raw = Buffer.from(file.bytes.subarray(0, MAX_SEARCHED_BYTES)).toString("latin1");
  if (!CALLED.test(raw)) return [];
  const strings = printableStrings(file.bytes, { minimum: 8 }).split("\n");
  // A string is written with its length before it, which may be a printable character too.
  const commands = strings.flatMap((text) =>
    [text, text.slice(1)].filter((candidate) => isCommandLine(candidate)).slice(0, 1),
  );
  return commands.length === 0 ? [] : [memberOf(file, "command.sh", Buffer.from(commands.join("\n")))];
}

const MAX_SEARCHED_BYTES = 1024 * 1024;
/** A module and a function of it, a few bytes of the format between them. */
const CALLED =
  /\b(?:os|posix|nt|subprocess|commands|pty)\b[^a-z]{1,16}(?:system|popen|Popen|call|check_call|check_output|run|spawn|exec[lv]?|getoutput)\b/;
