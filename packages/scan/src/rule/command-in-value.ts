import type { FactBook } from "../fact/fact-book.ts";
import type { RuleHit } from "../finding/finding.ts";
import { around, placesOf, readStatements, type Statement } from "../prose/statements.ts";

/**
 * Finds a value that carries a command and is to be put into a command line as it stands: a licence key that closes the
 * quotation and goes on with a download.
 */
export function commandInValueHits(facts: FactBook): readonly RuleHit[] {
  const statements = readStatements(facts);
  return placesOf(facts, ["verbatim_cue"]).flatMap((index): readonly RuleHit[] => {
    const statement = statements[index];
    if (statement === undefined || !VERBATIM.test(statement.clause.text)) return [];
    const carrier = around(statements, index, { before: 3, after: 3 }).find(carriesCommand);
    return carrier === undefined
      ? []
      : [
          {
            severity: "critical",
            place: {
              ...carrier.clause,
              stance: carrier.clause.stance === "negated" ? "live" : carrier.clause.stance,
            },
            message: "A value that carries a command is to be pasted as it stands",
          },
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
