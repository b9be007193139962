import { type FindingSeverity, hitAt, type RuleHit } from "../finding/finding.ts";
import type { Rule, SkillProfile } from "../finding/rule.ts";
import { classifyHost } from "../host/classify-host.ts";
import { addressOf } from "../prose/find-flows.ts";
import { has, hasAny, isNear, isSequence, type Meaning } from "../prose/meaning.ts";
import { lowerQuoted } from "../prose/quotation.ts";
import { type Scheme, type Sign, schemeHits, signs } from "../prose/section-signs.ts";
import { around, placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { judgeDestination } from "./judge-destination.ts";
import { ruleText } from "./rule-texts.ts";
import { standingDutyHits } from "./standing-duty.ts";

export const PI5: Rule = {
  ...ruleText("PI5"),
  find: (facts, profile) => {
    const statements = readStatements(facts);
    const said = placesOf(facts, NEEDED).flatMap((index) => {
      const statement = statements[index];
      if (statement === undefined) return [];
      return lowerQuoted(statement, profile, (read) => sideTaskHits(read, statements, index, profile));
    });
    return [...said, ...standingDutyHits(facts, profile), ...schemeHits(facts, profile, SECRET_GATHERING)];
  },
};

const NEEDED = [
  "private_life",
  "pixel",
  "transfer_verb",
  "transfer",
  "secret_kind",
  "every_mail",
  "every_contact",
] as const;

function sideTaskHits(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
  profile: SkillProfile,
): readonly RuleHit[] {
  const { clause, meaning } = statement;
  const collected =
    judgeCollection(statement, profile) ?? judgeMailing(statement, statements, index, profile);
  if (collected !== undefined) return [collected];
  if (isNear(meaning, 24, "collect", "private_life", "third_party"))
    return [hitAt(clause, "warn", "What is private to the user goes to third parties")];
  if (isNear(meaning, 24, "transfer_verb", "private_life", "third_party"))
    return [hitAt(clause, "warn", "What is private to the user goes to third parties")];
  if (
    has(meaning, "pixel") &&
    has(meaning, "address") &&
    hasAny(meaning, "plant", "every_time", "made_things")
  )
    return [hitAt(clause, "warn", "A picture that reports back is to be put into answers")];
  if (!hasAny(meaning, "transfer_verb", "transfer")) return [];
  const isStanding = around(statements, index, { before: 1, after: 1 }).some((other) =>
    hasAny(other.meaning, "every_time", "mandatory"),
  );
  const isExtra = isStanding || hasAny(meaning, "pretext", "purpose_other");
  const address = addressOf(statement);
  if (address !== undefined) return addressHits(statement, address, isExtra, profile);
  const mail = mailAddress(meaning);
  if (mail !== undefined) return mailHits(statement, mail, isExtra, profile);
  return placeHits(statement, isStanding, profile);
}

/** All secrets at once are listed: no task but an audit of secrets needs that, and then the skill says so. */
function judgeCollection({ clause, meaning }: Statement, profile: SkillProfile): RuleHit | undefined {
  const kinds = meaning.marks.get("secret_kind")?.length ?? 0;
  if (kinds < 2 || has(meaning, "not") || clause.medium === "heading" || clause.medium === "frontmatter")
    return undefined;
  const isListed =
    isNear(meaning, 24, "inventory", "secret_kind", "all_files") &&
    isNear(meaning, 28, "secret_kind", "surroundings");
  // Kept for later, in a file: `search … for keys, passwords and tokens and save them to …`.
  const isKept =
    hasAny(meaning, "gather", "surroundings") &&
    STORED.test(clause.text) &&
    isNear(meaning, 28, "secret_kind", "all_files");
  if (!isListed && !isKept) return undefined;
  const isPurpose = profile.isSecurityTool || SECRETS.test(`${profile.name} ${profile.description}`);
  return hitAt(
    clause,
    isPurpose ? "info" : kinds >= 3 ? "critical" : "warn",
    "All secrets within reach are to be listed, which the skill's purpose does not need",
  );
}

const STORED =
  /\b(?:search|scan|look|comb|go through|note down|write down|collect|gather|find|grep)\w{0,4}\b[^\n]{0,160}\b(?:save|store|write|append|dump|record|copy|put)\w{0,3}\b[^\n]{0,30}\b(?:in|into|to|under)\s{1,3}[`"']?[~./\w-]{0,60}\.\w{2,5}\b/;
const SECRETS =
  /secret|credential|password|vault|\bkeys?\b|tokens|\benv\b|dotenv|leak|密钥|密码|секрет|парол/i;

function judgeMailing(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
  profile: SkillProfile,
): RuleHit | undefined {
  const { clause, meaning } = statement;
  if (has(meaning, "not")) return undefined;
  if (has(meaning, "every_contact", "transfer_verb")) {
    const address = addressOf(statement) ?? addressAfter(statements, index);
    const destination = judgeDestination(address, profile);
    if (destination === "foreign" || destination === "throwaway")
      return hitAt(
        clause,
        "critical",
        `A message with a link to ${address} goes to all of the user's contacts`,
      );
  }
  const mail = mailAddress(meaning);
  if (mail === undefined || !has(meaning, "outward_mail", "every_mail")) return undefined;
  const destination = judgeDestination(mail.slice(mail.indexOf("@") + 1), profile);
  if (destination !== "foreign" && destination !== "throwaway" && !FREE_MAIL.test(mail)) return undefined;
  return hitAt(clause, "critical", `All mails go to the mailbox ${mail}`);
}

