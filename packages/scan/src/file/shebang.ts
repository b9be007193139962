import { wordTable } from "../word-list.ts";
import type { Language } from "./file-kind.ts";

/** The language that the `#!` line of a text asks for; undefined where there is none, `code` for interpreters that are not told apart. */
export function shebangLanguage(text: string): Language | undefined {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (!text.startsWith("#!", start)) return undefined;
  const end = text.indexOf("\n", start);
  const line = text.slice(
    start + 2,
    end === -1 ? start + MAX_SHEBANG_CHARACTERS : Math.min(end, start + MAX_SHEBANG_CHARACTERS),
  );
  const words = line.trim().split(/\s+/);
  let index = 0;
  if (baseName(words[0] ?? "") === "env") {
    index = 1;
    // `env -S "A=1 python3 -u"`: options, then assignments, then the program.
    while (index < words.length && /^(?:-|[A-Za-z_]\w*=)/.test(unquote(words[index] ?? ""))) {
      const word = words[index] ?? "";
      const joined = /^(?:-S|--split-string=)(.+)$/.exec(word)?.[1];
      if (joined !== undefined && !/^-|=/.test(unquote(joined))) return languageOf(unquote(joined));
      index += word === "-u" || word === "-C" ? 2 : 1;
    }
  }
  return languageOf(unquote(words[index] ?? ""));
}

// The kernel reads no more than 256.
const MAX_SHEBANG_CHARACTERS = 256;

function unquote(word: string): string {
  return word.replace(/^["']|["']$/g, "");
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

function languageOf(program: string): Language {
  const name = baseName(program)
    .toLowerCase()
    .replace(/\.exe$/, "")
    .replace(/[\d.]+$/, "")
    .replace(/-$/, "");
  return LANGUAGE_BY_PROGRAM.get(name) ?? "code";
}

const LANGUAGE_BY_PROGRAM: ReadonlyMap<string, Language> = wordTable<Language>(`
  shell sh bash zsh fish ksh mksh dash ash csh tcsh rbash busybox bats
  python python pypy uv uvx ipython micropython pipx
  javascript node nodejs bun bunx zx osascript-js qjs gjs
  typescript deno tsx ts-node
  powershell pwsh powershell
  makefile make
`);
