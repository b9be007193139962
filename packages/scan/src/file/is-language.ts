import type { FileKind, Language } from "./file-kind.ts";

export function isLanguage(kind: FileKind): kind is Language {
  return !NO_TEXT.has(kind);
}

const NO_TEXT: ReadonlySet<FileKind> = new Set<FileKind>([
  "archive",
  "office",
  "pdf",
  "image",
  "media",
  "font",
  "executable",
  "bytecode",
  "shortcut",
  "link",
  "empty",
  "binary",
]);
