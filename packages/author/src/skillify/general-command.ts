import { canonicalTool, readShell } from "@skillet/core/internal";
import type { JsonObject } from "@skillet/kit/json";
import { textOf } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";

/** One program that a command line ran, in general terms. */
export interface GeneralCommand {
  readonly words: readonly string[];
  /** The program and its subcommand: `git cherry-pick`. */
  readonly key: string;
  /** How many of the words the key takes, so that the rest are options and operands. */
  readonly keyWords: number;
  /** The least entry of `allowed-tools` for it; absent where none would be narrow. */
  readonly rule?: string;
  /** Looks around without changing anything, as every agent does. */
  readonly isLook: boolean;
  /** Tells whether something worked. */
  readonly isCheck: boolean;
}

type Act = ReturnType<typeof readShell>[number];

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** How many words after the program are its subcommand; of others that are not here, one that looks like it. */
const DEPTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    1: "git npm yarn pnpm bun cargo go pip pip3 terraform tofu helm make just systemctl brew apt apt-get composer dotnet flutter mix rails rake bundle poetry uv conda kubectl docker podman vercel netlify fly heroku gradle mvn ./gradlew",
    2: "gh glab aws az",
    3: "gcloud",
  }).flatMap(([depth, names]) => names.split(" ").map((name): [string, number] => [name, Number(depth)])),
);
/** Subcommands that take another word: `npm run build`, `docker compose up`. */
const LONGER = set(
  "run exec compose config rollout remote stash worktree submodule image container volume network workspace tool dlx",
);
const STARTERS = set("npx bunx uvx pnpx");
const NO_SUBCOMMAND = set(
  "cat ls cp mv mkdir touch head tail grep rg sort uniq wc diff sed awk jq tar zip unzip file echo printf find fd createdb dropdb psql mysql sqlite3 ping which type kill open code vim",
);
/** What every agent may do to find its way. */
const LOOKS = set(
  "cat ls pwd cd exit set head tail less more wc which type tree stat file echo printf true sleep date whoami grep rg ag find fd test [ basename dirname realpath readlink sort uniq cut tr tee nproc free df du ps uname id hostname read nvidia-smi",
);
const GIT_LOOKS = /^git (?:status|diff|show|branch|remote|blame|rev-parse)$/;
const GIT_CHANGES = /^(?:-[dDmMcC]|--delete|--move|--copy|--set-upstream-to.*|add|remove|set-url|prune)$/;
/** They run whatever they are given, or cannot be undone: no rule for them is narrow. */
const NEVER = set(
  "sudo su doas dd mkfs shutdown reboot halt eval exec source . bash sh zsh fish dash ksh xargs env export ssh nc ncat socat crontab kill pkill killall",
);
/** With a wildcard after them they could reach anything; exactly as they were run they cannot. */
const EXACT_ONLY = set(
  "rm rmdir chmod chown ln curl wget scp sftp ftp lftp smbclient sqlcmd rsync psql mysql sqlite3 mongosh redis-cli",
);
/** They start anything in a container, or cannot be taken back once others see it. */
const BROAD =
  /^(?:docker|podman|kubectl|oc)(?: compose)? (?:run|exec|delete|cp)\b|^(?:npm|yarn|pnpm|bun) (?:exec|dlx|x)$|^(?:npm|yarn|pnpm|cargo|twine|gem) (?:publish|upload|push)\b|^(?:terraform|tofu|pulumi) (?:apply|destroy)\b|^\w+ ssh\b|^git (?:config|filter-\w+|reset|clean)\b/;
const FORCED = /^(?:--force\S*|--hard|--delete|--mirror|-\w*[fD]|\+\S+|--no-verify|-exec|-execdir|-delete)$/;
const INTERPRETERS = /^(?:python|node|perl|ruby|php|deno|bun|tsx|ts-node)[\d.]*$/;
const CHECK =
  /\b(?:tests?|check|checks|lint|typecheck|tsc|verify|validate|build|pytest|vitest|jest|mocha|clippy|vet|pa11y|lighthouse|markdownlint|eslint|biome|ruff|mypy|smoke|e2e|health|rollout status|status|plan)\b|--version\b|:check\b/;
