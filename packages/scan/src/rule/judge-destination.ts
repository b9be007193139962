import type { FactPlace } from "../fact/fact.ts";
import type { RuleHit, SkillProfile } from "../finding/finding.ts";
import { classifyHost, hostOf, registeredDomain } from "../host/classify-host.ts";
import { squeeze, wordSet, wordTable } from "../word-list.ts";
import { isSpecimenHost, wordsFor, wordsInOrder } from "./is-teaching.ts";

/**
 * How a destination relates to a skill: on this machine, the skill's own declared host or namesake, a
 * well-known vendor, an unrelated host, a host that anybody can open for an hour, a placeholder in
 * documentation, or unknown until it runs.
 */
export type Destination = "local" | "own" | "known" | "foreign" | "throwaway" | "placeholder" | "unknown";

/** Neither local, nor the skill's own, nor a well-known vendor; a placeholder counts, as the reader replaces it. */
export function isAway(destination: Destination): boolean {
  return destination === "foreign" || destination === "throwaway" || destination === "placeholder";
}

/** Classifies where data goes or comes from, by what the skill declares (as far as that applies to the place) and the kind of host. */
export function judgeDestination(
  urlOrHost: string | undefined,
  profile: SkillProfile,
  place?: FactPlace,
): Destination {
  if (urlOrHost === undefined || urlOrHost === "") return "unknown";
  const kind = classifyHost(urlOrHost);
  const mayBeOwn = OPEN_TO_ALL.has(kind) && (kind !== "webhook" || OWN_BOT.test(urlOrHost));
  if (mayBeOwn && isOwn(urlOrHost, profile, place)) return "own";
  return DESTINATIONS.get(kind) ?? "foreign";
}

const OPEN_TO_ALL: ReadonlySet<string> = wordSet("webhook free-hosting unrelated");
const DESTINATIONS: ReadonlyMap<string, Destination> = wordTable<Destination>(`
  local loopback private
  placeholder placeholder
  unknown unknown
  throwaway raw-address paste shortener tunnel collector file-sharing webhook free-hosting
  known known-vendor package-registry code-host
`);