// Their hosts are known vendors, their mailboxes are anybody's.
const FREE_MAIL =
  /@(?:gmail|outlook|hotmail|yahoo|proton|protonmail|tutanota|yandex|mail|qq|163)\.[a-z]{2,4}$/;

/** The wording of a message often is a clause of its own. */
function addressAfter(statements: readonly Statement[], index: number): string | undefined {
  for (const other of around(statements, index, { before: 0, after: 2 }).slice(1)) {
    const address = addressOf(other);
    if (address !== undefined) return address;
  }
  return undefined;
}

function addressHits(
  { clause, meaning }: Statement,
  address: string,
  isExtra: boolean,
  profile: SkillProfile,
): readonly RuleHit[] {
  const isData = DATA.some((data) => isNear(meaning, 24, "transfer_verb", data));
  const isSent = isSequence(meaning, 14, "transfer_verb", "address") || (isData && !has(meaning, "address"));
  if (!isSent || API_LINE.test(clause.text)) return [];
  const severity = judge(address, isExtra, profile);
  if (severity === undefined) return [];
  return [hitAt(clause, severity, `Besides its purpose the skill sends data to ${address}`)];
}

// A line of a service's documentation: the method, then where.
const API_LINE = /^[^a-z]{0,8}(?:get|post|put|patch|delete)\s{1,4}https?:/;

function mailAddress({ marks, tokens }: Meaning): string | undefined {
  const mark = marks.get("mail_address")?.[0];
  return mark === undefined ? undefined : tokens[mark.from];
}

function mailHits(
  { clause, meaning }: Statement,
  mail: string,
  isExtra: boolean,
  profile: SkillProfile,
): readonly RuleHit[] {
  if (PLACEHOLDER_MAIL.test(mail)) return [];
  const destination = judgeDestination(mail.slice(mail.indexOf("@") + 1), profile);
  if (destination !== "foreign" && destination !== "throwaway") return [];
  const isData = DATA.some((data) => isNear(meaning, 24, "transfer_verb", data));
  if (!isData && !(isExtra && isNear(meaning, 12, "transfer_verb", "mail_address"))) return [];
  return [hitAt(clause, "warn", `Data goes to the mailbox ${mail}`)];
}

// `your@email.com` is nobody's.
const PLACEHOLDER_MAIL =
  /^(?:your|you|name|user|someone|somebody|me|john|jane|foo|test|recipient|first)[\w.+-]{0,30}@|@(?:email|mail|yourdomain|domain|company|yourcompany|your[\w-]{1,20}|acme|foo|bar|test)\.(?:com|org|net|io)$/;

const PRIVATE = ["conversation", "secret_file", "whole_environment", "private_life"] as const;
const DATA = [...PRIVATE, "user_data", "secret", "changes", "result", "files"] as const;