const SUBCOMMAND = /^[a-z][a-z\d]*(?:[-:][a-z\d]+)*$/;
/** Global options that take a value, before a subcommand. */
const VALUED = set(
  "-C -c -n -H -f --context --namespace --prefix -w --workspace --project --region --profile",
);
const MAX_COMMANDS = 30;

/** The programs that a command line ran, as the shell would; of what is unclear there is nothing. */
export function generaliseCommand(command: string): readonly GeneralCommand[] {
  const found = commandsIn(readShell(command))
    .slice(0, MAX_COMMANDS)
    .map(({ words, isNarrow }) => describe(words, isNarrow));
  // `curl … | sh`: what is fetched is as broad as what runs it.
  const isBroad = found.some(({ rule, isLook }) => rule === undefined && !isLook);
  return isBroad
    ? found.map(({ rule, ...one }) => (rule?.endsWith(":*)") === true ? { ...one, rule } : one))
    : found;
}

function commandsIn(
  acts: readonly Act[],
  isNarrow = true,
): readonly { readonly words: readonly string[]; readonly isNarrow: boolean }[] {
  return acts.flatMap((act) => {
    if (act.kind !== "command") return [];
    const words = act.words.map((word) => (word.kind === "known" ? word.value : word.text));
    if (act.runs?.isTransparent === true) return commandsIn(act.runs.acts, isNarrow);
    // `npx` and `uv run` start one program, which the key names.
    return [{ words, isNarrow: isNarrow && act.words[0]?.kind === "known" }];
  });
}

function describe(words: readonly string[], isNarrow: boolean): GeneralCommand {
  const [program = ""] = words;
  const key = keyOf(words);
  const joined = words.join(" ");
  const rule = isNarrow ? ruleOf(words, key) : undefined;
  return {
    ...{ words, key: key.join(" "), keyWords: key.length, ...(rule !== undefined && { rule }) },
    isLook:
      LOOKS.has(program) ||
      (program === "sed" && !words.some((word) => /^-\w*i|^--in-place/.test(word))) ||
      (GIT_LOOKS.test(key.slice(0, 2).join(" ")) && !words.some((word) => GIT_CHANGES.test(word))),
    isCheck: CHECK.test(key.join(" ")) || /--version\b/.test(joined),
  };
}

function keyOf(words: readonly string[]): readonly string[] {
  const [program = "", second = ""] = words;
  if (STARTERS.has(program)) {
    const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
    return at === -1 ? [program] : [program, ...keyOf(words.slice(at))];
  }
  if (INTERPRETERS.test(program)) {
    if (second === "-m") return words.slice(0, 3);
    return /^[\w./-]+\.\w+$/.test(second) ? [program, second] : [program];
  }
  return [program, ...subcommandOf(program, words.slice(1))];
}

function subcommandOf(program: string, words: readonly string[]): readonly string[] {
  const depth = DEPTHS.get(program) ?? (NO_SUBCOMMAND.has(program) ? 0 : 1);
  const found: string[] = [];
  let most = depth;
  for (let at = 0; at < words.length && found.length < most; at += 1) {
    const word = words[at] ?? "";
    if (word.startsWith("-") && DEPTHS.has(program)) {
      if (VALUED.has(word)) at += 1;
    } else if (SUBCOMMAND.test(word) && (DEPTHS.has(program) || !/\d/.test(word))) {
      if (found.length === depth - 1 && LONGER.has(word)) most += 1;
      found.push(word);
    } else break;
  }
  return found;
}

