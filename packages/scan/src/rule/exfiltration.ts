import type {
  ActFact,
  ActOf,
  DataSource,
  FactBook,
  FactPlace,
  FlowFact,
  FlowInto,
  SecretKind,
} from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { classifyHost } from "../host/classify-host.ts";
import { isAligned, isVendorKey } from "../host/is-known-installer.ts";
import { SEVERAL_KEYS } from "../prose/find-flows.ts";
import { classifyPath } from "../secret/classify-path.ts";
import { wordSet, words } from "../word-list.ts";
import { declares, isDocument, isSpecimenHost, isTeaching, standsAmongAttacks } from "./is-teaching.ts";
import {
  type Destination,
  isAway,
  isOwnStore,
  isStranger,
  isUserContent,
  judgeDestination,
  keepLive,
  OWN_BOT,
} from "./judge-destination.ts";
import { rule } from "./rule-texts.ts";

type NetworkSink = FlowInto<"network">["sink"];
type Secret = Extract<DataSource, { readonly type: "secret" }>;

export const DX1: Rule = rule("DX1", (book, profile) => [
  ...judgeGathered(book, profile),
  ...sent(book, (flow, sink) =>
    flow.sources.flatMap((source) =>
      source.type === "secret" && source.secret !== "own-key" && !isServed(flow, source, profile)
        ? judgeForeignSecret(flow, source, sink, profile).map((hit) =>
            keepLive(hit, sink.url ?? sink.host, profile),
          )
        : [],
    ),
  ),
]);

export const DX2: Rule = rule("DX2", (book, profile) => [
  ...sent(book, (flow, sink) =>
    flow.sources.flatMap((source) =>
      source.type === "secret" && source.secret === "own-key" ? judgeOwnKey(flow, source, sink, profile) : [],
    ),
  ),
  ...book.acts("install-package").flatMap(judgeHanded),
  ...[...book.acts("fetch"), ...book.acts("send")].flatMap((fact) => judgeLabelled(fact, profile)),
]);

export const DX3: Rule = rule("DX3", (book, profile) => [
  ...book.of("act").flatMap((fact) => judgeContact(fact)),
  ...sent(book, (flow, sink) => {
    const data = flow.sources.filter(
      (source) =>
        source.type === "file" ||
        source.type === "system" ||
        (source.type === "secret" && source.secret === "private"),
    );
    if (data.length === 0) return [];
    const destination = judgeDestination(sink.url ?? sink.host, profile, flow);
    const isPush = sink.how === "git" && isAway(destination) && declares(profile, KEEPING) === undefined;
    const loudness = UNHEARD.test(flow.snippet) ? "critical" : "warn";
    if (isPush) return [hitAt(flow, loudness, `The repository is pushed to ${nameOf(sink)}`)];
    const isBin = isAway(destination) && COLLECTING.has(classifyHost(sink.url ?? sink.host ?? ""));
    // If the host is itself the data (a gateway that is pinged, for example), nothing is exfiltrated.
    const isDns = sink.how === "dns" && destination !== "local" && sink.host !== "*";
    // Only a data collector needs both the machine's identity and its contents.
    const isDossier = isAway(destination) && new Set(data.map(({ type }) => type)).size > 1;
    const severity: RuleHit["severity"] = isBin || isDns || isDossier ? "warn" : "info";
    const isIdentity = data.some(({ type }) => type === "system") && isAway(destination);
    if (severity === "info" && destination !== "throwaway" && !isIdentity) return [];
    return [hitAt(flow, severity, `Data of this machine goes to ${nameOf(sink)}`)];
  }),
]);

const UNHEARD = /\s(?:-q|--quiet)(?:\s|$)|>\s?\/dev\/null/;

/** Code or settings that call a request bin or a bare IP address: no real service is reached that way. */
function judgeContact(fact: ActFact): readonly RuleHit[] {
  const { act } = fact;
  if (act.type !== "fetch" && act.type !== "send" && act.type !== "contact") return [];
  if (!isCode(fact) || !UNNAMED.has(classifyHost(act.url))) return [];
  const what = act.type === "contact" ? "A setting names" : "The code calls";
  return [hitAt(fact, "warn", `${what} ${act.host}, which is nobody's service by its name`)];
}

