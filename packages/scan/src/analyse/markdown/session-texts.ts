import type { Language } from "../../file/file-kind.ts";
import type { SourceText } from "../../text/source-text.ts";

/**
 * Joins the code blocks and inline commands of a document into one session, as readers run them: a later one
 * uses what an earlier one sets or saves. Only connected ones are joined, each at its own lines.
 */
export function joinSessions(texts: readonly SourceText[]): {
  readonly joined: readonly SourceText[];
  readonly unread?: string;
} {
  const joined: SourceText[] = [];
  let unread: string | undefined;
  for (const [language, links] of LINKS) {
    let characters = 0;
    const blocks = texts.filter((block) => {
      const isCode = block.medium === "fence" || block.medium === "inline-code";
      if (block.language !== language || !isCode || block.stance !== "live" || !block.keepsLines)
        return false;
      characters += block.text.length;
      return characters <= MAX_SESSION_CHARACTERS;
    });
    if (characters > MAX_SESSION_CHARACTERS)
      unread ??= `of the ${language} blocks only the first ${MAX_SESSION_CHARACTERS} characters were read together`;
    const linked = blocks.length < 2 ? [] : linkedBlocks(blocks, links);
    if (linked.length >= 2) joined.push(join(linked));
  }
  return { joined, ...(unread !== undefined && { unread }) };
}

interface Links {
  /** Names of variables and files that a block creates, in the first group that matched. */
  readonly makes: RegExp;
  readonly uses: RegExp;
}

const SHELL_LINKS: Links = {
  makes:
    /(?:^|[\s;&(])(?:export\s{1,4}|declare\s{1,4}|local\s{1,4}|readonly\s{1,4})?([A-Za-z_]\w{0,60})=(?=["'$`(~/\w])|\bread\s{1,4}(?:-\w{1,4}\s{1,4}){0,3}([A-Za-z_]\w{0,60})|(?:>{1,2}|\s-[A-Za-z]{0,8}[oO]|--output|--output-document|\btee)[\s=]{0,4}["']?(?!https?:)([~$./\w][\w./~${}-]{2,100})|https?:\/\/[^\s"'<>]{1,300}\/([\w.-]{3,60})(?=["'\s]|$)/gm,
  uses: /\$\{?([A-Za-z_]\w{0,60})|([~$./\w][\w./~${}-]{2,100})/g,
};
const PROGRAM_LINKS: Links = {
  makes: /^[ \t]{0,8}(?:(?:const|let|var)\s{1,4})?([A-Za-z_$][\w$]{0,60})\s{0,4}=(?![=>])/gm,
  uses: /([A-Za-z_$][\w$]{0,60})/g,
};
const POWERSHELL_LINKS: Links = {
  makes: /\$([A-Za-z_]\w{0,60})\s{0,4}=(?!=)|-OutFile\s{1,4}["']?([\w.:\\/$~-]{3,100})/gi,
  uses: /\$([A-Za-z_]\w{0,60})|([\w.:\\/$~-]{3,100})/g,
};
const LINKS: ReadonlyMap<Language, Links> = new Map<Language, Links>([
  ["shell", SHELL_LINKS],
  ["powershell", POWERSHELL_LINKS],
  ["python", PROGRAM_LINKS],
  ["javascript", PROGRAM_LINKS],
]);

/** In total; a document with more is read block by block. */
const MAX_SESSION_CHARACTERS = 256 * 1024;

function linkedBlocks(blocks: readonly SourceText[], { makes, uses }: Links): readonly SourceText[] {
  const makers = new Map<string, SourceText>();
  const linked = new Set<SourceText>();
  for (const block of blocks) {
    const own = namesMade(block.text, makes);
    if (makers.size > 0 && GIVING.test(block.text))
      for (const match of block.text.matchAll(uses)) {
        const name = nameOf(match);
        const maker = own.has(name) ? undefined : makers.get(name);
        if (maker !== undefined) linked.add(maker).add(block);
      }
    for (const [name, isTaken] of own) if (isTaken) makers.set(name, block);
  }
  return blocks.filter((block) => linked.has(block));
}

/** For each name, whether its value was fetched or read; only such names are followed. */
function namesMade(text: string, makes: RegExp): ReadonlyMap<string, boolean> {
  const names = new Map<string, boolean>();
  for (const match of text.matchAll(makes)) {
    const start = text.lastIndexOf("\n", match.index) + 1;
    const end = text.indexOf("\n", match.index + 1);
    const line = text.slice(start, Math.min(end === -1 ? text.length : end, start + MAX_LINE_CHARACTERS));
    const name = nameOf(match);
    names.set(name, names.get(name) === true || TAKING.test(line));
  }
  return names;
}

function nameOf(match: RegExpMatchArray): string {
  const name = match[1] ?? match[2] ?? match[3] ?? match[4] ?? "";
  return name.startsWith("./") ? name.slice(2) : name;
}

const MAX_LINE_CHARACTERS = 1_000;
const TAKING =
  /\b(?:cat|curl|wget|base64|printenv|environ|getenv|open|read\w{0,12}|urlopen|urlretrieve|requests\.get|fetch|b64decode|security|tar|zip|iwr|irm|Invoke-\w{3,12}|Get-\w{3,12}|DownloadString|id_rsa|id_ed25519|credentials|keychain|wallet)\b|\.(?:ssh|aws|env|npmrc|netrc|kube|gnupg)\b|process\.env\b/;
const GIVING =
  /\b(?:curl|wget|nc|ncat|scp|ssh|post|put|send\w{0,8}|request|urlopen|fetch|axios|exec\w{0,8}|eval|system|popen|Popen|spawn\w{0,8}|subprocess|bash|sh|zsh|source|python3?|node|chmod|iex|Invoke-\w{3,12}|Start-Process|socket|sendmail)\b|\.\//;

function join(blocks: readonly SourceText[]): SourceText {
  const first = blocks[0] as SourceText;
  let text = "";
  let line = first.firstLine;
  for (const block of blocks) {
    if (block !== first) {
      const gap = Math.max(1, block.firstLine - line);
      text += "\n".repeat(gap);
      line += gap;
    }
    text += block.text;
    line += block.text.split("\n").length - 1;
  }
  return { ...first, text, isRepetition: true };
}
