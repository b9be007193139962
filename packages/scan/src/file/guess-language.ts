import { parseJson } from "@skillet/kit/json";
import { isKnownProgram } from "@skillet/shell";
import { wordTable } from "../word-list.ts";
import type { Language } from "./file-kind.ts";

export function guessLanguage(text: string): Language {
  const head = text.slice(0, SAMPLE_CHARACTERS);
  const shebang = shebangLanguage(head);
  if (shebang !== undefined) return shebang;
  const start = head.trimStart();
  if (/^(?:<!doctype html|<html|<script|<head|<body|<iframe|<img\s)/i.test(start)) return "html";
  if (/^(?:<\?xml[^>]{0,200}>\s{0,50})?<svg[\s>]/i.test(start)) return "svg";
  if (start.startsWith("<?xml")) return "xml";
  if (/^[{[]/.test(start) && looksLikeJson(text)) return "json";
  if (/^---\r?\n/.test(start) && /^(?:name|description)\s?:/m.test(start)) return "markdown";
  const lines = start
    .split(/[\r\n]+/, MAX_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  for (const { language, line, share } of CUES) {
    const count = lines.filter((text) => line.test(text)).length;
    if (count > 0 && count >= share * lines.length) return language;
  }
  return "text";
}

const SAMPLE_CHARACTERS = 8_192;
const MAX_LINES = 200;
const MAX_JSON_CHARACTERS = 64 * 1024;

function looksLikeJson(text: string): boolean {
  if (text.length > MAX_JSON_CHARACTERS) return /^\s{0,200}[{[]\s{0,200}["{[\d]/.test(text);
  return parseJson(text) !== undefined;
}

interface Cue {
  readonly language: Language;
  readonly line: Pick<RegExp, "test">;
  /** The share of lines that must begin so: a manual that shows one command is not a script. */
  readonly share: number;
}

/** In this order, as cues of PowerShell and Python are rarer in the other languages than the reverse. */
const CUES: readonly Cue[] = [
  {
    language: "batch",
    line: /^@?(?:echo off|setlocal|set \w+=|rem\s|reg add |start \/|goto \w|if (?:not )?exist )|%~dp0|%(?:temp|appdata|userprofile)%/i,
    share: 0.2,
  },
  {
    language: "powershell",
    line: /\b(?:invoke-(?:expression|webrequest|restmethod|command)|new-object\s+(?:system\.)?net|start-process|set-executionpolicy|get-content|get-childitem|out-null|write-host|frombase64string|iex\s{0,9}\(|iwr\s+-?\w*:?\/{0,2}|irm\s+http)|\|\s{0,9}iex\b|\$env:\w|\[system\.|^\$\w+\s{0,9}=|^powershell(?:\.exe)?\s+-/i,
    share: 0.2,
  },
  // A call of an agent's own tool: the text that it writes is in the lines that follow.
  { language: "python", line: /^(?:write|create|edit|save|append|overwrite)_(?:to_)?file\(/, share: 0 },
  {
    language: "python",
    line: /^(?:import [a-z_][\w.]*(?:,|;|$| as \w+)|from [\w.]+ import \S|(?:async )?def \w+\(|class \w+[^:{]{0,80}:$|if __name__ ?==|print\(|exec\(|eval\(compile|with open\(|for \w+ in [^{]{1,80}:|@\w+[\w.]*\(?)|__import__\(|\bsubprocess\.\w|\burllib\.request|\brequests\.(?:get|post)\(|\bos\.(?:system|popen|environ)\b/,
    share: 0.12,
  },
  {
    language: "javascript",
    line: /^(?:(?:const|let|var) [\w{[$]|(?:async )?function\*? ?\w*\(|import .{0,200}from ['"]|import ['"]|export (?:default|const|function|class|async)|module\.exports|\(\(\)\s{0,9}=>|\(function\b|console\.\w+\(|await fetch\()|\brequire\(['"]|\bprocess\.env\b|\bdocument\.(?:cookie|write|body)|\beval\(atob\(|\bnew Function\(/,
    share: 0.12,
  },
  { language: "shell", line: { test: isCommand }, share: 0.3 },
];

/** A known program with arguments typical of a command line, or a line that is shell in no other language. */
function isCommand(line: string): boolean {
  const [, program = "", rest = ""] = STARTED.exec(line) ?? [];
  return SHELL.test(line) || (ARGUMENTS.test(rest) && isKnownProgram(program));
}

const STARTED = /^(?:[$%]\s+)?(?:sudo\s+)?(?:\/\S{1,20}\/)?([a-z][\w.+-]{1,30})\s+(\S.*)$/;
const ARGUMENTS = /^(?:-|["'$/~.<(]|https?:|\S+\s{0,9}[|>])|\$\([a-z]|\s[<|]\s?[a-z~/]/;
const SHELL =
  /^(?:sudo\s+)?(?:(?:curl|wget|chmod|chown|mkdir|base64|nohup|crontab|launchctl|systemctl|osascript|xattr|apt-get|npx|pip3?|printf|unzip|ssh|scp)\s+\S|export \w+=|\w+=\$\(|if \[|fi$|done$|esac$|for \w+ in .{1,80}; ?do|while .{1,80}; ?do)|\|\s{0,9}(?:sudo\s+)?(?:ba|z|k|da)?sh\b|\$\((?:curl|wget|echo|printf|cat)\s|>\s?\/dev\/tcp\//;

/** The language that a text's `#!` line asks for; undefined if there is none, `code` for interpreters that are not distinguished. */
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

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

export function languageOf(program: string): Language {
  const name = baseName(program)
    .toLowerCase()
    .replace(/\.exe$|-?[\d.]+$/g, "");
  return LANGUAGE_BY_PROGRAM.get(name) ?? "code";
}

const LANGUAGE_BY_PROGRAM: ReadonlyMap<string, Language> = wordTable<Language>(`
  shell sh bash zsh fish ksh mksh dash ash csh tcsh rbash busybox bats source
  python python pypy uv uvx ipython micropython pipx
  javascript node nodejs bun bunx zx osascript-js qjs gjs
  typescript deno tsx ts-node
  powershell pwsh powershell
  makefile make
`);