const UNNAMED: ReadonlySet<string> = new Set(["collector", "raw-address"]);

export const DX5: Rule = rule("DX5", (book, profile) =>
  sent(book, (flow, sink) => flow.sources.flatMap((source) => judgeCapture(flow, source, sink, profile))),
);

function sent(
  book: FactBook,
  judge: (flow: FlowInto<"network">, sink: NetworkSink) => readonly RuleHit[],
): readonly RuleHit[] {
  return book.flowsInto("network").flatMap((flow) => judge(flow, flow.sink));
}

const COLLECTING: ReadonlySet<string> = new Set(["collector", "webhook", "tunnel", "paste", "raw-address"]);

function judgeForeignSecret(
  flow: FlowFact,
  source: Secret,
  sink: NetworkSink,
  profile: SkillProfile,
): RuleHit[] {
  const destination = judgeDestination(sink.url ?? sink.host, profile, flow);
  const message = `${describeSecret(source)} goes to ${nameOf(sink)}`;
  if (destination === "local") return [];
  // `attacker.test` in SKILL.md is where the secret goes; a document about attacks shows such hosts, encoded or not.
  if (isSpecimenHost(sink.url ?? sink.host ?? "") && standsAmongAttacks(flow))
    return [hitAt(flow, "warn", message, "a document about attacks shows it")];
  // Another program's private file: not a secret by name, but the skill has no reason to send it.
  if (source.secret === "private") {
    const isOwn = isOwnStore(source.name, sink.host ?? "", profile);
    return [hitAt(flow, "warn", message)].filter(() => isAway(destination) && isCode(flow) && !isOwn);
  }
  if (source.secret === "whole-environment") return [hitAt(flow, "critical", message)];
  // Some programs are known by name only, and documents show many of them.
  const isGuess = sink.how === "unknown" && (!isCode(flow) || OFTEN_GIVEN.has(source.secret));
  if (destination === "unknown" && isGuess) return [hitAt(flow, "warn", message, GUESSED)];
  const isNever = NEVER_SENT.has(source.secret);
  if (destination === "unknown") {
    return [hitAt(flow, isNever || isHaul(flow, profile) ? "critical" : "warn", message)];
  }
  if (isNever) return [hitAt(flow, "critical", message)];
  if (sink.how === "unknown" && destination === "known") return [];
  if (isServiceOwn(source, sink, profile, destination))
    return [hitAt(flow, "info", message, "the secret is the service's own")];
  const reason = isGuess ? GUESSED : trustIn(source, sink, destination, profile);
  return [hitAt(flow, reason === undefined ? "critical" : "warn", message, reason)];
}

const GUESSED = "only the words say that it is sent";

/** Keys go to their own services every day, and a secret scanner reports what it found. */
function isServed(flow: FlowInto<"network">, { name }: Secret, profile: SkillProfile): boolean {
  return name === SEVERAL_KEYS && (profile.isSecurityTool || !isStranger(flow.sink.url ?? "", profile, flow));
}

function isServiceOwn(
  { secret, name }: Secret,
  { url, host = "" }: NetworkSink,
  profile: SkillProfile,
  destination: Destination,
): boolean {
  if (isAligned(HOMES[secret] ?? "", host, profile.declaredHosts) && !isUserContent(url ?? host)) return true;
  // Authors choose their hosts' names, so only a well-known vendor may receive such credentials.
  return (OFTEN_GIVEN.has(secret) || destination === "known") && isOwnStore(name, host, profile);
}

/** Why a secret may go to a host that is not known to own it; undefined if there is no reason. */
function trustIn(
  { secret }: Secret,
  { url = "" }: NetworkSink,
  destination: Destination,
  profile: SkillProfile,
): string | undefined {
  if (secret === "agent" && OWN_BOT.test(url))
    return "the token of the agent's own bot goes to the bot's service";
  // A host has no claim to another service's credentials just because it is named like the skill.
  if (destination === "own" && OFTEN_GIVEN.has(secret)) return NAMESAKE;
  return destination === "known" && declares(profile, KEEPING) !== undefined
    ? "the skill says that it keeps copies, and the host is a known service"
    : undefined;
}

