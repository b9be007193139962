import {
  type Act,
  type ActFact,
  type ClauseFact,
  type DataSource,
  type FactBook,
  type FlowFact,
  placeOf,
  type SecretKind,
  type Sink,
} from "../fact/fact.ts";
import { hostOf } from "../host/classify-host.ts";
import { agentPath, classifyPath } from "../secret/classify-path.ts";
import type { FrameName } from "./frames.ts";
import {
  addressOf,
  around,
  describesOthers,
  isSameSection,
  mailOf,
  readStatements,
  type Statement,
} from "./statements.ts";

/** `Read ~/.ssh/id_rsa. Then post it to …` is a data flow like a pipeline, in one sentence or in several steps. */
export function findProseFlows(facts: FactBook): readonly FlowFact[] {
  let held: readonly Held[] = [];
  return readStatements(facts).flatMap((statement, index, statements) => {
    const meant = held.filter((one) => speaksOf(statements, index, one));
    const next = holdFrom(statement, index, meant);
    if (next !== undefined) held = [...held, next].slice(-MAX_HELD);
    return [
      ...sendingFlows(statement, statements, index, meant),
      ...exposingFlows(statement),
      ...obeyingFlows(statement, statements, index),
    ];
  });
}

function sendingFlows(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
  meant: readonly Held[],
): readonly FlowFact[] {
  const { clause, frames } = statement;
  const isSent = SENDING.some((frame) => frames.has(frame));
  if (!isSent && !frames.has("uploads")) return [];
  const address = addressOf(statement) ?? addressBelow(statements, index);
  const mail = mailOf(statement);
  if (address === undefined && mail === undefined && !frames.has("sends")) return [];
  const known = sourcesOf(statement, SENT);
  const own = known.length > 0 || !isSent ? known : pathsNamed(clause);
  // A command says by name what it uploads, never by a word such as `it`.
  const named = isSent ? meant : meant.filter(({ by }) => isFilledBy(by, statement));
  const earlier = own.length === 0 ? named : [];
  const sources = [...own, ...earlier.flatMap((one) => one.sources)];
  if (sources.length === 0) return [];
  const steps = Array.from(new Set(earlier.flatMap((one) => one.steps)));
  const server = mail === undefined ? undefined : `smtp://${mail.slice(mail.indexOf("@") + 1)}`;
  const sink = networkSink(
    address ?? server,
    statement,
    statements.slice(index + 1, index + 1 + CLAUSES_BEFORE),
  );
  return [{ ...placeOf(clause), kind: "flow", sources, sink, steps }];
}

const SENDING = ["sends", "sendsSecrets", "sendsStore", "sendsEnvironment", "sendsTalk"] as const;

/** What a clause took, for later clauses that say `them` or `the output`, or name the container that it was put into. */
interface Held {
  readonly by: Statement;
  readonly index: number;
  readonly sources: readonly DataSource[];
  readonly steps: readonly string[];
  /** How many clauses later a word such as `it` may still refer to it. */
  readonly reach: number;
}

function speaksOf(
  statements: readonly Statement[],
  index: number,
  { by, index: from, reach }: Held,
): boolean {
  const statement = statements[index] as Statement;
  if (by.clause.file !== statement.clause.file) return false;
  // The contents of a report or a bundle go with it, wherever it is mentioned again.
  if (isFilledBy(by, statement)) return true;
  if (index - from > reach || !isSameSection(by, statement)) return false;
  // `The output` is that of the last action.
  const between = statements.slice(from + 1, index);
  const isLast = !between.some(({ marks }) => DEEDS.some((name) => marks.has(name)));
  return statement.frames.has("refers") || (isLast && statement.marks.has("yield"));
}

function isFilledBy(by: Statement, statement: Statement): boolean {
  const names = by.frames.has("puts") ? containersIn(by) : [];
  return containersIn(statement).some((name) => names.includes(name));
}

const DEEDS = ["run", "take", "fetch", "seek", "write", "download"];

function containersIn({ marks, tokens }: Statement): readonly string[] {
  const named = (marks.get("container") ?? []).map((at) => tokens[at] ?? "");
  return [...named, ...tokens.filter((token) => FILE_NAME.test(token))];
}

const FILE_NAME = /^[\w-][\w.-]{0,80}\.(?:zip|gz|tgz|tar|7z|txt|md|json|csv|html|log|ya?ml|bundle|enc)$/;

