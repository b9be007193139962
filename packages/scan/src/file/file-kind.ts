import type { TreeFile } from "@skillet/core";
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

/** A file of a skill as a scan takes it: `TreeFile` of core, with the reason where its bytes could not be had. */
export interface SkillFile extends TreeFile {
  /** Why `bytes` are not the whole file; such a file is never safe. */
  readonly unread?: string;
}

/** Whether a file was analysed, and if not whole, why. */
export interface FileCoverage {
  /** Relative to the skill; a member of an archive is `archive.zip!/member`. */
  readonly file: string;
  readonly kind: FileKind;
  readonly size: number;
  /** `partly`: something in it could not be parsed, unpacked or decoded; `unread`: nothing was looked at. */
  readonly state: "read" | "partly" | "unread";
  readonly reason?: string;
}