/** A bot whose token is read from a variable: a thief would have to write it down. */
export const OWN_BOT: RegExp = /^https:\/\/api\.telegram\.org\/bot(?:\*|\$|%24|[<{]|$)/;

function isOwn(urlOrHost: string, profile: SkillProfile, place: FactPlace | undefined): boolean {
  const host = hostOf(urlOrHost) ?? "";
  const domain = registeredDomain(host);
  if (profile.declaredHosts.has(host) || profile.declaredHosts.has(domain)) return true;
  return isNamesake(host, profile.name, wordsFor(place, profile)) || isCompoundNamesake(domain, profile);
}

/** Whether a host's registered label is a word of the skill's name or description: `weatherkit` and api.weatherkit.test. */
function isNamesake(host: string, name: string, words: ReadonlySet<string>): boolean {
  const label = (registeredDomain(host).split(".")[0] ?? "").toLowerCase();
  if (label.length < 3) return words.has(registeredDomain(host).replace(".", ""));
  const squeezed = label.replaceAll("-", "");
  if (words.has(label) || words.has(squeezed)) return true;
  return squeezed.length >= MIN_NAME_CHARACTERS && squeeze(name).includes(squeezed);
}

const MIN_NAME_CHARACTERS = 4;

/** `OakLeaf Radio` and oakleafradio.test: several successive words of the name or description form the label. */
function isCompoundNamesake(domain: string, profile: SkillProfile): boolean {
  const label = (domain.split(".")[0] ?? "").toLowerCase().replaceAll("-", "");
  if (label.length < MIN_COMPOUND_CHARACTERS) return false;
  const words = wordsInOrder(profile);
  return words.some((word, index) => {
    if (!label.startsWith(word)) return false;
    let joined = word;
    for (let next = index + 1; next < words.length && joined.length < label.length; next++)
      joined += words[next] ?? "";
    return joined === label;
  });
}

const MIN_COMPOUND_CHARACTERS = 7;

/** Whether an address belongs to a host unrelated to the skill. Not `you@example.com`, which the reader replaces. */
export function isStranger(address: string, profile: SkillProfile, place?: FactPlace): boolean {
  const destination = judgeDestination(address, profile, place);
  return isAway(destination) && !(destination === "placeholder" && ANYBODY.test(hostOf(address) ?? ""));
}

const ANYBODY =
  /(?:^|\.)(?:(?:example|company|domain)\.(?:com|org|net)|(?:your|my)-?(?:company|domain|server|site|app|host|org|team|api|service)?\.(?:example|test|invalid|com|org|net))$/;

/** Whether an address is a real, unrelated host and not a name that stands for an attacker in texts about attacks. */
export function isRealDestination(address: string, profile: SkillProfile): boolean {
  const plain = address.replace("/dev/tcp/", "");
  if (isSpecimenHost(plain)) return false;
  const destination = judgeDestination(plain, profile);
  return destination === "foreign" || destination === "throwaway";
}

/** An attack that would work as written stays a warning, whatever a heading, a quotation mark or a folder calls it. */
export function keepLive(hit: RuleHit, address: string | undefined, profile: SkillProfile): RuleHit {
  const isLowered = hit.place.stance !== "live" || hit.place.isFixture;
  return hit.severity === "critical" && isLowered && isRealDestination(address ?? "", profile)
    ? { ...hit, least: "warn" }
    : hit;
}

/**
 * Whether a name in a domain reserved for examples means a particular host (`pkgs.fastwheel.example`) that
 * data is fetched from or sent to, unlike `example.com` and `your-server.example`, which the reader replaces.
 */
export function isNamedExample(urlOrHost: string): boolean {
  return NAMED_EXAMPLE.test(hostOf(urlOrHost) ?? "");
}

const NAMED_EXAMPLE =
  /^(?:[\w-]{1,63}\.){1,4}(?!(?:acme|corp|company|contoso|internal|intranet|domain|(?:your|my)[\w-]*)\.)[\w-]{4,63}\.(?:example|invalid)$/;

export function isSuspiciousHost(urlOrHost: string): boolean {
  return SUSPICIOUS.has(classifyHost(urlOrHost));
}

const SUSPICIOUS: ReadonlySet<string> = wordSet(`
  raw-address paste shortener tunnel collector webhook file-sharing
`);

/**
 * Whether a path is where the service keeps its own key (`~/.config/weatherkit/credentials.json` for
 * api.weatherkit.test), or a file of the skill's own.
 */
export function isOwnStore(path: string, host: string, profile: SkillProfile): boolean {
  const { name } = profile;
  const plain = path.toLowerCase();
  if (SHARED_STORES.test(plain)) return false;
  const folder = OWN_FOLDER.exec(plain)?.[1] ?? "";
  const squeezed = folder.replaceAll(/[-_]/g, "");
  if (squeezed.length > 2 && !GENERIC.test(folder) && squeeze(name).includes(squeezed)) return true;
  const parts = new Set(plain.split(/[^a-z0-9]+/));
  const label = (registeredDomain(host).split(".")[0] ?? "").toLowerCase();
  return [label, name.toLowerCase()].some((word) => isStoreOf(word, plain, parts));
}

const OWN_FOLDER = /^~\/\.(?:config\/|local\/share\/)?([\w-]{1,60}?)s?(?:\/|\.\w{2,5}$|$)/;

// `config` or `credentials` is in the path of every other store, so it says nothing.
function isStoreOf(word: string, path: string, parts: ReadonlySet<string>): boolean {
  if (word.length < MIN_CHARACTERS || GENERIC.test(word)) return false;
  return word.includes("-") ? path.includes(word) : parts.has(word) || path.includes(`/.${word}`);
}

const MIN_CHARACTERS = 4;

const GENERIC =
  /^(?:(?:config|configuration|credentials?|settings?|secrets?|tokens?|auth|hosts?|keys?|data|json|yaml|users?|home|local|share|default|profile|accounts?|files?|docker|json|application|support|library|cache|session|cookies?|private|login|cloud|storage|agent|backup|server)[-_]?){1,3}$/;

// These hold the keys of many services or of another one, so a key named like the host proves nothing.
const SHARED_STORES =
  /\.(?:ssh|aws|kube|gnupg|npmrc|netrc|claude|codex|openclaw|clawdbot|docker|azure|pypirc|git-credentials|m2|cargo)\b|\.config\/(?:gh|gcloud|hub|glab|op)\b/;

/** The vendor answers for the host, but not for what its customers keep on it. */
export function isUserContent(urlOrHost: string): boolean {
  const host = hostOf(urlOrHost) ?? "";
  if (OPEN_STORES.test(host)) return true;
  const plain = urlOrHost.slice(0, MAX_ADDRESS_CHARACTERS).replace(/^\w+:\/\//, "");
  return OPEN_PATHS.some((pattern) => pattern.test(plain));
}

/** The target of an open redirect or a page reader; other addresses are returned unchanged. */
export function withoutRedirect(url: string): string {
  const plain = url.slice(0, MAX_ADDRESS_CHARACTERS);
  const inner = READER.exec(plain)?.[1] ?? REDIRECT.exec(plain)?.[1];
  if (inner === undefined) return url;
  return inner.replace(/%3a/gi, ":").replace(/%2f/gi, "/");
}

const MAX_ADDRESS_CHARACTERS = 2_048;

// Every customer has a folder under these names.
const OPEN_STORES =
  /(?:^|\.)(?:(?:s3|execute-api|compute|elb)(?:[.-][\w.-]{0,60})?\.amazonaws\.com|storage\.googleapis\.com|blob\.core\.windows\.net|digitaloceanspaces\.com|cloudfront\.net|r2\.dev|r2\.cloudflarestorage\.com|firebasestorage\.googleapis\.com|firestore\.googleapis\.com|firebaseio\.com|backblazeb2\.com|aliyuncs\.com|myqcloud\.com|myshopify\.com|notion\.site|sharepoint\.com|zendesk\.com)$/;

const OPEN_PATHS: readonly RegExp[] = [
  /^[\w-]{1,63}\.supabase\.(?:co|in)\/(?:storage|functions|rest)\//i,
  /^huggingface\.co\/(?!api\/)(?:datasets\/|spaces\/)?[\w.-]{1,100}\/[\w.-]{1,100}\/(?:resolve|raw)\//i,
  /^[\w-]{1,20}\.(?:wikipedia|wikimedia|wiktionary)\.org\/[^\n]{0,200}\bUser(?:_talk)?(?::|%3A)/i,
  /^(?:www\.)?notion\.so\/[^\n]/i,
  /^api\.github\.com\/gists\b/i,
  /^storage\.cloud\.google\.com\//i,
];

const READER =
  /^https?:\/\/(?:r\.jina\.ai|web\.archive\.org\/web\/[^/]{1,40}|cors-anywhere\.herokuapp\.com)\/(https?:\/\/\S+)$/i;
const REDIRECT =
  /^https?:\/\/(?:(?:www\.)?google\.[a-z.]{2,6}\/url|(?:www\.)?youtube\.com\/redirect|(?:www\.)?linkedin\.com\/(?:safety\/go|redir)\w{0,20}|l\.facebook\.com\/l\.php|slack-redir\.net\/link|steamcommunity\.com\/linkfilter\/?|translate\.goog\/)\?(?:[^#\s]{0,500}&)?(?:q|u|url)=(https?(?::|%3a)[^&\s]{3,1000})/i;

/** Whether a link leads to an anonymous, short-lived host, where nobody publishes an installer. */
export function isThrowaway(url: string): boolean {
  return (isSuspiciousHost(url) && classifyHost(url) !== "webhook") || PASTE_NAME.test(hostOf(url) ?? "");
}

// Many vendors run such a service under their own name.
const PASTE_NAME = /^(?:paste|pastebin|pastes|hastebin|snippets?|bin|dpaste)\./;
