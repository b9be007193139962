import { type ClauseFact, type Fact, type FactBook, placeOf } from "../../fact/fact.ts";
import { wordSet } from "../../word-list.ts";
import { analyseShell } from "./analyse-shell.ts";

/** Only shapes that no sentence has by chance: a copy to another machine, a download or decoded text into a shell, a port shell. */
export function findSpokenCommands(book: FactBook): readonly Fact[] {
  const found: Fact[] = [];
  for (const clause of book.of("clause")) {
    if (!SPEAKING.has(clause.medium) || !HINT.test(clause.snippet)) continue;
    const command = SPOKEN.exec(clause.snippet);
    if (command !== null) found.push(...factsOf(command, clause));
    if (found.length >= MAX_FACTS) break;
  }
  return found;
}

function factsOf({ 0: command, index }: RegExpExecArray, clause: ClauseFact): readonly Fact[] {
  const text = command.replace(SENTENCE_END, "");
  const firstLine = clause.line + clause.snippet.slice(0, index).split("\n").length - 1;
  const source = { ...placeOf(clause), text, firstLine, keepsLines: false };
  const { facts } = analyseShell({ ...source, language: "shell" });
  return facts.filter(({ kind }) => kind === "flow" || kind === "act");
}

const MAX_FACTS = 500;
const SPEAKING: ReadonlySet<string> = wordSet("prose list comment hidden");
const HINT = /\b(?:scp|rsync|curl|wget|nc|ncat|base64|irm|iwr)\s/i;
const SPOKEN = new RegExp(
  [
    // scp and rsync end with the other machine's path.
    String.raw`\b(?:scp|rsync)\s(?:[^\s:]{1,200}\s{1,3}){1,8}(?:[\w.-]{1,60}@)?[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}:[\w./~-]{0,200}`,
    String.raw`\b(?:curl|wget)\s[^\n|]{4,300}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z|da)?sh\b`,
    String.raw`\bnc(?:at)?\s[^\n|]{0,80}(?:-[a-z]{0,4}e|-c|--exec)\s{1,3}(?:\/\S{0,20}\/)?(?:ba|z|da)?sh\b[^\n.,;]{0,80}`,
    // A model follows these on a bare line, in a comment or in a sentence just as in a fence.
    String.raw`\b(?:sudo\s{1,3})?(?:ba|z|da)?sh\s{1,3}(?:<\(|-c\s{1,3}["']\$\()\s{0,3}(?:curl|wget)\s[^)\n]{4,300}\)["']?`,
    String.raw`\b(?:echo|printf)\s[^\n|]{4,400}\|\s{0,3}base64\s{1,3}-{1,2}d[^\n|]{0,20}\|\s{0,3}(?:ba|z|da)?sh\b`,
    String.raw`\b(?:cat|env|printenv)\b[^\n|\x60]{0,200}\|\s{0,3}curl\s[^\n\x60]{0,200}?https?:\/\/[^\s\x60]{4,200}`,
    String.raw`\b(?:irm|iwr)\s[^\n|]{4,200}\|\s{0,3}iex\b`,
  ].join("|"),
);
const SENTENCE_END = /[.,;]$/;