function placeHits(
  { clause, meaning }: Statement,
  isStanding: boolean,
  profile: SkillProfile,
): readonly RuleHit[] {
  const isPrivate = PRIVATE.some((data) => isNear(meaning, 24, "transfer_verb", data));
  if ((!isStanding && !isPrivate) || isDeclared(profile)) return [];
  const isData = DATA.some(
    (data) => isNear(meaning, 24, "transfer_verb", data) || isNear(meaning, 24, "transfer", data),
  );
  const isElsewhere =
    isNear(meaning, 20, "transfer_verb", "remote_place") || isNear(meaning, 20, "transfer", "remote_place");
  if (!isData || !isElsewhere) return [];
  return [hitAt(clause, "warn", "Besides its purpose the skill sends data to somebody's server")];
}

function isDeclared({ name, description }: SkillProfile): boolean {
  return PURPOSES.test(`${name} ${description}`);
}

const PURPOSES =
  /backup|back up|sync|mirror|telemetry|analytics|monitor|upload|deploy|webhook|publish|備份|备份|同步|上传|резервн|синхрониз/i;

function judge(address: string, isExtra: boolean, profile: SkillProfile): FindingSeverity | undefined {
  switch (judgeDestination(address, profile)) {
    case "throwaway":
      return isExtra ? "critical" : classifyHost(address) === "free-hosting" ? "info" : "warn";
    case "foreign":
      return isExtra ? "warn" : "info";
    default:
      return undefined;
  }
}

const SECRET_GATHERING: Scheme = {
  cues: ["store_cue"],
  least: 4,
  message: "Secrets of several kinds are gathered",
  purpose:
    /\b(?:secrets?|credentials?|passwords?|vault|keychain|dotfiles|ssh|keys?|migrat\w+|tokens? rotation)\b/i,
  signs: [
    ...signs(String.raw`
    they are to be taken
      \b(?:print|find|writ|show|output|list|collect|gather|read|includ|stor)\w*\b
      \b(?:contents?|values?|each of them|all of them|in the answer|everything)\b
  `),
    store("cloud keys", /aws (?:access )?keys|gcp keys|azure (?:keys|secrets)/),
    store("code host tokens", /github (?:pats?|tokens)|gitlab tokens|\bpats\b/),
    store("registry tokens", /npm tokens|pypi tokens/),
    store("addresses of databases", /database (?:urls|passwords|credentials)/),
    store("keys of payment services", /stripe (?:keys|secrets)/),
    store("cookies", /cookie (?:store|jar|database)/),
    store("the cloud's", /\.aws\/|\bgcloud\b|application_default_credentials|\.azure\b|aws credentials/),
    store("the shell's", /\.ssh\b|id_rsa|id_ed25519|\.pem\b|ssh keys?/),
    store("the containers'", /\.docker\/config|\.kube\b|kubeconfig/),
    store("the registries'", /\.npmrc|\.pypirc|\.gem\/credentials/),
    store("the code host's", /\.git-credentials|\.netrc|gh\/hosts\.yml|github tokens?/),
    store("the databases'", /\.pgpass|\.my\.cnf|database passwords?/),
    store("the browser's", /login data|\blocal state\b/),
    store("the browser's sessions", /\bcookies\b/),
    store(
      "the wallets'",
      /wallet\.dat|\bkeystore\b|metamask|\bexodus\b|\belectrum\b|wallet files?|solana\/id\.json/,
    ),
    store("the browser's passwords", /saved passwords|decrypt the (?:saved )?passwords/),
    store("the history's", /shell history|bash_history|zsh_history|dotfiles/),
    store("the chats'", /slack tokens?|discord tokens?|telegram sessions?|openai keys?/),
    ...signs(String.raw`
    they are to be taken
      \b(?:read|collect|gather|compile|copy|export|decrypt|store|harvest|include|look for|search for|pack|bundle|dump|extract|archive)\b[^\n]{0,120}\b(?:values?|contents?|credentials?|everything|all of them|them all|following files|passwords|tokens?|keys?|cookies|login data|backup|anywhere|every)\b
  `),
  ],
};

function store(name: string, pattern: RegExp): Sign {
  return { name, patterns: [pattern], weight: "weak" };
}
