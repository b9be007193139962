import { editDistance } from "@skillet/kit/nearest-name";
import type {
  ActFact,
  ClauseFact,
  DataSource,
  DeclarationFact,
  Fact,
  FactBook,
  FlowFact,
} from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit } from "../finding/finding.ts";
import { classifyHost } from "../host/classify-host.ts";
import { wordSet, words } from "../word-list.ts";
import { isSuspiciousHost } from "./judge-destination.ts";
import { rule } from "./rule-texts.ts";

export const CX1: Rule = rule("CX1", findBrokenPromises);

export const CX2: Rule = rule("CX2", findChains);

function findBrokenPromises(facts: FactBook): RuleHit[] {
  const promises = facts.of("declaration");
  const hits: RuleHit[] = [];
  // Most skills call nobody: then their sentences need not be looked at.
  const call = facts.all.find(isNetworkCall);
  const offline = call === undefined ? undefined : offlinePromise(facts);
  if (offline !== undefined && call !== undefined) hits.push(broken(offline, call, "contacts a host"));
  const changes = facts.of("act").filter(isChange);
  const last = new Map(changes.map((change) => [change.file, change]));
  for (const promise of promises.filter(({ what }) => what === "read-only")) {
    // A remark speaks for what comes after it in its own file.
    const isRemark = promise.medium === "script";
    const change = isRemark ? last.get(promise.file) : changes[0];
    if (change !== undefined && !(isRemark && change.line < promise.line))
      hits.push(broken(promise, change, "changes things"));
  }
  return hits;
}

function offlinePromise(facts: FactBook): DeclarationFact | ClauseFact | undefined {
  return (
    facts.of("declaration").find(({ what, medium }) => what === "no-network" && medium !== "script") ??
    facts.of("clause").find(isOfflinePromise)
  );
}

/** A document's own word that nothing leaves the machine, without an exception behind it. */
function isOfflinePromise({ text, file, stance }: ClauseFact): boolean {
  return stance === "live" && OFFLINE.test(text) && !EXCEPTION.test(text) && /(?:^|\/)skill\.md$/i.test(file);
}

const OFFLINE =
  /\b(?:no (?:data|information|code|files?) (?:ever )?leaves? (?:your|the|this) (?:machine|computer|device|system|laptop)|makes? no (?:network|external|outbound) (?:calls?|requests?|connections?)|(?:runs?|works?) (?:entirely|fully|completely|100%) (?:offline|locally)|no network (?:access|calls?|requests?) (?:is|are) (?:ever )?(?:made|needed|required))\b/;
const EXCEPTION = /\b(?:except|unless|if|when|mode|default|only|besides|apart|other than|but|after)\b/;

function broken(promise: DeclarationFact | ClauseFact, fact: Fact, deed: string): RuleHit {
  const words = promise.kind === "declaration" ? promise.value : promise.snippet;
  const message = `The skill says "${words.slice(0, 80)}", and the code ${deed}.`;
  return { ...hitAt(fact, "warn", message), related: [promise] };
}

// Documents mention hosts for all kinds of reasons; only code breaks a promise.
function isNetworkCall(fact: Fact): boolean {
  if (!isCode(fact) || (fact.kind !== "flow" && fact.kind !== "act")) return false;
  const call = fact.kind === "flow" ? fact.sink : fact.act;
  if (call.type !== "network" && call.type !== "send" && call.type !== "fetch") return false;
  return !QUIET_HOSTS.has(classifyHost(call.url ?? call.host ?? ""));
}

const QUIET_HOSTS: ReadonlySet<string> = wordSet("loopback private unknown package-registry");

function isChange(fact: ActFact): boolean {
  if (!isCode(fact)) return false;
  const { act } = fact;
  if (act.type === "delete") return act.recursive && !/^(?:\/tmp|\/var\/tmp|\*)/.test(act.path);
  return (
    act.type === "persist" ||
    act.type === "destroy" ||
    (act.type === "agent-config" && act.what !== "mcp-server")
  );
}

function isCode(fact: Fact): boolean {
  return fact.medium === "script" && fact.stance === "live" && !fact.isFixture;
}

function isForeignSecret(source: DataSource): boolean {
  return source.type === "secret" && !ORDINARY_SECRETS.has(source.secret);
}

const ORDINARY_SECRETS: ReadonlySet<string> = wordSet("own-key generic environment-file");

function findChains(facts: FactBook): RuleHit[] {
  const written = new Map<string, FlowFact>();
  for (const fact of facts.of("flow")) {
    const path = fact.sink.type === "write" ? normalise(fact.sink.path) : undefined;
    if (path !== undefined && fact.sources.some(isTainted)) written.set(path, fact);
  }
  if (written.size === 0) return [];
  const hits: RuleHit[] = [];
  for (const fact of facts.of("flow")) {
    for (const source of fact.sources) {
      const first = source.type === "file" ? written.get(normalise(source.path) ?? "") : undefined;
      // Inside one file the rules of that chain have seen it whole.
      if (first === undefined || first.file === fact.file) continue;
      const hit = judgeChain(first, fact);
      if (hit !== undefined) hits.push(hit);
    }
  }
  return hits;
}

function normalise(path: string): string | undefined {
  const plain = path.replace(/^\.\//, "");
  return plain.length < 3 || plain.includes("*") ? undefined : plain;
}

function isTainted(source: DataSource): boolean {
  return TAINTED.has(source.type) || isForeignSecret(source);
}

const TAINTED: ReadonlySet<string> = wordSet("network capture decoded");

function judgeChain(first: FlowFact, second: FlowFact): RuleHit | undefined {
  const { sink } = second;
  const lines = `${first.file}:${first.line}`;
  if (
    sink.type === "network" &&
    first.sources.some((source) => source.type === "capture" || isForeignSecret(source))
  ) {
    const kind = classifyHost(sink.url ?? sink.host ?? "");
    if (kind === "loopback" || kind === "private") return undefined;
    const message = `What ${lines} gathers in a file is sent away here.`;
    return { ...hitAt(second, "critical", message), related: [first] };
  }
  if (sink.type !== "execute") return undefined;
  const download = first.sources.find((source) => source.type === "network");
  const isDecoded = first.sources.some((source) => source.type === "decoded");
  if (download === undefined && !isDecoded) return undefined;
  const address = download?.url ?? download?.host ?? "";
  const isHostile = isDecoded || isSuspiciousHost(address) || address.startsWith("http://");
  const message = `What ${lines} ${isDecoded ? "decodes" : "downloads"} into a file is run here.`;
  return { ...hitAt(second, isHostile ? "critical" : "warn", message), related: [first] };
}

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