/** Secrets of several owners have no legitimate common destination, unless users keep backups of their own. */
function isHaul(flow: FlowFact, profile: SkillProfile): boolean {
  if (!isDocument(flow) || profile.isSecurityTool || declares(profile, KEEPING) !== undefined) return false;
  const files = flow.sources.flatMap((source) => (source.type === "secret" ? [source.name] : []));
  return new Set(files).size > 1;
}

const NAMESAKE = "the host belongs to the skill by its name";

const KEEPING = words("mirror backup backups dotfiles dotfile sync migration vault restore secrets");

// Libraries take such files to log in, and a skill keeps its own service's key in one.
const OFTEN_GIVEN: ReadonlySet<SecretKind> = new Set(["generic", "environment-file"]);

// No service asks for these.
const NEVER_SENT: ReadonlySet<string> = wordSet(`
  ssh browser wallet keychain password-store shell-history system-accounts gpg
`);

const HOMES: Partial<Readonly<Record<SecretKind, string>>> = {
  cloud: "AWS_GOOGLE_AZURE_GCP_DIGITALOCEAN_ALIBABA",
  git: "GITHUB_GITLAB",
  "package-registry": "NPM_PYPI",
  agent: "ANTHROPIC_OPENAI_GOOGLE",
};

function judgeOwnKey(flow: FlowFact, source: Secret, sink: NetworkSink, profile: SkillProfile): RuleHit[] {
  const address = sink.url ?? sink.host;
  const destination = judgeDestination(address, profile, flow);
  if (destination === "local") return [];
  // DNS queries are public, and nobody puts a key into one for any other reason.
  if (sink.how === "dns")
    return [hitAt(flow, "critical", `${source.name} is written into a name that is looked up`)];
  if (address === undefined || destination === "unknown") return [];
  if (isAligned(source.name, address, profile.declaredHosts)) return [];
  const severity = isVendorKey(source.name)
    ? judgeVendorKey(flow, destination, address)
    : judgeNamelessKey(flow, destination);
  if (severity === undefined) return [];
  const reason = destination === "own" && severity === "warn" ? NAMESAKE : undefined;
  return [hitAt(flow, severity, `${source.name} goes to ${nameOf(sink)}, which is not its vendor`, reason)];
}

/** `npx some-package --token $GITHUB_TOKEN`: a package that is fetched and run gets another service's key. */
function judgeHanded(place: ActOf<"install-package">): readonly RuleHit[] {
  const { act } = place;
  const [, handed, variable = "GH_TOKEN"] = act.from === "runner" ? (HANDED.exec(place.snippet) ?? []) : [];
  if (handed === undefined || !isVendorKey(variable)) return [];
  // A scope has one owner; any other name that contains the vendor's can be registered by anybody.
  const vendor = variable.toLowerCase().split("_")[0] ?? "";
  if (act.name.toLowerCase().startsWith(`@${vendor}/`)) return [];
  return [hitAt(place, "warn", `${handed} is handed to ${act.name}, which is not its vendor's`)];
}

