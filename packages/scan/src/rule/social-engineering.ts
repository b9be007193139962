import type { FactBook } from "../fact/fact-book.ts";
import { hitAt, type RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import { judgeLure } from "../prose/judge-lure.ts";
import { KnownMakers } from "../prose/known-makers.ts";
import { has, hasAny, isNear } from "../prose/meaning.ts";
import { around, placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { isThrowaway } from "../prose/throwaway.ts";
import { lowerShown } from "./is-teaching.ts";
import { ruleText } from "./rule-texts.ts";

export const SE1: Rule = {
  ...ruleText("SE1"),
  find: (facts, profile) => {
    const statements = readStatements(facts);
    const makers = new KnownMakers(facts, profile);
    return statements.flatMap((statement, index) => {
      if (statement.links.length === 0) return [];
      const nearby = lureWindow(statements, index);
      return statement.links.flatMap((link) => {
        const lure = judgeLure({ link, nearby, makers });
        return lure === undefined
          ? []
          : [
              lowerShown(
                { ...lure, place: { ...link, snippet: `${statement.clause.snippet} ${link.url}` } },
                statement.clause,
              ),
            ];
      });
    });
  },
};

export const SE2: Rule = {
  ...ruleText("SE2"),
  find: (facts) => {
    const statements = readStatements(facts);
    return statements.flatMap((statement, index) =>
      isArchivePassword(statement, statements, index)
        ? [
            hitAt(
              statement.clause,
              "critical",
              "A download is to be unpacked with a password that stands beside it",
            ),
          ]
        : [],
    );
  },
};

export const SE3: Rule = {
  ...ruleText("SE3"),
  find: (facts) => {
    const statements = readStatements(facts);
    const executing = executingBlocks(facts);
    return [
      ...statements.flatMap((statement, index) => pasteHits(statement, statements, index, executing)),
      ...commandInValueHits(facts),
    ];
  },
};

const WINDOW = { before: 3, after: 2 };

/** The clauses that a reader takes together with a link; headings above count, the next section does not. */
function lureWindow(statements: readonly Statement[], index: number): readonly Statement[] {
  const own = statements[index];
  return around(statements, index, WINDOW).filter(
    ({ clause }) => own !== undefined && Math.abs(clause.line - own.clause.line) <= MAX_LINES,
  );
}

function isArchivePassword(
  { clause, meaning }: Statement,
  statements: readonly Statement[],
  index: number,
): boolean {
  const isStated = has(meaning, "password") && isStatedPassword(clause.text);
  if (!isStated && !(has(meaning, "archive") && UNPACKED_WITH.test(clause.text))) return false;
  const nearby = around(statements, index, { before: 3, after: 3 });
  const isUnpacking =
    has(meaning, "archive") || nearby.some((other) => other.links.some(({ url }) => ARCHIVE.test(url)));
  if (!isUnpacking) return false;
  return nearby.some(
    (other) =>
      other.links.some(({ url }) => /^https?:/i.test(url)) || hasAny(other.meaning, "address", "download"),
  );
}

// The word itself may be left out: `extract using: x`, `unzip with key x`; programs that unpack are no passwords.
const UNPACKED_WITH =
  /\b(?:extract|unzip|unpack|open|unlock)(?: (?:it|them|the (?:archive|zip|file)))? (?:using|with)(?:(?: the)? (?:key|code|pin)\s{0,3}[:=]?|\s{0,3}[:=])\s{0,3}["'`]?(?!tar|unzip|7z|7-zip|winrar|gunzip|unrar|bsdtar|ditto|the\b|a\b)[\w!@#$%^&*-]{3,}/;

// A password that is stated, not one that is talked about: `password: x`, `password is x`, `with pass x`.
const STATED =
  /(?:passw(?:or[dt]|ort)|passcode|passphrase|\bpass\b|\bpwd\b|\bpw\b|mot de passe|contraseña|senha|密码|口令|парол[ьяем]{1,2}|パスワード|비밀번호)(?:\s*(?:is|are|for (?:the )?(?:archive|zip|file|extraction)|を|は|是|为|es|ist|est|é))?\s{0,3}[:：=—–-]?\s{0,3}["'`“«「(]?[\w!@#$%^&*-]{3,}/;

function isStatedPassword(text: string): boolean {
  const match = STATED.exec(text);
  return match !== null && !NOT_STATED.test(match[0]);
}

const NOT_STATED =
  /^(?:pass|password|passwords|passphrase)[\s-]+(?:protect|is required|if|from|to|and|or|in|that|the|when|must|should|field|manager|reset|hash|with|using|via|through|was|will|can|may|before|after|prompt|input|is (?:required|needed|incorrect|wrong|set|not|missing|optional|prov))/;

const ARCHIVE = /\.(?:zip|rar|7z|tar\.gz|tgz|dmg|iso)(?:[?#]|$)/i;

function pasteHits(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
  executing: ReadonlySet<string>,
): readonly RuleHit[] {
  const { clause, meaning } = statement;
  const isDialog = has(meaning, "run_dialog");
  const isCarried =
    isNear(meaning, 16, "paste", "terminal") ||
    (statement.links.length > 0 && isNear(meaning, 20, "fetch", "install", "terminal"));
  if (!isDialog && !isCarried) return [];
  const links = around(statements, index, { before: 2, after: 2 }).flatMap((other) => other.links);
  const doubtful = links.find(({ url }) => /^https?:/i.test(url) && isThrowaway(url));
  const isExecuting = executing.has(`${clause.file}\0${blockOf(clause.line)}`);
  return [
    hitAt(
      clause,
      doubtful !== undefined || isExecuting ? "critical" : isDialog ? "warn" : "info",
      doubtful === undefined
        ? "A command is to be pasted into a terminal by hand"
        : `A command from ${doubtful.url} is to be pasted into a terminal by hand`,
    ),
  ];
}

/** Where something decoded is run, which is what the pasting is for: a set of blocks of lines, each flow in two of them. */
function executingBlocks(facts: FactBook): ReadonlySet<string> {
  const blocks = new Set<string>();
  for (const { file, line, sink, sources } of facts.of("flow")) {
    if (sink.type !== "execute" || !sources.some(({ type }) => type === "decoded")) continue;
    blocks.add(`${file}\0${blockOf(line)}`);
    blocks.add(`${file}\0${blockOf(line) - 1}`);
  }
  return blocks;
}

function blockOf(line: number): number {
  return Math.floor(line / MAX_LINES);
}

const MAX_LINES = 12;

/**
 * Finds a value that carries a command and is to be put into a command line as it stands: a licence key that closes the
 * quotation and goes on with a download.
 */
function commandInValueHits(facts: FactBook): readonly RuleHit[] {
  const statements = readStatements(facts);
  return placesOf(facts, ["verbatim_cue"]).flatMap((index): readonly RuleHit[] => {
    const statement = statements[index];
    if (statement === undefined || !VERBATIM.test(statement.clause.text)) return [];
    const carrier = around(statements, index, { before: 3, after: 3 }).find(carriesCommand);
    return carrier === undefined
      ? []
      : [
          hitAt(
            {
              ...carrier.clause,
              stance: carrier.clause.stance === "negated" ? "live" : carrier.clause.stance,
            },
            "critical",
            "A value that carries a command is to be pasted as it stands",
          ),
        ];
  });
}

const VERBATIM =
  /\b(?:verbatim|unchanged|as is|literally|unmodified|untouched|character by character|as (?:it|they) stands?|without (?:any )?(?:changes|modification)|do not (?:refactor|escape|quote|sanitize|alter)|just replace the placeholder|quoting breaks|precisely as (?:given|shown)|exactly as (?:given|shown|written)|without alteration|never sanitise|never sanitize)\b|原样|逐字|дословно/;

function carriesCommand({ clause: { text, stance } }: Statement): boolean {
  return (stance === "live" || stance === "negated") && CARRIED.test(text);
}

// An ordinary beginning, then a mark that ends it, then a program that fetches, decodes or connects.
const CARRIED =
  /[\w"'`][^\n`]{0,40}?(?:["']?\s{0,3}(?:;|&&?|\|\|?)|\$\(|`)\s{0,3}(?:true\s{0,3}(?:&&|;)\s{0,3})?(?:curl|wget|nc|ncat|powershell|pwsh|bash|sh|iwr|certutil|python3?|node|copy \(|rm)\b(?:\s{1,3}-|\s{0,3}\(|\s[^\n]{0,60}(?:https?:|\/|\d))/;
