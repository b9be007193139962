import { codeRanges, createRangeTest } from "@skillet/kit/markdown";
import { findRuledOut } from "./negations.ts";

/** A place in a message where the user names a skill. */
export interface Mention {
  readonly form: "slash" | "dollar" | "link";
  readonly name: string;
  /** The target of a linked mention: `[$name](path)`. */
  readonly path?: string;
  readonly start: number;
  readonly end: number;
}

export interface MentionSearch {
  readonly mentions: readonly Mention[];
  readonly stoppedBy?: "length" | "count";
}

/** Longer messages are searched only up to here: nobody names a skill after so much text. */
export const MAX_MENTION_CHARACTERS: number = 256 * 1024;
/** Further mentions in a message are ignored. */
export const MAX_MENTIONS = 32;
// A mention or code span at the end of the searched part may extend this far beyond it.
const LOOK_AHEAD_CHARACTERS = 16 * 1024;

/**
 * Finds `/name`, `$name` and `[$name](path)` in a message.
 *
 * Ignores code, escaped tokens (`\$name`), likely environment variables, and mentions that the message rules
 * out ("don't use $name"). Never pass text from untrusted transcripts: no user asked for what it mentions.
 *
 * @example
 * findMentions("Please /review-change this, then $tidy-commits");
 */
export function findMentions(message: string): readonly Mention[] {
  return searchMentions(message).mentions;
}

export function searchMentions(message: string): MentionSearch {
  const text = message.slice(0, MAX_MENTION_CHARACTERS + LOOK_AHEAD_CHARACTERS);
  const isCode = createRangeTest(codeRanges(text));
  const mentions: Mention[] = [];
  let looked = 0;
  for (const mention of readMentions(text)) {
    if (mention.end > MAX_MENTION_CHARACTERS) break;
    if (isCode(mention.start)) continue;
    if (looked === MAX_MENTIONS) return { mentions, stoppedBy: "count" };
    looked += 1;
    if (!isRuledOut(text, mention)) mentions.push(mention);
  }
  return message.length > MAX_MENTION_CHARACTERS ? { mentions, stoppedBy: "length" } : { mentions };
}

/** Whether a mention is the object of a negation: "don't use $name". Reads a bounded part of the text. */
function isRuledOut(text: string, { start, end }: Mention): boolean {
  const from = Math.max(0, start - MAX_BEFORE);
  return findRuledOut(text.slice(from, end)).some(
    ({ object }) => from + object <= start && LISTED.test(text.slice(from + object, start)),
  );
}

// The other mentions of a list: "don't use $one or $other".
const LISTED = /^(?:\[?[$/][^\s,]{1,260}(?:,| or| nor| and),? )*$/;

const MAX_BEFORE = 200;

// Names may use letters of any script with marks and joiners; a name that goes on is another name.
const START = "[\\p{L}\\p{N}_]";
const INSIDE = "\\p{L}\\p{M}\\p{N}\\p{Cf}_:\\-";
// A link; a dollar sign without a backslash or word before it; or a slash at the start of a word. Names that
// continue as a path do not match, so that /etc/x is text.
const MENTION: string = [
  `\\[\\$(?<linked>${START}[${INSIDE}]{0,255})\\](?<opening>[ \\t]*\\()?`,
  `(?<![\\\\\\p{L}\\p{M}\\p{N}\\p{Cf}_$])\\$(?<dollar>${START}[${INSIDE}]{0,255})(?![${INSIDE}])`,
  `(?<![^\\s])\\/(?<slash>${START}[${INSIDE}.]{0,255})(?![${INSIDE}./])`,
].join("|");

// Made when first needed: Unicode properties are slow to build.
let mentionPattern: RegExp | undefined;

function* readMentions(text: string): Generator<Mention> {
  mentionPattern ??= new RegExp(MENTION, "gu");
  const pattern = new RegExp(mentionPattern);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { linked, opening, dollar, slash } = match.groups ?? {};
    const start = match.index;
    const end = start + match[0].length;
    if (linked !== undefined && opening !== undefined) {
      const link = readLink(text, { start, end, name: trimName(linked) });
      pattern.lastIndex = link.end;
      if (!NOT_SKILLS.test(link.path ?? "")) yield link;
    } else if (slash !== undefined) {
      const name = trimName(slash);
      yield { form: "slash", name, start, end: start + 1 + name.length };
    } else {
      const name = trimName(linked ?? dollar ?? "");
      if (!isVariable(name)) yield { form: "dollar", name, start, end };
    }
  }
}

const MAX_PATH_CHARACTERS = 1024;
const NOT_SKILLS = /^(?:app|mcp|plugin):\/\//;

// A link with an unreadable path is still a link: its name alone must not select a skill.
function readLink(text: string, opened: Pick<Mention, "name" | "start" | "end">): Mention {
  let depth = 1;
  let at = opened.end;
  const limit = Math.min(text.length, at + MAX_PATH_CHARACTERS);
  for (; at < limit && depth > 0 && text.charAt(at) !== "\n"; at++) {
    if (text.charAt(at) === "(") depth++;
    else if (text.charAt(at) === ")") depth--;
  }
  const { name, start } = opened;
  const written = text.slice(opened.end, depth === 0 ? at - 1 : at).trim();
  const path = written.replaceAll("\\", "/").replace(/^skill:\/\//, "");
  return path === "" && depth === 0
    ? { form: "dollar", name, start, end: at }
    : { form: "link", name, path, start, end: at };
}

// A sentence may end right after a name.
function trimName(name: string): string {
  return name.replace(/[:.-]+$/, "");
}

// Codex's list; compared without case.
const VARIABLES: ReadonlySet<string> = new Set(
  "path home user shell pwd tmpdir temp tmp lang term xdg_config_home".split(" "),
);

function isVariable(name: string): boolean {
  return VARIABLES.has(name.toLowerCase()) || /^[A-Z0-9_]+$/.test(name);
}
