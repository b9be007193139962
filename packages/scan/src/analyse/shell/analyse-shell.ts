import { runBatch, runPosix, runPowershell, ShellMachine, unknown, type Value } from "@skillet/shell";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../fact-writer.ts";
import { ShellFacts } from "./shell-facts.ts";

export function analyseShell(source: SourceText): Analysis {
  const isScript = source.medium === "script";
  const facts = new ShellFacts(source);
  const text = isScript ? source.text : stripPrompts(source.text);
  const fault = runPosix(text, new ShellMachine(source, facts, { input: inputOf(source) }));
  if (fault !== undefined && isScript && source.chain.length === 0)
    facts.unread(`a shell script does not parse: ${fault}`);
  return facts.analysis;
}

// Git hands a helper of this name every password that it is given.
function inputOf({ file, medium }: SourceText): Value | undefined {
  return medium === "script" && /(?:^|\/)git-credential-[^/]+$/.test(file)
    ? unknown([{ type: "secret", secret: "git", name: "what git hands to its credential helper" }])
    : undefined;
}

export function analysePowershell(source: SourceText): Analysis {
  const facts = new ShellFacts(source);
  runPowershell(source.text, new ShellMachine(source, facts));
  return facts.analysis;
}

export function analyseBatch(source: SourceText): Analysis {
  const facts = new ShellFacts(source);
  runBatch(source.text, new ShellMachine(source, facts));
  return facts.analysis;
}

/** Blanks the prompts of a copied terminal session, and the output between its commands; positions hold. */
export function stripPrompts(text: string): string {
  if (!/^[ \t]{0,8}(?:\$|%|>|❯|PS[^\n>]{0,80}>|[\w.-]{1,40}@[^\n$#]{1,80}[$#])[ \t]/m.test(text)) return text;
  const lines = text.split("\n");
  const isSession = lines.some((line) => PROMPT.test(line));
  if (!isSession) return text;
  let continues = false;
  return lines
    .map((line) => {
      const prompt = PROMPT.exec(line) ?? (continues ? CONTINUATION.exec(line) : null);
      // A continued command, and the body of a quote, have no prompt of their own.
      if (prompt === null && !continues) return looksLikeOutput(line) ? blank(line) : line;
      const command = prompt === null ? line : blank(prompt[0]) + line.slice(prompt[0].length);
      continues = /(?:\\|\||&&|\|\|)\s*$/.test(command);
      return command;
    })
    .join("\n");
}

const PROMPT = /^[ \t]{0,8}(?:\$|%|❯|PS[^\n>]{0,80}>|[\w.-]{1,40}@[^\n$#]{1,80}[$#])[ \t]+(?=\S)/;
const CONTINUATION = /^[ \t]{0,8}>[ \t]+/;

// A line without a prompt in a session is printed by something, unless it may well be typed.
function looksLikeOutput(line: string): boolean {
  return !/\b(?:curl|wget|bash|sh|eval|rm|python3?|node|sudo|chmod|base64|nc)\b/.test(line);
}

function blank(text: string): string {
  return " ".repeat(text.length);
}
