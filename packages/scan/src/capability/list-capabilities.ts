import { isKnownProgram } from "@skillet/shell";
import type { Act, ActFact, Fact, FactBook, FactPlace } from "../fact/fact.ts";
import { showEvidence } from "../finding/show-evidence.ts";
import { hostOf } from "../host/classify-host.ts";
import { readStatements, type Statement } from "../prose/statements.ts";
import { classifyPath, classifyVariable } from "../secret/classify-path.ts";
import { wordSet, words } from "../word-list.ts";

/** What a skill can do, judged or not; sorted, for users and for comparing versions. */
export interface Capabilities {
  readonly network: readonly string[];
  readonly commands: readonly string[];
  readonly paths: readonly string[];
  readonly secrets: readonly string[];
  readonly persistence: readonly string[];
  readonly agentConfig: readonly string[];
  readonly packages: readonly string[];
  readonly remoteInstructions: readonly string[];
}

export function listCapabilities(book: FactBook): Capabilities {
  const lists = Object.fromEntries(LISTS.map((list) => [list, []])) as unknown as Record<List, string[]>;
  const seen = new Set<string>();
  const add = ([list, value]: Capability): void => {
    const key = `${list} ${value}`;
    if (value === undefined || value === "" || seen.has(key) || lists[list].length >= MAX_ENTRIES) return;
    seen.add(key);
    lists[list].push(showEvidence(value).slice(0, MAX_ENTRY_CHARACTERS));
  };
  const counts = ({ stance, isFixture }: FactPlace): boolean => stance === "live" && !isFixture;
  for (const fact of book.all) if (counts(fact)) for (const one of capabilitiesOf(fact)) add(one);
  for (const statement of readStatements(book))
    if (counts(statement.clause)) for (const one of toldIn(statement)) add(one);
  for (const list of LISTS) lists[list] = [...new Set(lists[list])].sort();
  return lists;
}

type List = keyof Capabilities;
type Capability = readonly [list: List, value: string | undefined];
const LISTS = words(
  "network commands paths secrets persistence agentConfig packages remoteInstructions",
) as readonly List[];

function capabilitiesOf(fact: Fact): readonly Capability[] {
  const own = fact.kind === "act" && !isMention(fact) ? capabilityOf(fact.act) : undefined;
  if (own !== undefined) return [own];
  if (fact.kind !== "flow") return [];
  const { sink, sources } = fact;
  const found: Capability[] = [];
  for (const source of sources) {
    if (source.type === "secret") found.push(["secrets", source.name]);
    if (source.type === "network") found.push(network(source.host));
    if (source.type === "capture") found.push(["secrets", source.what]);
    if (source.type === "network" && sink.type === "instructions")
      found.push(["remoteInstructions", source.url ?? source.host]);
  }
  if (sink.type === "network") found.push(network(sink.host));
  // A redirection in text that only looks like a command leads to `--flag`, `[folder]` or `*/*`.
  if (sink.type === "write" && isOutside(sink.path)) found.push(["paths", sink.path]);
  return found;
}

/** The hosts and secrets that a sentence tells the agent to use, whether or not a rule objects. */
function toldIn({ clause: { medium, snippet }, marks, tokens }: Statement): readonly Capability[] {
  if (!TOLD.has(medium) || !USES.some((name) => marks.has(name))) return [];
  const hosts = (marks.get("url") ?? []).map((at) => network(hostOf(tokens[at] ?? "")));
  const paths = (snippet.match(PATHS) ?? []).map((path) => path.replace(/\.+$/, ""));
  const names = (snippet.match(VARIABLES) ?? []).filter((name) => classifyVariable(name) !== undefined);
  const secrets = [...paths.filter((path) => classifyPath(path) !== undefined), ...names];
  return [...hosts, ...secrets.map((name): Capability => ["secrets", name])];
}

const TOLD: ReadonlySet<string> = wordSet("prose list table quote hidden comment");
const USES = words("take seek send fetch download run write give must need =use =set");
const PATHS = /[~.][\w.*/-]{2,80}/g;
const VARIABLES = /\b[A-Z][A-Z0-9]{1,40}(?:_[A-Z0-9]{1,40}){1,6}\b/g;

/** Inline code that reads as a command by chance: `--size small|large`, `no such file`, a script's `$NAME`. */
function isMention({ act, medium, snippet }: ActFact): boolean {
  if (medium !== "inline-code") return false;
  if (act.type === "environment") return classifyVariable(act.name) === undefined;
  const isPlain = (program: string): boolean => !isKnownProgram(program) && !/\s-|[/"'$]/.test(snippet);
  return act.type === "run" && (snippet.startsWith("-") || isPlain(act.program));
}

/** A scheme alone, or a list of addresses in a file, stands for hosts that are unknown until it runs. */
function network(host: string | undefined): Capability {
  const isName = !/^https?\*?$|\.(?:txt|csv|tsv|jsonl?|ya?ml|log|lst)$/.test(host ?? "");
  return ["network", isName ? host : "*"];
}

function capabilityOf(act: Act): Capability | undefined {
  switch (act.type) {
    case "fetch":
    case "send":
    case "contact":
    case "remote-shell":
      return network(act.host);
    case "listen":
      return ["network", `listens on ${act.address}`];
    case "run":
      return /^-|^\d+\.?$|[(),]/.test(act.program) ? undefined : ["commands", act.program];
    case "dynamic-code":
      return act.from === undefined || act.from === "parameter"
        ? ["commands", `${act.by} (made at run time)`]
        : undefined;
    case "read":
    case "write":
    case "delete":
      if (isOutside(act.path)) return ["paths", act.path];
      return act.type === "read" && classifyPath(act.path) !== undefined ? ["secrets", act.path] : undefined;
    case "environment":
      // Stands for a part of a command that is unknown until it runs.
      return act.name === "UNKNOWN" ? undefined : ["secrets", act.name];
    case "persist":
      return ["persistence", /^\*?$/.test(act.path) ? act.where : `${act.where}: ${act.path}`];
    case "agent-config":
      return ["agentConfig", /^\*?$/.test(act.path) ? act.what : `${act.what}: ${act.path}`];
    case "install-package":
      return ["packages", `${act.manager}: ${act.name}`];
    case "install-skill":
      return ["agentConfig", `skill: ${act.name}`];
    default:
      return undefined;
  }
}

// Enough for any honest skill. No marker is added to a truncated list; its length shows it.
const MAX_ENTRIES = 500;
const MAX_ENTRY_CHARACTERS = 300;

function isOutside(path: string): boolean {
  return /^[~/$%]|^\.\.(?:\/|$)|^[A-Za-z]:[\\/]/.test(path);
}
