import type { Fact } from "../fact/fact.ts";
import type { FileKind } from "../file/file-kind.ts";
import { isLanguage } from "../file/is-language.ts";
import { kindByName, suffixOf } from "../file/kind-by-name.ts";
import { magicOf } from "../file/magic.ts";
import type { SkillFile } from "../file/skill-file.ts";
import { phrases } from "../word-list.ts";
import { anomalyOf } from "./unpacked.ts";

/** What a file's name hides: a second suffix, a direction override, or bytes of another kind than the name says. */
export function nameFacts(file: SkillFile, kind: FileKind): Fact[] {
  const facts: Fact[] = [];
  const name = file.path.slice(file.path.lastIndexOf("/") + 1);
  if (/[\u202a-\u202e\u2066-\u2069]/.test(file.path))
    facts.push(anomalyOf(file, "bidi-override", "the name has a direction control"));
  const match = DOUBLE.exec(name);
  if (match !== null) facts.push(anomalyOf(file, "double-extension", `${match[1]} before ${match[2]}`));
  const mismatch = mismatchOf(file, kind);
  if (mismatch !== undefined) facts.push(anomalyOf(file, "magic-mismatch", mismatch));
  return facts;
}

// A suffix that people open, then one that runs. `index.html.js`, `data.json.py` and `a.txt.sh` are how tools name templates and outputs.
const DOUBLE =
  /\.(pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|mp[34]|zip|rtf|csv)[\s._]{0,200}\.(exe|scr|com|pif|bat|cmd|vbs|js|jse|hta|ps1|lnk|msi|jar|command|app|sh|py)$/i;

function mismatchOf(file: SkillFile, kind: FileKind): string | undefined {
  if (kind === "link" || kind === "empty") return undefined;
  const named = kindByName(file.path);
  if (named === undefined || named === kind) return undefined;
  const magic = magicOf(file.bytes);
  if (magic === undefined) {
    // An image that is a script: the name says picture, the bytes are text.
    const isPicture = named === "image" || named === "media" || named === "font" || named === "pdf";
    return isPicture && isLanguage(kind) && kind !== "text" && kind !== "svg" && kind !== "html"
      ? `the name says ${named}, the content is ${kind}`
      : undefined;
  }
  if (SAME_FAMILY.has(`${named} ${kind}`)) return undefined;
  return `the name says .${suffixOf(file.path)}, the bytes are ${magic.format}`;
}

const SAME_FAMILY: ReadonlySet<string> = new Set(
  phrases(`
    archive office, office archive, executable archive, archive executable, image media, media image,
    binary archive, binary office, executable office, executable bytecode, font image, image font,
    text office, text pdf, typescript media, pdf office, binary bytecode, binary executable
  `),
);
