import { addTo, wordSet } from "../word-list.ts";
import { WORD_CLASSES } from "./word-classes.ts";

/** The positions of the words of each class in a clause. */
export type Marks = ReadonlyMap<string, readonly number[]>;

/** Marks a clause's words by their classes; a word that a pattern names as `=word` is a class of its own. */
export function readMarks(text: string, tokens: readonly string[]): Marks {
  let marks: Map<string, number[]> | undefined;
  const add = (name: string, at: number): void => {
    marks ??= new Map();
    addTo(marks, name, at, MAX_MARKS);
  };
  const end = Math.min(tokens.length, MAX_TOKENS);
  for (let at = 0; at < end; at++) {
    const token = tokens[at] as string;
    if (token.includes("://")) add("url", at);
    else if (token.includes("@")) add("mail", at);
    else for (const name of classesOf(token)) add(name, at);
    if (PARTICLES.has(token))
      for (let verb = Math.max(0, at - WORDS_BETWEEN); verb < at; verb++)
        for (const name of classesOf(`${token}${tokens[verb]}`)) add(name, verb);
    if (token.length > 1) continue;
    for (const [characters, name] of SIGNS.get(token) ?? NO_SIGNS)
      if (isWrittenAt(characters, tokens, at)) add(name, at);
  }
  for (const [name, pattern] of SHAPES) if (pattern.test(text)) add(name, end);
  if (FOREIGN.test(text)) add("foreign", end);
  return marks ?? NO_MARKS;
}

/** The pairs of classes that meet in a clause: `not+tell`. */
export function readPairs(marks: Marks): readonly string[] {
  const classes = Array.from(marks.keys())
    .filter((name) => WORD_CLASSES.has(name) || name === "url" || name === "mail")
    .sort();
  return classes.flatMap((left, at) => classes.slice(at + 1).map((right) => `${left}+${right}`));
}

export function knowWord(word: string): void {
  const name = `=${word}`;
  if (NAMED.has(name)) return;
  NAMED.add(name);
  KNOWN.delete(word);
  if (isByCharacter(word)) addTo(SIGNS, word.charAt(0), [word, name]);
  else addTo(WHOLE, word, name);
}

// A clause is a sentence or less; anything longer is a table of data. The bounds prevent quadratic work.
const MAX_TOKENS = 400;
const MAX_MARKS = 30;
const NO_MARKS: Marks = new Map();
const NO_SIGNS: readonly [string, string][] = [];

/** A letter of another script; arrows, ticks and emoji belong to none. */
const FOREIGN = /(?!\p{Script=Latin})\p{L}/u;

