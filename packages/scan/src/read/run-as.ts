import { isLanguage, type Language, type SkillFile } from "../file/file-kind.ts";
import { baseName, languageOf, shebangLanguage } from "../file/guess-language.ts";
import { decodeText, identifyFile } from "../file/identify-file.ts";
import { addTo } from "../word-list.ts";

/** A file that something in the skill runs in a language other than its name says. */
export interface RunAs {
  readonly file: SkillFile;
  readonly language: Language;
}

/** The program that runs a file decides what its text means, so it is read in that language, too. */
export function filesRunAs(files: readonly SkillFile[]): readonly RunAs[] {
  if (files.length < 2) return [];
  const texts = files.flatMap(textOf);
  const byName = indexNames(texts);
  const found = new Map<string, RunAs>();
  const note = ({ file, kind }: TextFile, language: Language): void => {
    if (!isSame(language, kind) && found.size < MAX_FILES)
      found.set(`${language} ${file.path}`, { file, language });
  };
  for (const one of texts) {
    // A document may begin with a shebang as a specimen, but it may also be run by its name.
    const own = shebangLanguage(one.text);
    if (own !== undefined) note(one, own);
    if (!mayName(one.text, byName)) continue;
    for (const [, program, argument, sourced, piped] of one.text.matchAll(RUNNING)) {
      const name = baseName(argument ?? sourced ?? piped ?? "");
      for (const named of byName.get(name) ?? [])
        note(named, languageOf((program ?? "sh").replace(" run", "")));
    }
  }
  return [...found.values()];
}

// If there are few names, most texts contain none of them and need no search for commands.
function mayName(text: string, byName: ReadonlyMap<string, unknown>): boolean {
  if (byName.size > MAX_SOUGHT_NAMES) return true;
  for (const name of byName.keys()) if (text.includes(name)) return true;
  return false;
}

const MAX_SOUGHT_NAMES = 12;

/** Each is read once more; no honest skill comes near. */
const MAX_FILES = 64;
const MAX_NAMESAKES = 4;

const RUNNING = new RegExp(
  [
    // The program, its options and its first argument, on one line: the label of a fence may be `sh`, and the
    // next line is not its argument. Also as a list of arguments.
    String.raw`\b(bash|sh|zsh|dash|ksh|source|python3?|node|deno run|bun|perl|ruby|php|pwsh)(?:["'][ \t]{0,4},|[ \t])[ \t]{0,4}(?:["']?-[\w-]{1,30}["']?(?:[ \t]|,)[ \t]{0,4}){0,4}(?:<[ \t]{0,4})?["']?([\w./~$\{}@-]{1,200})`,
    // A sentence also ends with a full stop, so only a path is accepted after one.
    String.raw`(?<![\w.])\.[ \t]{1,4}["']?([./~$][\w./~$\{}@-]{1,200})`,
    String.raw`\bcat[ \t]{1,4}["']?([\w./~$\{}@-]{1,200})["']?[ \t]{0,4}\|[ \t]{0,4}(?:ba|z|da)?sh\b`,
  ].join("|"),
  "g",
);

interface TextFile {
  readonly file: SkillFile;
  readonly kind: Language;
  readonly text: string;
}

function textOf(file: SkillFile): readonly TextFile[] {
  const kind = identifyFile(file);
  return isLanguage(kind) ? [{ file, kind, text: decodeText(file.bytes).text }] : [];
}

function indexNames(files: readonly TextFile[]): ReadonlyMap<string, readonly TextFile[]> {
  const byName = new Map<string, TextFile[]>();
  for (const one of files) addTo(byName, baseName(one.file.path), one, MAX_NAMESAKES);
  return byName;
}

// The same reader handles both.
function isSame(one: Language, other: Language): boolean {
  const plain = (language: Language): Language => (language === "typescript" ? "javascript" : language);
  return plain(one) === plain(other);
}
