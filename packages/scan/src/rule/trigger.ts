import { editDistance } from "@skillet/kit/nearest-name";
import { hitAt, type Rule, type RuleHit } from "../finding/finding.ts";
import { words } from "../word-list.ts";
import { rule } from "./rule-texts.ts";

export const TR1: Rule = rule("TR1", (facts) =>
  facts.of("declaration").flatMap((fact): readonly RuleHit[] => {
    if (fact.what === "description" && ALWAYS_ON.test(fact.value))
      return [hitAt(fact, "info", "The skill asks to be used on every request")];
    const squatted = fact.what === "name" ? squattedName(fact.value) : undefined;
    return squatted === undefined ? [] : [hitAt(fact, "warn", `The name is a letter away from ${squatted}`)];
  }),
);

const ALWAYS_ON =
  /\b(?:for|on|before|after|at the start of|in) (?:every|each|any|all) (?:single )?(?:request|task|message|conversation|response|prompt|query|question|session|interaction)s?\b|\balways (?:use|activate|load|invoke|run)\b|每次(?:请求|对话|任务)|任何(?:请求|任务)|для (?:каждого|любого) запроса/i;

/** The well-known word that a part of a name is one letter away from; the word itself is fine. */
function squattedName(name: string): string | undefined {
  const parts = name.toLowerCase().split(/[^a-z0-9]+/);
  if (parts.some((part) => KNOWN_NAMES.some((word) => part === word || part === `${word}s`)))
    return undefined;
  for (const part of parts) {
    const known = KNOWN_NAMES.find(
      (word) => Math.abs(part.length - word.length) < 2 && editDistance(part, word) === 1,
    );
    if (known !== undefined) return known;
  }
  return undefined;
}

// Long and unlike other words, so that one letter's difference is no accident.
const KNOWN_NAMES: readonly string[] = words(`
  anthropic openclaw clawhub clawdhub chatgpt deepseek huggingface microsoft cloudflare coinbase metamask
  polymarket playwright kubernetes postgres telegram whatsapp
`);