const SHAPES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["quote", /["“«「]/],
  // A password that is stated, not one that is talked about.
  [
    "stated",
    /(?:passw(?:or[dt]|ort)|passcode|passphrase|\bpass|\bpwd|mot de passe|contrasena|senha|密码|口令|парол[ьяем]{1,2}|パスワード|비밀번호)(?: (?:for|to) [\w ]{3,24})?(?:\s{0,3}(?:is|[:=：])\s{0,3}["'`*“]{0,3}(?!https?:|your[-_ ])[\w!@#$%-]{2,40}(?![\w ]{0,20} (?:required|needed))|\s{1,3}["'`“]{1,3}[\w!@#$%-]{2,40}["'`”])|\b(?:extract|unzip|unpack|unlock)\w{0,4} (?:it |them |the \w{3,9} )?(?:using|with)(?: (?:the )?(?:key|code|pin))?\s{0,2}[:=]\s{0,3}["'`]?(?!tar|unzip|7z|gunzip|unrar|bsdtar)\w/,
  ],
  // At the start of a clause only: anywhere else the tags are being talked about.
  [
    "systemTag",
    /^[^\p{L}<[【]{0,12}(?:<\|(?:im_start|system|start_header_id)\|>|<<sys>>|\[(?:system|inst|admin)(?: (?:override|message|prompt|instructions?|notice|update|command))?\](?!\()[^→]{0,200}$|<(?:system|admin|developer)(?:[-_ ](?:message|prompt|override|instructions?))?>(?=\s{0,3}\S{2})|【系统)/u,
  ],
  [
    "bypassTag",
    /\b(?:bypass|skip|disable|ignore|override)[-_ ]?(?:safety|security|review|scan(?:ning)?|checks?|filters?|moderation|guardrails?|restrictions?)\s{0,3}[:=]\s{0,3}["']?(?:true|yes|on|1|all)\b/,
  ],
  ["overrideTag", /\b(?:admin|root|system|developer|security|safety)_(?:override|bypass|backdoor)\w{0,20}\b/],
  ["archiveLink", /\.(?:zip|rar|7z|tar\.gz|tgz|dmg|iso)\b/],
  // An address whose query waits for a value.
  ["openAddress", /https?:\/\/[^\s"'`<>{}[\]]{1,300}[?&/][\w.-]{1,40}=(?:$|[\s"'`<>{}[\],.)]|\.\.\.|…)/],
  // A destination for money: an IBAN or a wallet.
  [
    "accountNumber",
    /\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,8}\b|\b[a-z]{2}\d{2} \d{4}\b|\b0x[0-9a-f]{16,64}\b|\b(?:bc1|tb1)[a-z0-9]{8,60}\b|\b[13][a-km-z1-9]{25,34}\b/,
  ],
  // A verb at the start of a sentence or after words that urge; in a description of a program, a subject precedes it.
  [
    "imperative",
    /(?:^[^\p{L}]{0,6}|[,;:.–—] ?|\b(?:now|then|first|always|please|just|next|finally|and|also|must|should|(?:need|have|agent|user) to) )(?:run|execute|start|launch|invoke)\b/u,
  ],
  // Without a command to run, `env` prints the whole environment.
  ["listing", /\b(?:env|printenv)(?:$|[.,;)]| (?:and|then|und|y|et)\b)/],
  ["script", /\.(?:sh|py|js|mjs|ts|ps1|rb|bat)\b/],
];

// `Lade … hoch`, `leite … weiter`: the prefix of a German verb at the end of the clause is part of its meaning.
const PARTICLES: ReadonlySet<string> = wordSet("hoch weiter herunter runter");
const WORDS_BETWEEN = 24;

function isWrittenAt(word: string, tokens: readonly string[], at: number): boolean {
  for (let offset = 0; offset < word.length; offset++) if (tokens[at + offset] !== word[offset]) return false;
  return true;
}

function classesOf(word: string): readonly string[] {
  let found = KNOWN.get(word);
  if (found === undefined) {
    const bare = word.includes("'") ? word.replace(ELISION, "") : word;
    const plain = ACCENTED.test(bare) ? bare.normalize("NFD").replaceAll(/\p{M}/gu, "") : bare;
    const classes = new Set(WHOLE.get(plain));
    for (let length = 2; length <= Math.min(plain.length, longestStem); length++)
      for (const one of STEMS.get(plain.slice(0, length)) ?? []) classes.add(one);
    if (classes.has("send") && ENCLITIC.test(plain)) classes.add("they");
    found = Array.from(classes);
    if (KNOWN.size >= MAX_KEPT_WORDS) KNOWN.clear();
    if (word.length <= MAX_KEPT_CHARACTERS) KNOWN.set(word, found);
  }
  return found;
}

// `l'accord`, `d'abord`, `qu'il`.
const ELISION = /^(?:[cdjlmnst]|qu)'(?=\p{L}{3})/u;
// `envíalo`, `súbelos`, `envoie-les`: the verb includes the object that is sent.
const ENCLITIC = /(?:[aer]|-)l(?:[oa]s?|es?)$/;
const ACCENTED = /[\u00c0-\u024f]/;
const KNOWN = new Map<string, readonly string[]>();
const MAX_KEPT_WORDS = 50_000;
const MAX_KEPT_CHARACTERS = 40;

const NAMED = new Set<string>();
const WHOLE = new Map<string, string[]>();
const STEMS = new Map<string, string[]>();
/** Words of scripts that are split by character, keyed by their first character. */
const SIGNS = new Map<string, [word: string, name: string][]>();
let longestStem = 0;
for (const [name, text] of WORD_CLASSES)
  for (const word of text.split(" ")) {
    const bare = word.replace("*", "");
    if (isByCharacter(bare)) addTo(SIGNS, bare.charAt(0), [bare, name]);
    else addTo(word === bare ? WHOLE : STEMS, bare, name);
    if (word !== bare) longestStem = Math.max(longestStem, bare.length);
  }

/**
 * Splits folded prose into words, web and mail addresses: Chinese, Japanese and Korean by character,
 * everything else by word; `.env`, `claude.md` and `read-only` are one word each.
 */
export function readTokens(text: string): readonly string[] {
  const tokens = text.match(text.includes("@") ? TOKEN_OR_MAIL : TOKEN) ?? NO_TOKENS;
  return text.includes("’") ? tokens.map((token) => token.replaceAll("’", "'")) : tokens;
}

/** Whether a word is in a script without spaces, which is split by character. */
function isByCharacter(word: string): boolean {
  return /^[\u3040-\u9fff\uac00-\ud7af]/.test(word);
}

const NO_TOKENS: readonly string[] = [];

const LETTER = String.raw`a-z0-9_\u00c0-\u1fff`;
const WORD =
  String.raw`(?:https?|hxxps?|ftp|smtps?|sftp):\/\/[^\s<>"'` +
  "`" +
  String.raw`)\]}\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]+|[\u2e80-\u2fff\u3005-\u3007\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff]|\.?[${LETTER}][${LETTER}'’]*(?:[.-][${LETTER}]+)*`;
const TOKEN = new RegExp(WORD, "g");
// The mail address is bounded, so that a long run of letters is not read again from each of them.
const TOKEN_OR_MAIL = new RegExp(
  String.raw`\b[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}|${WORD}`,
  "g",
);
