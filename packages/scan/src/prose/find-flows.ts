import type { DataSource, SecretKind } from "../fact/data-source.ts";
import type { FlowFact } from "../fact/fact.ts";
import type { FactBook } from "../fact/fact-book.ts";
import type { Sink } from "../fact/sink.ts";
import { hostOf } from "../host/classify-host.ts";
import { has, hasAny, isNear, isSequence, type Meaning } from "./meaning.ts";
import { placeOf } from "./place-of.ts";
import { around, placesOf, readStatements, type Statement } from "./statements.ts";

/**
 * `Read ~/.ssh/id_rsa. Then post it to …` is a flow as much as a pipeline is; taking and sending may stand in
 * neighbouring clauses.
 */
export function findProseFlows(facts: FactBook): readonly FlowFact[] {
  const statements = readStatements(facts);
  return placesOf(facts, NEEDED).flatMap((index) => {
    const statement = statements[index];
    if (statement === undefined) return [];
    return [
      ...sendingFlows(statement, statements, index),
      ...carryingFlows(statement),
      ...exposingFlows(statement),
      ...obeyingFlows(statement, statements, index),
    ];
  });
}

const NEEDED = ["send", "transfer_verb", "exposure", "fetch", "address"] as const;

function sendingFlows(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
): readonly FlowFact[] {
  const { clause, meaning } = statement;
  if (!has(meaning, "send")) return [];
  const address = addressOf(statement) ?? addressNearby(statements, index);
  const isAway =
    address !== undefined ||
    isNear(meaning, SENTENCE_TOKENS, "send", "destination") ||
    isNear(meaning, SENTENCE_TOKENS, "send", "mail_address");
  if (!isAway) return [];
  const before = around(statements, index, { before: CLAUSES_BEFORE, after: 0 }).slice(0, -1);
  const sources = sourcesSent(statement);
  const earlier =
    sources.length > 0 || !refersBack(statement)
      ? []
      : before.filter((other) => isSameSection(other, statement)).flatMap(sourcesTaken);
  const found = sources.length > 0 ? sources : earlier.map(({ source }) => source);
  if (found.length === 0) return [];
  return [
    {
      ...placeOf(clause),
      kind: "flow",
      sources: found,
      sink: networkSink(address ?? mailServerIn(meaning)),
      steps: earlier.map(({ from }) => `line ${from.clause.line}: ${from.clause.snippet}`),
    },
  ];
}

/** A secret goes out by a way that no service takes its keys by: `copy id_rsa with scp`, `credentials via smtp`. */
function carryingFlows({ clause, meaning }: Statement): readonly FlowFact[] {
  if (!has(meaning, "transfer_verb") || has(meaning, "send") || has(meaning, "not")) return [];
  const isCarried =
    has(meaning, "carrier") || (addressIn(meaning)?.match(/^(?:smtps?|s?ftp):/) ?? null) !== null;
  if (!isCarried) return [];
  const isFile = isNear(meaning, PHRASE_TOKENS, "transfer_verb", "secret_file");
  if (!isFile && !isSequence(meaning, 4, "transfer_verb", "secret")) return [];
  if (!hasAny(meaning, "address", "mail_address", "destination")) return [];
  return [
    {
      ...placeOf(clause),
      kind: "flow",
      sources: [{ type: "secret", secret: secretKind(clause.text), name: secretName(clause.text) }],
      sink: networkSink(addressIn(meaning)),
      steps: [],
    },
  ];
}

function exposingFlows({ clause, meaning }: Statement): readonly FlowFact[] {
  if (!has(meaning, "exposure") || has(meaning, "not")) return [];
  const isFile = isNear(meaning, SENTENCE_TOKENS, "collect", "secret_file", "exposure");
  const isAll = isNear(meaning, SENTENCE_TOKENS, "collect", "whole_environment", "exposure");
  const isHeader = clause.text.includes("header") && isSequence(meaning, 6, "collect", "secret", "exposure");
  if (!isFile && !isAll && !isHeader) return [];
  return [
    {
      ...placeOf(clause),
      kind: "flow",
      sources: [{ type: "secret", secret: "environment-file", name: secretName(clause.text) }],
      sink: networkSink(undefined),
      steps: [],
    },
  ];
}

function sourcesSent({ meaning, clause }: Statement): readonly DataSource[] {
  const sources: DataSource[] = [];
  if (isNear(meaning, SENTENCE_TOKENS, "send", "secret_file")) sources.push(...secretsNamed(clause.text));
  if (isNear(meaning, PHRASE_TOKENS, "send", "whole_environment"))
    sources.push({ type: "secret", secret: "whole-environment", name: "environment" });
  if (isNear(meaning, PHRASE_TOKENS, "send", "conversation")) sources.push({ type: "conversation" });
  return sources;
}

/** What a clause before says is taken, for a sending that only says `it`. */
function sourcesTaken(from: Statement): readonly { readonly from: Statement; readonly source: DataSource }[] {
  const { meaning, clause } = from;
  const sources: DataSource[] = [];
  if (clause.stance !== "live") return [];
  if (isNear(meaning, PHRASE_TOKENS, "collect", "secret_file"))
    sources.push({ type: "secret", secret: secretKind(clause.text), name: secretName(clause.text) });
  if (isNear(meaning, PHRASE_TOKENS, "collect", "whole_environment"))
    sources.push({ type: "secret", secret: "whole-environment", name: "environment" });
  if (isNear(meaning, PHRASE_TOKENS, "collect", "conversation")) sources.push({ type: "conversation" });
  return sources.map((source) => ({ from, source }));
}

