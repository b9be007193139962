import type { Language } from "../../file/file-kind.ts";
import { guessLanguage } from "../../file/guess-language.ts";
import { wordTable } from "../../word-list.ts";

export function fenceLanguage(info: string, text: string): Language {
  const name = /^[\s{.]{0,4}([A-Za-z0-9+#_-]{1,30})/.exec(info)?.[1]?.toLowerCase();
  const named = name === undefined ? undefined : LANGUAGES.get(name);
  // Nothing keeps a command out of a block that calls itself text.
  return named ?? guessLanguage(text);
}

// Every line of a patch begins with a mark that is none of its language's.
const LANGUAGES: ReadonlyMap<string, Language> = wordTable<Language>(`
  markdown markdown md mdx
  text diff patch
  shell bash sh shell zsh ksh fish console terminal shellsession sh-session shell-session session cmdline commandline command
  powershell powershell pwsh ps1 ps posh
  batch bat batch cmd dos
  python python py python3 py3 pycon ipython sage
  javascript javascript js jsx node mjs cjs
  typescript typescript ts tsx mts cts deno
  json json jsonc json5 jsonl
  yaml yaml yml
  toml toml
  ini ini conf cfg properties dotenv env systemd
  html html htm xhtml vue svelte
  svg svg
  xml xml plist xsl
  dockerfile dockerfile docker containerfile
  makefile makefile make mk
  css css scss sass less
  csv csv tsv
  code ruby rb perl pl php go golang lua applescript osascript rust rs java kotlin kt swift c cpp c++ csharp cs c# scala r julia sql graphql haskell elixir clojure dart groovy terraform hcl nix vim lisp
`);
