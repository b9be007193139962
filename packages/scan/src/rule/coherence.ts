import { posix } from "node:path";
import { editDistance } from "@skillet/kit/nearest-name";
import {
  type ActFact,
  type ClauseFact,
  type DataSource,
  type DeclarationFact,
  type Fact,
  FactBook,
  type FlowFact,
} from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { classifyHost } from "../host/classify-host.ts";
import { addTo, wordSet, words } from "../word-list.ts";
import { EX1, EX2 } from "./execution.ts";
import { DX1, DX5 } from "./exfiltration.ts";
import { rule } from "./rule-texts.ts";

export const CX1: Rule = rule("CX1", findBrokenPromises);

export const CX2: Rule = rule("CX2", findChains);

function findBrokenPromises(facts: FactBook): RuleHit[] {
  const promises = facts.of("declaration");
  const hits: RuleHit[] = [];
  // Most skills contact no host, so their sentences need not be read.
  const call = facts.all.find(isNetworkCall);
  const offline = call === undefined ? undefined : offlinePromise(facts);
  if (offline !== undefined && call !== undefined) hits.push(broken(offline, call, "contacts a host"));
  const changes = facts.of("act").filter(isChange);
  const last = new Map(changes.map((change) => [change.file, change]));
  for (const promise of promises.filter(({ what }) => what === "read-only")) {
    // A remark in a script covers only the code after it in the same file.
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
    // A document's own promise that nothing leaves the machine, with no exception after it.
    facts.of("clause").find(({ text, file, stance }) => {
      const isPromise = stance === "live" && OFFLINE.test(text) && !EXCEPTION.test(text);
      return isPromise && /(?:^|\/)skill\.md$/i.test(file);
    })
  );
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

/** Joins a program that writes a file with one that reads it, and judges both as if they were one program. */
function findChains(facts: FactBook, profile: SkillProfile): RuleHit[] {
  return joinFlows(facts).flatMap(({ first, flow }) => {
    const hits = CHAIN_RULES.flatMap((one) => one.find(new FactBook([flow]), profile));
    const way = `it comes through a file that ${first.file}:${first.line} writes`;
    return hits
      .filter(({ severity }) => severity !== "info")
      .map((hit) => ({ ...hit, message: `${hit.message}; ${way}`, related: [first] }));
  });
}

const CHAIN_RULES: readonly Rule[] = [DX1, DX5, EX1, EX2];

interface Chain {
  readonly first: FlowFact;
  readonly flow: FlowFact;
}

function joinFlows(facts: FactBook): readonly Chain[] {
  const isTainted = (source: DataSource): boolean =>
    TAINTED.has(source.type) || (source.type === "secret" && source.secret !== "own-key");
  const tainted = facts.of("flow").filter(({ sources }) => sources.some(isTainted));
  const readers = readersOf(facts, tainted);
  const left = tainted.map((flow): Chain => ({ first: flow, flow }));
  const chains: Chain[] = [];
  for (const { first, flow: writer } of left) {
    const path = writer.sink.type === "write" ? normalise(writer.sink.path) : "";
    const followers = readers.get(path)?.filter((reader) => mayFollow(writer, reader)) ?? [];
    for (const reader of followers.slice(0, MAX_CHAINS - chains.length)) {
      // If one side is only shown as a specimen, the chain as a whole does nothing.
      const { stance, isFixture } = writer.stance === "live" && !writer.isFixture ? reader : writer;
      const chain = { first, flow: { ...reader, sources: writer.sources, stance, isFixture } };
      chains.push(chain);
      left.push(chain);
    }
  }
  return chains;
}

/** The flows that read each path, without those that the rules have already seen as one whole program. */
function readersOf(facts: FactBook, tainted: readonly FlowFact[]): ReadonlyMap<string, readonly FlowFact[]> {
  const whole = new Set(tainted.map(sinkOf));
  const readers = new Map<string, FlowFact[]>();
  for (const flow of facts.of("flow"))
    for (const source of whole.has(sinkOf(flow)) ? [] : flow.sources) {
      const path = source.type === "file" ? normalise(source.path) : "";
      if (path !== "") addTo(readers, path, flow, MAX_READERS);
    }
  return readers;
}

const MAX_READERS = 50;
const MAX_CHAINS = 1_000;

function sinkOf({ file, line, sink }: FlowFact): string {
  return `${file} ${line} ${sink.type}`;
}

// Nothing tells which of two files runs first.
function mayFollow(writer: FlowFact, reader: FlowFact): boolean {
  return writer.file !== reader.file || writer.line < reader.line;
}

/** A path that means the same file on both sides; empty if it could mean two. */
function normalise(path: string): string {
  const plain = posix.normalize(path);
  return plain.length < 3 || plain.includes("*") ? "" : plain;
}

const TAINTED: ReadonlySet<string> = wordSet("network capture decoded");

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

/** The well-known word that a part of the name is one letter away from; undefined if a part is such a word. */
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

// Long, distinctive words, so that a difference of one letter is no accident.
const KNOWN_NAMES: readonly string[] = words(`
  anthropic openclaw clawhub clawdhub chatgpt deepseek huggingface microsoft cloudflare coinbase metamask
  polymarket playwright kubernetes postgres telegram whatsapp
`);
