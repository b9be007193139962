import type { Program, QuietProgram } from "../model/call.ts";
import { EMPTY, UNKNOWN } from "../model/value.ts";
import type { Column } from "../table/program-row.ts";
import { Options } from "../table/split-options.ts";

const remove: QuietProgram = (call, shell) => {
  const { program, words } = call;
  const isWindows = WINDOWS.test(program);
  const options = new Options(isWindows ? words.filter(({ text }) => !/^\/[a-z]$/i.test(text)) : words);
  const recursive =
    options.has("-r -R --recursive -d -recurse") || program === "shred" || (isWindows && call.has(/^\/s$/i));
  if (options.has("--no-preserve-root"))
    shell.effect({ type: "destroy", what: "root", detail: `${program} --no-preserve-root` });
  for (const { text } of options.operands) {
    const detail = `${program} ${text}`;
    const what = recursive ? wideTarget(shell.files.resolve(text)) : undefined;
    if (what !== undefined) shell.effect({ type: "destroy", what, detail });
    else if (/^\/dev\/(?:r?disk|sd|hd|nvme|vd)/.test(text))
      shell.effect({ type: "destroy", what: "disk", detail });
    else if (/(?:^|\/)\.(?:bash|zsh)_history$/.test(text))
      shell.effect({ type: "disable-protection", what: "history", detail });
    else if (LOGS.test(text)) shell.effect({ type: "disable-protection", what: "logging", detail });
    else if (GUARDS.test(text)) shell.effect({ type: "disable-protection", what: "review", detail });
    else if (/^(?:shred|srm)$/.test(program)) shell.effect({ type: "destroy", what: "files", detail });
    if (text !== "") shell.effect({ type: "delete", path: text, recursive });
  }
};

const GUARDS = /(?:^|\/)(?:codeowners|dependabot\.ya?ml)$/i;
const WINDOWS = /^(?:del|erase|rd|rmdir|remove-item|ri)$/;
const LOGS =
  /^\/var\/log(?:\/(?:\*|auth\.log|secure|syslog|messages|wtmp|btmp|lastlog|audit|journal)\S{0,40})?\/?$/;

const database: Program = ({ program, joined, input }, shell) => {
  const match = DROPS.exec(`${joined} ${input?.text ?? ""}`.slice(0, 20_000));
  if (match !== null) shell.effect({ type: "destroy", what: "database", detail: `${program}: ${match[0]}` });
  return UNKNOWN;
};

const DROPS =
  /\bdrop\s{1,10}(?:database|schema)\s{1,10}[^\s;'"]{1,100}|\btruncate\s{1,10}table\s{1,10}[^\s;]{1,100}|\bdropDatabase\(\)|\bflushall\b/i;

export const DESTROYERS: Column<Program | QuietProgram> = {
  "rm shred srm unlink rimraf del erase rd rmdir remove-item ri": remove,
  truncate: ({ operands, detail }, shell) => {
    const what = operands.map(({ text }) => wideTarget(text)).find((found) => found !== undefined);
    if (what !== undefined) shell.effect({ type: "destroy", what, detail });
  },
  trash: () => EMPTY,
  "mysql mariadb psql sqlite3 mongo mongosh redis-cli sqlcmd clickhouse-client": database,
};

/** What kind of large target a path is: a whole home, the root, or a system folder. */
export function wideTarget(path: string): "home" | "root" | undefined {
  const plain = path.replaceAll("\\", "/").replace(/\/{2,}/g, "/");
  if (HOME.test(plain)) return "home";
  return ROOT.test(plain) ? "root" : undefined;
}

/** The same for a search pattern below a folder: whatever the names, its files are deleted. */
export function wideSelection(path: string): "home" | "root" | undefined {
  const place = path.replace(/(?:\/\*{1,2})*\/[\w.-]*\*[\w.*-]*$/, "").replace(/(?:\/\*{1,2})+$/, "");
  return place === path || JUNK.test(path) ? undefined : wideTarget(place === "" ? "/" : place);
}

const JUNK =
  /\.(?:pyc|pyo|log|tmp|temp|swp|bak|cache|o|class|DS_Store)$|~$|__pycache__|node_modules|Thumbs\.db|\.DS_Store|desktop\.ini/i;

const HOME =
  /^(?:~|\/root|\/home(?:\/[\w.*-]{1,40})?|\/Users(?:\/[\w.*-]{1,40})?|[A-Za-z]:\/Users(?:\/[\w.*-]{1,40})?)(?:\/(?:\*|\.\*|\.\[!\.\]\*|\{\*,\.\*\}|Documents|Desktop|Pictures|Photos|Music|Movies|Videos|Library|Dropbox|OneDrive)?)?(?:\/\*)?$/;
const ROOT =
  /^(?:\/|\/\*|\/\.|\/(?:etc|usr|var|bin|sbin|lib|boot|opt|System|Library|Applications|home|Users)(?:\/\*?)?|[A-Za-z]:\/?\*?|[A-Za-z]:\/Windows(?:\/\S{0,40})?)$/;
