import { wordSet } from "../word-list.ts";

/** Magic bytes and the first line decide before the name. */
export type FileKind =
  | Language
  | "archive"
  | "office"
  | "pdf"
  | "image"
  | "media"
  | "font"
  | "executable"
  | "bytecode"
  | "shortcut"
  | "link"
  | "empty"
  | "binary";

/** `text` where the language is unknown; Ruby, Perl, PHP, Go, Lua, AppleScript and the like are `code`, read as text with code in it. */
export type Language =
  | "markdown"
  | "shell"
  | "powershell"
  | "batch"
  | "python"
  | "javascript"
  | "typescript"
  | "json"
  | "yaml"
  | "toml"
  | "ini"
  | "html"
  | "svg"
  | "xml"
  | "notebook"
  | "dockerfile"
  | "makefile"
  | "css"
  | "csv"
  | "code"
  | "text";

export function isLanguage(kind: FileKind): kind is Language {
  return !NO_TEXT.has(kind);
}

const NO_TEXT: ReadonlySet<string> = wordSet(`
  archive office pdf image media font executable bytecode shortcut link empty binary
`);
