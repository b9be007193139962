import type { ClauseFact, LinkFact } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { judgeDestination } from "./judge-destination.ts";
import { rule } from "./rule-texts.ts";

export const DX4: Rule = rule("DX4", (facts, profile) => [
  ...facts.of("link").flatMap((link) => linkHits(link, profile)),
  ...facts.of("clause").flatMap((clause) => formHits(clause, profile)),
]);

function linkHits(link: LinkFact, profile: SkillProfile): readonly RuleHit[] {
  if (!/[{$<%[(]/.test(link.url)) return [];
  const query = /^(?:https?:)?\/\/[^/?#]{1,253}([/?#].{0,1500})$/i.exec(link.url)?.[1];
  const filled = query === undefined ? null : PLACEHOLDER.exec(query);
  if (filled === null || isHome(link.url, profile)) return [];
  const words = plainWords(filled[0]);
  const isShown = link.role === "image" || link.role === "embed";
  const message = `${isShown ? "An image" : "A link"} is to be filled with data and sent to its host`;
  if (CONVERSATION.test(words)) return [hitAt(link, isShown ? "critical" : "warn", message)];
  // Many services take a key in an ordinary address, but nobody sees a key in the address of an image.
  if (isShown && SECRET.test(words)) return [hitAt(link, "critical", message)];
  if (HOARD.test(words)) return [hitAt(link, "critical", message)];
  if (!isShown) return [];
  return [hitAt(link, PRIVATE.test(words) ? "warn" : "info", message)];
}

// An address with placeholders is a form. A link or an image sends a secret file put into one; an image with
// three or more is sent when it is shown. Markdown sees no link if a field contains blanks.
function formHits(clause: ClauseFact, profile: SkillProfile): readonly RuleHit[] {
  const url = clause.text.includes("=") ? FORM.exec(clause.text)?.[0] : undefined;
  if (url === undefined || isHome(url, profile)) return [];
  const fields = clause.text.match(FIELD) ?? [];
  if (fields.some((field) => STORE.test(field)))
    return [hitAt(clause, "critical", "A file with secrets is to be put into an image's or link's address")];
  const message = "An image is to be filled with several pieces of data and sent to its host";
  return fields.length >= 3 && IMAGE_FORM.test(clause.text) ? [hitAt(clause, "warn", message)] : [];
}

const FORM = /https?:\/\/[^\s<>{}"'`]{4,200}[?&]/;
const STORE =
  /\.(?:npmrc|netrc|pypirc|pgpass|env|git-credentials)\b|\.(?:ssh|aws|kube|docker|gnupg|azure)\/|id_(?:rsa|ed25519)|kubeconfig|keychain/;
const IMAGE_FORM =
  /!\[[^\]\n]{0,80}\]\(https?:\/\/[^\s<>{}"'`]{4,200}\?|https?:\/\/[^\s<>{}"'`]{4,200}\.(?:png|svg|gif|jpe?g|webp)\?/;
const FIELD =
  /[?&][\w.-]{1,20}=(?:<[^<>\n]{1,200}>|\{\{?[^{}\n]{1,80}\}?\}|\$\([^()\n]{1,80}\)|\[[^[\]\n]{1,80}\])/g;

const PLACEHOLDER =
  /\{\{?[^{}\n]{1,80}\}?\}|\$\{[^{}\n]{1,80}\}|\$\([^()\n]{1,80}\)|\$[A-Za-z_]\w{1,40}|<[A-Za-z][^<>\n]{1,60}>|%[A-Z_]{3,40}%|\[[A-Z][A-Z_ ]{2,40}\]|\{%[^%\n]{1,60}%\}/;
const CONVERSATION =
  /\b(?:conversations?|chat|history|transcript|messages?|system prompt|memory|context|dialog(?:ue)?)\b/;
const SECRET =
  /\b(?:secrets?|tokens?|passwords?|passwd|credentials?|api ?key|keys?|cookies?|session(?: ?id)?|auth|ssh|private)\b/;
const HOARD =
  /\b(?:env|environ|environment|all secrets|process env|id rsa|cookies?|aws secret\w{0,20}|private key)\b/;
const PRIVATE =
  /\b(?:user(?: ?(?:name|data|input|email|id|query|prompt|info))?|email|data|contents?|file ?contents?|base64|encoded|b64|response|answer|output|prompt|input|summary|result|payload|exfil)\b/;

function plainWords(placeholder: string): string {
  return placeholder
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .toLowerCase()
    .trim();
}

function isHome(url: string, profile: SkillProfile): boolean {
  const destination = judgeDestination(url, profile);
  return destination === "local" || destination === "own" || destination === "known";
}