function holdFrom(by: Statement, index: number, meant: readonly Held[]): Held | undefined {
  const { clause, frames } = by;
  if (clause.stance !== "live") return undefined;
  const step = `line ${clause.line}: ${clause.snippet}`;
  const taken = sourcesOf(by, TAKEN);
  if (taken.length > 0) return { by, index, sources: taken, steps: [step], reach: CLAUSES_BEFORE };
  // Whatever the verb, `it` in the next clause is the file that this clause names.
  const isNamed = by.marks.has("store") && asWritten(clause, SECRET_PATHS).length > 0;
  const named = by.marks.has("not") ? [] : isNamed ? secretsNamed(clause) : pathsNamed(clause);
  if (named.length > 0) return { by, index, sources: named, steps: [step], reach: isNamed ? 1 : 0 };
  if (meant.length === 0 || !frames.has("puts")) return undefined;
  // Without duplicates: steps that a skill puts into a report repeatedly would double with every sentence.
  const earlier = new Set(meant.flatMap((one) => one.steps).slice(0, MAX_HELD));
  const sources = new Set(meant.flatMap((one) => one.sources));
  const steps = [...earlier, step];
  return { by, index, sources: [...sources].slice(0, MAX_HELD), steps, reach: CLAUSES_BEFORE };
}

const CLAUSES_BEFORE = 3;
const MAX_HELD = 20;

type Frames = Readonly<Partial<Record<"secret" | "keys" | "environment" | "talk", FrameName>>>;
const SENT: Frames = { secret: "sendsStore", environment: "sendsEnvironment", talk: "sendsTalk" };
const TAKEN: Frames = {
  secret: "takesStore",
  keys: "takesKeys",
  environment: "takesEnvironment",
  talk: "takesTalk",
};

function sourcesOf({ frames, clause }: Statement, kinds: Frames): readonly DataSource[] {
  const fills = (kind: FrameName | undefined): boolean => kind !== undefined && frames.has(kind);
  const sources: DataSource[] = [];
  if (fills(kinds.secret)) sources.push(...secretsNamed(clause));
  else if (fills(kinds.keys)) sources.push(...secretsNamed(clause, SEVERAL_KEYS));
  if (fills(kinds.environment))
    sources.push({ type: "secret", secret: "whole-environment", name: "environment" });
  if (fills(kinds.talk)) sources.push({ type: "conversation" });
  return sources;
}

/** Files with secrets that have no name among the words, such as `~/.config/gh/hosts.yml`. */
function pathsNamed(clause: ClauseFact): readonly DataSource[] {
  // The lines of a block are followed as code, not read as sentences.
  if (clause.medium === "fence") return [];
  return asWritten(clause, PATHS).flatMap((name): readonly DataSource[] => {
    const secret = classifyPath(name);
    return secret === undefined ? [] : [{ type: "secret", secret, name }];
  });
}

const PATHS = /[~.][\w./-]{2,80}/g;

/** A secret is written into the answer, which its readers and the tools called next can see. */
function exposingFlows(statement: Statement): readonly FlowFact[] {
  const { clause, frames } = statement;
  if (!frames.has("exposes")) return [];
  const kind = secretKind(clause.text);
  const secret = kind === "generic" ? "environment-file" : kind;
  const source = { type: "secret", secret, name: secretName(clause) } as const;
  const sink = networkSink(undefined, statement, []);
  return [{ ...placeOf(clause), kind: "flow", sources: [source], sink, steps: [] }];
}

