/** What a file is, by its magic bytes and first line before its name. */
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

/** What a text is written in; `text` where nobody knows. */
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
  /** Ruby, Perl, PHP, Go, Lua, AppleScript and the like: read as text with code in it. */
  | "code"
  | "text";