const HANDED =
  /(?:--?\w[\w-]{0,40}[= ]|\b[A-Z_]{2,40}=)["']?(\$\(gh auth token\)|\$\{?([A-Z][A-Z0-9_]{0,60}(?:TOKEN|KEY|SECRET|PAT)\b))/;

/** `password=$p`: the label says what is sent, whatever the variable is called. */
function judgeLabelled(place: ActOf<"fetch"> | ActOf<"send">, profile: SkillProfile): readonly RuleHit[] {
  const { act } = place;
  if (!LABELLED.test(place.snippet)) return [];
  if (!isAway(judgeDestination(act.url, profile, place)) || isTeaching(place, act.url, profile)) return [];
  // Documents show how to log in to any service.
  const isHaul = HAUL_PATH.test(act.url);
  if (!isHaul && !isCode(place)) return [];
  const message = `A secret goes to ${act.url}, which the skill says nothing about`;
  return [hitAt(place, isHaul ? "critical" : "warn", message)];
}

const LABELLED =
  /\b(?:credentials?|passw(?:or)?d|passphrase|secret|private_?key|api_?key|(?:access_?)?token)["']?\s?[=:]\s?["']?\$[({]?\w/i;

// A vendor's key belongs to that vendor only, whatever the skill declares or is called.
function judgeVendorKey(flow: FlowFact, destination: Destination, address: string): RuleHit["severity"] {
  if (destination === "throwaway" || destination === "foreign") return "critical";
  // A placeholder host says nothing, so the path decides.
  if (destination === "placeholder" && HAUL_PATH.test(address)) return "critical";
  // A service may need the key of one vendor that it works with, but not the keys of several.
  if (destination === "own" && isCode(flow) && strayVendors(flow, address) > 1) return "critical";
  return destination === "own" || (destination === "placeholder" && isCode(flow)) ? "warn" : "info";
}

const HAUL_PATH = /\/(?:creds?|exfil\w{0,10}|steal|stolen|loot|harvest\w{0,3}|dump)(?:[/?#]|$)/i;

function strayVendors({ sources }: FlowFact, address: string): number {
  const keys = sources.flatMap((source) => (source.type === "secret" ? [source.name] : []));
  const stray = keys.filter((name) => isVendorKey(name) && !isAligned(name, address, new Set()));
  return new Set(stray.map((name) => name.split("_")[0])).size;
}

// Prose and fences name keys next to hosts of all kinds; only a throwaway host is suspicious there.
function judgeNamelessKey(flow: FlowFact, destination: Destination): RuleHit["severity"] | undefined {
  if (destination === "own" || destination === "placeholder") return undefined;
  return destination === "throwaway" || (isCode(flow) && destination === "foreign") ? "warn" : "info";
}

function isCode({ medium }: FactPlace): boolean {
  return medium === "script" || medium === "config";
}

function judgeCapture(
  flow: FlowFact,
  source: DataSource,
  sink: NetworkSink,
  profile: SkillProfile,
): RuleHit[] {
  if (source.type !== "capture" && source.type !== "conversation") return [];
  const destination = judgeDestination(sink.url ?? sink.host, profile, flow);
  if (destination === "local") return [];
  const what = source.type === "capture" ? `The ${source.what}` : "The conversation";
  return [hitAt(flow, isAway(destination) ? "critical" : "info", `${what} goes to ${nameOf(sink)}`)];
}

// Variables and files keep their spelling; prose may only say `a secret`.
function describeSecret({ secret, name }: Secret): string {
  if (secret === "whole-environment") return "The whole environment";
  return `${name.replace(/^a /, "A ")} (${secret.replaceAll("-", " ")})`;
}

function nameOf(sink: NetworkSink): string {
  return sink.host ?? sink.url ?? "a host that is not known before it runs";
}

/** A section lists several owners' credential stores, and another place sends a file to a stranger. */
function judgeGathered(book: FactBook, profile: SkillProfile): readonly RuleHit[] {
  if (profile.isSecurityTool || !listsStores(book)) return [];
  return book
    .flowsInto("network")
    .filter(
      ({ sources, sink }) =>
        sources.some(({ type }) => type === "file") &&
        isAway(judgeDestination(sink.url ?? sink.host, profile)),
    )
    .map((flow) =>
      hitAt(flow, "critical", "A file goes to a stranger, and secrets of several owners are named"),
    );
}

function listsStores(book: FactBook): boolean {
  const sections = new Map<string, Set<string>>();
  for (const { file, section, text, stance, isFixture } of book.of("clause")) {
    if (stance !== "live" || isFixture) continue;
    const key = [file, ...section].join("\0");
    for (const path of text.match(/[~.][\w.*/-]{2,80}/g) ?? []) {
      const kind = classifyPath(path) ?? "";
      if (STORES.has(kind)) sections.set(key, (sections.get(key) ?? new Set()).add(kind));
    }
  }
  return Array.from(sections.values()).some(({ size }) => size > 1);
}

const STORES: ReadonlySet<string> = wordSet(`
  ssh cloud kubernetes git package-registry netrc gpg keychain browser wallet password-store
`);