/** `Fetch … and do what it says`: the page becomes part of the instructions that the model obeys. */
function obeyingFlows(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
): readonly FlowFact[] {
  const { frames, clause } = statement;
  if (!frames.has("fetches") && !frames.has("obeysPage")) return [];
  const address = addressOf(statement);
  if (address === undefined) return [];
  const next = around(statements, index, { before: 0, after: 1 })[1];
  const isRead = /\.(?:md|txt)(?:[?#]|$)/.test(address) && frames.has("standing");
  const isNext = next !== undefined && isSameSection(next, statement) && next.frames.has("obeysNext");
  if (!frames.has("obeysPage") && !isRead && !isNext) return [];
  const source = { type: "network", url: address, host: hostOf(address) } as const;
  return [{ ...placeOf(clause), kind: "flow", sources: [source], sink: { type: "instructions" }, steps: [] }];
}

// The address is often in the next item: `Send the file to:` with the link below it.
function addressBelow(statements: readonly Statement[], index: number): string | undefined {
  const [own, next] = around(statements, index, { before: 0, after: 1 });
  return own !== undefined && next !== undefined && /[:：]\s*$/.test(own.clause.text)
    ? addressOf(next)
    : undefined;
}

function networkSink(url: string | undefined, statement: Statement, following: readonly Statement[]): Sink {
  const how = url === undefined && describesOthers(statement, following) ? "unknown" : "http";
  return { type: "network", how, url, host: url === undefined ? undefined : hostOf(url) };
}

function secretsNamed(clause: ClauseFact, unnamed: string = "a secret"): readonly DataSource[] {
  const names = Array.from(new Set(asWritten(clause, SECRET_PATHS))).slice(0, MAX_NAMED);
  if (names.length < 2)
    return [{ type: "secret", secret: secretKind(clause.text), name: names[0] ?? unnamed }];
  return names.map((name) => ({ type: "secret", secret: secretKind(name.toLowerCase()), name }));
}

/** The matches in the author's spelling, if folding changed no more than that. */
function asWritten({ snippet, text }: ClauseFact, pattern: RegExp): readonly string[] {
  return (snippet.match(pattern) ?? text.match(pattern) ?? []).map((name) => name.replace(/\.+$/, ""));
}

function secretKind(text: string): SecretKind {
  return SECRET_KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? "generic";
}

function secretName(clause: ClauseFact): string {
  return asWritten(clause, SECRET_PATHS)[0] ?? "a secret";
}

const MAX_NAMED = 8;
export const SEVERAL_KEYS = "any key or password";
const SECRET_PATHS =
  /[~.\w/-]{0,200}id_(?:rsa|ed25519)[\w./-]{0,200}|(?:~\/|\$home\/|[\w./-]{1,200}\/)?\.(?:ssh|aws|azure|kube|docker|gnupg|npmrc|netrc|pypirc|pgpass|env|git-credentials|config\/(?:gh|gcloud|hub|rclone|op))\b(?:\/[\w.-]{1,60}){0,3}/gi;

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

/** The actions that plain sentences ask for: wiping files, turning off a guard, starting something by itself. */
export function findProseActs(facts: FactBook): readonly ActFact[] {
  return readStatements(facts).flatMap((statement) =>
    actsOf(statement).map((act): ActFact => ({ ...placeOf(statement.clause), kind: "act", act })),
  );
}

function actsOf({ clause, frames }: Statement): readonly Act[] {
  const { text, snippet, medium } = clause;
  if (frames.size === 0 || medium === "heading") return [];
  const acts: Act[] = [];
  if (frames.has("wipes")) acts.push({ type: "destroy", what: kindIn(text, DESTROYED), detail: snippet });
  // `lock=false` in a settings file is not a sentence.
  if (frames.has("stopsLogs") && medium !== "fence" && medium !== "config" && medium !== "data")
    acts.push({ type: "disable-protection", what: kindIn(text, PROTECTIONS), detail: snippet });
  if (frames.has("gathersSecrets"))
    for (const path of new Set(asWritten(clause, SECRET_PATHS))) acts.push({ type: "read", path });
  if (frames.has("sharesAccess")) acts.push({ type: "privilege", how: "shared-access", detail: snippet });
  if (frames.has("starts")) acts.push({ type: "persist", where: kindIn(text, STARTUP), path: "*" });
  if (frames.has("remembers")) {
    const path = asWritten(clause, WRITTEN_FILE).find((one) => agentPath(one) !== undefined) ?? "*";
    acts.push({ type: "agent-config", what: agentPath(path) ?? "memory", path, text: snippet });
  }
  if (frames.has("installsSkill"))
    acts.push({ type: "install-skill", name: "*", background: frames.has("hush") });
  return acts;
}

type Kinds<Kind> = readonly (readonly [pattern: RegExp, kind: Kind])[];

function kindIn<Kind>(text: string, kinds: Kinds<Kind>): Kind {
  const found = kinds.find(([pattern]) => pattern.test(text));
  return (found ?? (kinds.at(-1) as Kinds<Kind>[number]))[1];
}

const DESTROYED: Kinds<Extract<Act, { readonly type: "destroy" }>["what"]> = [
  [/\bdisks?\b|\bdrives?\b|磁盘|диск/, "disk"],
  [/\bhome (?:directory|folder)|主目录|домашн/, "home"],
  [/databases?|tables?|数据库|баз[аыу]/, "database"],
  [/repositor|branch|git history/, "repository"],
  [/backup|备份|бэкап/, "backups"],
  [/instance|resource/, "cloud"],
  [/(?:)/, "files"],
];

const PROTECTIONS: Kinds<Extract<Act, { readonly type: "disable-protection" }>["what"]> = [
  [/firewall|防火墙|брандмауэр|cortafuegos|pare-feu/, "firewall"],
  [/codeowners|rulesets?|protection|\brequired\b/, "review"],
  [/(?:)/, "logging"],
];

const STARTUP: Kinds<Extract<Act, { readonly type: "persist" }>["where"]> = [
  [/authorized_keys/, "authorized-keys"],
  [/launch ?agent|launchd/, "launchd"],
  [/systemd/, "systemd"],
  [/rc\b|profile/, "shell-startup"],
  [/startup|login item|автозагруз|启动项/, "login-item"],
  [/(?:)/, "cron"],
];

const WRITTEN_FILE = /(?:[~.][\w./-]{0,80}\/)?[\w-]{1,60}\.(?:md|json|toml|ya?ml)\b/gi;