/** `Fetch … and do what it says`: the page becomes part of what the model obeys. */
function obeyingFlows(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
): readonly FlowFact[] {
  const { clause, meaning } = statement;
  const address = addressOf(statement);
  if (address === undefined) return [];
  const isDocument = /\.(?:md|txt)(?:[?#]|$)/.test(address);
  if (!has(meaning, "fetch") && !isDocument) return [];
  const next = around(statements, index, { before: 0, after: 1 })[1];
  const isObeyed =
    isNear(meaning, PHRASE_TOKENS, "follow", "instructions") ||
    has(meaning, "obey_whatever") ||
    isSequence(meaning, 4, "address", "obey", "pronoun") ||
    (isDocument && has(meaning, "fetch") && has(meaning, "every_time")) ||
    (next !== undefined &&
      isSameSection(next, statement) &&
      (isNear(next.meaning, FEW_TOKENS, "follow", "instructions") || has(next.meaning, "obey_whatever")));
  if (!isObeyed) return [];
  return [
    {
      ...placeOf(clause),
      kind: "flow",
      sources: [{ type: "network", url: address, host: address === undefined ? undefined : hostOf(address) }],
      sink: { type: "instructions" },
      steps: [],
    },
  ];
}

export function addressOf({ clause, meaning, links }: Statement): string | undefined {
  const written = addressIn(meaning);
  if (written !== undefined) return written;
  const live = links.find(
    ({ url, line }) => /^https?:/i.test(url) && line - clause.line <= MAX_LINE_DISTANCE,
  );
  return live?.url;
}

function addressIn({ marks, tokens }: Meaning): string | undefined {
  const mark = marks.get("address")?.[0];
  return mark === undefined ? undefined : tokens[mark.from];
}

function mailServerIn({ marks, tokens }: Meaning): string | undefined {
  const mark = marks.get("mail_address")?.[0];
  const mail = mark === undefined ? undefined : tokens[mark.from];
  return mail === undefined ? undefined : `smtp://${mail.slice(mail.indexOf("@") + 1)}`;
}

// The address often stands in the next item: `Send the file to:` and below it the link.
function addressNearby(statements: readonly Statement[], index: number): string | undefined {
  const statement = statements[index];
  const next = statements[index + 1];
  if (statement === undefined || next === undefined || next.clause.file !== statement.clause.file)
    return undefined;
  return /[:：]\s*$/.test(statement.clause.text) ? addressOf(next) : undefined;
}

function networkSink(address: string | undefined): Sink {
  return {
    type: "network",
    how: "http",
    url: address,
    host: address === undefined ? undefined : hostOf(address),
  };
}

function refersBack({ meaning }: Statement): boolean {
  return hasAny(meaning, "pronoun", "secret", "user_data");
}

function isSameSection(left: Statement, right: Statement): boolean {
  return left.clause.section.join("\n") === right.clause.section.join("\n");
}

function secretKind(text: string): SecretKind {
  return SECRET_KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? "generic";
}

function secretName(text: string): string {
  return (
    /[~.\w/-]*(?:\.ssh|\.aws|\.env|\.npmrc|\.netrc|\.kube|id_rsa|id_ed25519)[\w./-]*/.exec(text)?.[0] ??
    "a secret"
  );
}

function secretsNamed(text: string): readonly DataSource[] {
  const names = Array.from(new Set(text.match(SECRET_PATHS) ?? [])).slice(0, MAX_NAMED);
  if (names.length < 2) return [{ type: "secret", secret: secretKind(text), name: secretName(text) }];
  return names.map((name) => ({ type: "secret", secret: secretKind(name), name }));
}

const MAX_NAMED = 8;
const SECRET_PATHS =
  /(?:~\/|\$home\/)?\.(?:ssh|aws|azure|kube|docker|gnupg|npmrc|netrc|pypirc|pgpass|env|git-credentials|config\/(?:gh|gcloud|hub|rclone|op))\b(?:\/[\w.-]{1,60}){0,3}/g;

const SECRET_KINDS: readonly (readonly [RegExp, SecretKind])[] = [
  [/ssh|id_rsa|id_ed25519/, "ssh"],
  [/\.aws|aws|gcloud|cloud|kube/, "cloud"],
  [/seed|recovery phrase|mnemonic|wallet|keystore|助记词|钱包|сид|ニーモニック/, "wallet"],
  [/keychain|keyring|钥匙串/, "keychain"],
  [/browser|cookie|login data|浏览器/, "browser"],
  [/password manager|saved password/, "password-store"],
  [/npmrc|pypirc/, "package-registry"],
  [/netrc/, "netrc"],
  [/\.env|dotenv/, "environment-file"],
  [/passwd|shadow/, "system-accounts"],
  [/history/, "shell-history"],
];

const SENTENCE_TOKENS = 24;
const PHRASE_TOKENS = 14;
const FEW_TOKENS = 8;
const CLAUSES_BEFORE = 3;
const MAX_LINE_DISTANCE = 4;