function ruleOf(words: readonly string[], key: readonly string[]): string | undefined {
  const [program = ""] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const isPath = program.includes("/");
  if (NEVER.has(name) || (isPath && !/^(?:\.\/)?[\w./-]+$/.test(program))) return undefined;
  const isPlain = words.every((word) => /^[\w@%+=:,./~-]+$/.test(word));
  // A whole tree is gone at once, however exactly it is named.
  if (name === "rm" && words.some((word) => /^-\w*[rR]|^--recursive/.test(word))) return undefined;
  if (BROAD.test(key.join(" ")) || (program === "git" && words.some((word) => FORCED.test(word))))
    return undefined;
  // What was sent is not the next one's.
  if (words.some((_, index) => isSent(words, index))) return undefined;
  if (EXACT_ONLY.has(name)) return isPlain ? `Bash(${words.join(" ")})` : undefined;
  const needed = STARTERS.has(name) || INTERPRETERS.test(name) ? 2 : DEPTHS.has(program) ? 2 : 1;
  // Code on the command line, and a program of many commands without one of them.
  if (key.length < needed || /^(?:-c|-e|--eval)$/.test(words[1] ?? "")) return undefined;
  return key.every((word) => /^[\w@%+=:./-]+$/.test(word)) ? `Bash(${key.join(" ")}:*)` : undefined;
}

const SENT_OPTION = /^(?:-[HdFb]|--(?:header|data(?:-\w+)?|form|json|cookie|body))$/;

/** Whether a word is what a request sends: a body, a header, a cookie, or one field of them. */
function isSent([program = "", ...words]: readonly string[], index: number): boolean {
  if (!/(?:^|\/)(?:curl|wget|https?|xh)$/.test(program) || !SENT_OPTION.test(words[index - 2] ?? ""))
    return false;
  return !/^@|^(?:content-type|accept|user-agent)\s*:/i.test(words[index - 1] ?? "");
}

/** A command as it can be read again, with some words replaced; of what it sends there is only a placeholder. */
export function showCommand(words: readonly string[], replace: (word: string) => string): string {
  return words
    .map((word, index) => {
      const shown = isSent(words, index) ? "<data>" : replace(word);
      // Placeholders and variables are to be read, not to be run as they are.
      return /[<>$[\]]/.test(shown) && !/\s/.test(shown) ? shown : shownArgument(shown);
    })
    .join(" ");
}

const shownArgument = (word: string): string =>
  /^<[\w -]+>$/.test(word) ? `"${word}"` : shellArgument(word);

const READ_TOOLS: ReadonlyMap<string, string> = new Map([
  ["read", "Read"],
  ["grep", "Grep"],
  ["glob", "Glob"],
  ["ls", "Glob"],
  ["websearch", "WebSearch"],
]);
const EDIT_TOOLS = set(
  "edit write multiedit notebookedit apply_patch write_file edit_file create_file str_replace",
);

/** What a call of any agent's tool is: a command line, a change of files, a look, or a call of another tool. */
export type ReadCall =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "edit"; readonly files: readonly string[] }
  | { readonly kind: "look"; readonly tool: string }
  | { readonly kind: "other"; readonly tool: string };

export function readCall(tool: string, input: JsonObject): ReadCall {
  const name = canonicalTool(tool);
  const lower = tool.toLowerCase();
  const command = textOf(input, "command") ?? textOf(input, "cmd");
  if ((name === "bash" || lower === "container.exec") && command !== undefined)
    return { kind: "command", command };
  if (EDIT_TOOLS.has(name) || EDIT_TOOLS.has(lower)) {
    const path = ["file_path", "path", "notebook_path", "file"]
      .map((key) => textOf(input, key))
      .find(Boolean);
    const patch = textOf(input, "input") ?? textOf(input, "patch") ?? "";
    const patched = Array.from(patch.matchAll(/^\*\*\* (?:Update|Add) File: (.+)$/gm), ([, file = ""]) =>
      file.trim(),
    );
    return { kind: "edit", files: path === undefined ? patched : [path] };
  }
  const look = READ_TOOLS.get(name) ?? READ_TOOLS.get(lower.replace(/_file$|_files$/, ""));
  return look === undefined ? { kind: "other", tool } : { kind: "look", tool: look };
}
