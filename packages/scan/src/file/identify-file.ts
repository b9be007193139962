import { decodeText, wideEncodingOf } from "./decode-text.ts";
import { type FileKind, isLanguage, type Language } from "./file-kind.ts";
import { guessLanguage } from "./guess-language.ts";
import { kindByName } from "./kind-by-name.ts";
import { magicOf } from "./magic.ts";
import { shebangLanguage } from "./shebang.ts";
import type { SkillFile } from "./skill-file.ts";

/** Says what a file is: by mode and signature, then by its `#!` line, then by its name, then by what its text looks like. */
export function identifyFile(file: SkillFile): FileKind {
  if (file.mode === "120000") return "link";
  if (file.bytes.length === 0) return "empty";
  const named = kindByName(file.path);
  const magic = magicOf(file.bytes);
  // A text that merely begins like an image is still text to anyone who loads it by name.
  if (magic !== undefined && !(named !== undefined && isLanguage(named) && looksLikeText(file.bytes)))
    return magic.format === "zip" ? zipKind(file) : magic.kind;
  const head = decodeText(file.bytes.subarray(0, HEAD_BYTES)).text;
  const shebang = shebangLanguage(head);
  if (shebang !== undefined && (named === undefined || !isDocument(named))) return shebang;
  if (named !== undefined && isLanguage(named)) return named === "text" ? textKind(head) : named;
  if (!looksLikeText(file.bytes)) return named ?? "binary";
  return guessLanguage(head);
}

export function looksLikeText(bytes: Uint8Array): boolean {
  if (wideEncodingOf(bytes) !== undefined) return true;
  const sample = bytes.subarray(0, HEAD_BYTES);
  let odd = 0;
  for (const byte of sample) {
    if (byte === 0) odd += 8;
    else if (byte < 32 && !(byte >= 7 && byte <= 13) && byte !== 27) odd++;
    else if (byte === 0x7f) odd++;
  }
  if (odd * 20 > sample.length) return false;
  const replaced = decodeText(sample).text.split("\ufffd").length - 1;
  return replaced * 10 <= sample.length;
}

const HEAD_BYTES = 4096;

// A document may open with a shebang as a specimen; its own loader reads it as a document all the same.
function isDocument(kind: FileKind): boolean {
  return kind === "markdown" || kind === "html" || kind === "json" || kind === "yaml";
}

function zipKind(file: SkillFile): FileKind {
  if (kindByName(file.path) === "office") return "office";
  const head = Buffer.from(file.bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const isOffice =
    (head.includes("[Content_Types].xml") && /word\/|xl\/|ppt\//.test(head)) ||
    head.includes("mimetypeapplication/");
  return isOffice ? "office" : "archive";
}

// `.txt`, `.example`, `LICENSE`: the name says text, and a program under such a name is one all the same.
function textKind(head: string): Language {
  const guessed = guessLanguage(head);
  return guessed === "shell" || guessed === "python" || guessed === "powershell" || guessed === "batch"
    ? guessed
    : "text";
}
