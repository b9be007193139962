import { hostOf } from "@skillet/shell";
import {
  CODE_HOST,
  COLLECTOR,
  FILE_SHARING,
  FREE_HOSTING,
  PACKAGE_REGISTRY,
  PASTE,
  SHORTENER,
  TUNNEL,
  WEBHOOK,
} from "./host-tables.ts";
import { KNOWN_DOMAINS } from "./vendors.ts";

/** The kind of place that a host is. `unrelated` says nothing against it but that no one knows it. */
export type HostKind =
  | "loopback"
  | "private"
  | "placeholder"
  | "raw-address"
  | "paste"
  | "shortener"
  | "tunnel"
  | "collector"
  | "webhook"
  | "free-hosting"
  | "file-sharing"
  | "code-host"
  | "package-registry"
  | "known-vendor"
  | "unrelated"
  /** Not known before it runs: `http://$HOST/`. */
  | "unknown";

/**
 * Says what kind of place the host of a URL, or a bare host name, is: by exact name or whole-label suffix, never by
 * substring, so that `github.com.evil.test` is no one's.
 */
export function classifyHost(urlOrHost: string): HostKind {
  const host = hostOf(urlOrHost);
  if (host === undefined || /[*${}<>%]/.test(host) || host === "") return "unknown";
  if (isLoopback(host)) return "loopback";
  if (isPrivateAddress(host)) return "private";
  if (isRawAddress(host)) return "raw-address";
  if (isPlaceholder(host)) return "placeholder";
  if (isWebhook(host, urlOrHost)) return "webhook";
  const known = suffixesOf(host).find((suffix) => BY_SUFFIX.has(suffix));
  // A customer's name under a service that everybody knows: `your-team.slack.com`.
  if (known !== undefined && known !== host && PLACEHOLDER_LABEL.test(host.split(".")[0] ?? ""))
    return "placeholder";
  return known === undefined ? "unrelated" : (BY_SUFFIX.get(known) ?? "unrelated");
}

export { hostOf };

/** The two or three last labels under which someone registered a host: `a.b.co.uk` gives `b.co.uk`. */
export function registeredDomain(host: string): string {
  const labels = host.split(".");
  const isSecondLevel = labels.length > 2 && SECOND_LEVEL.test(labels.slice(-2).join("."));
  return labels.slice(isSecondLevel ? -3 : -2).join(".");
}

const SECOND_LEVEL = /^(?:co|com|net|org|gov|edu|ac)\.[a-z]{2}$/;

function isWebhook(host: string, url: string): boolean {
  return WEBHOOK.some(([name, path]) => host === name && url.includes(`${name}${path}`));
}

function suffixesOf(host: string): string[] {
  const labels = host.split(".").slice(-5);
  return labels.map((_, index) => labels.slice(index).join("."));
}

// The narrower name wins: `gist.githubusercontent.com` is a paste, regardless of who owns its parent.
const BY_SUFFIX: ReadonlyMap<string, HostKind> = new Map(
  (
    [
      [KNOWN_DOMAINS, "known-vendor"],
      [CODE_HOST, "code-host"],
      [PACKAGE_REGISTRY, "package-registry"],
      [FREE_HOSTING, "free-hosting"],
      [FILE_SHARING, "file-sharing"],
      [COLLECTOR, "collector"],
      [TUNNEL, "tunnel"],
      [SHORTENER, "shortener"],
      [PASTE, "paste"],
    ] as const
  ).flatMap(([hosts, kind]) => Array.from(hosts, (host): [string, HostKind] => [host, kind])),
);

function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\]|::1|host\.docker\.internal)$/.test(
    host,
  );
}

/** Whether a host is an address, or a name, of a private network; a name without a dot is known nowhere else. */
function isPrivateAddress(host: string): boolean {
  return (
    /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+$/.test(host) ||
    /^\[f[cd][0-9a-f]{2}:/.test(host) ||
    /^[a-z][a-z0-9_-]*$/.test(host) ||
    /\.(?:local|lan|home\.arpa|internal|intranet|svc|cluster\.local)$/.test(host)
  );
}

/** Whether a host is a public address without a name, however it is spelled: dotted, hexadecimal, octal, one number, IPv6. */
function isRawAddress(host: string): boolean {
  return (
    /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) ||
    /^(?:0x[0-9a-f]{1,8}|\d{8,10}|0[0-7]{9,12})$/.test(host) ||
    /^(?:0x[0-9a-f]{1,2}|0[0-7]{1,3}|\d{1,3})(?:\.(?:0x[0-9a-f]{1,2}|0[0-7]{1,3}|\d{1,3})){3}$/.test(host) ||
    /^\[[0-9a-f:.]+\]$/.test(host)
  );
}

/** Whether a host stands for one that the reader is to put in. `.test` is left out: fixtures of attacks use it. */
function isPlaceholder(host: string): boolean {
  if (/(?:^|\.)example\.(?:com|org|net|edu|io|dev|ai|co)$/.test(host) || /\.(?:example|invalid)$/.test(host))
    return true;
  const labels = host.split(".");
  // The owner of a name can put any label before it: only the registered one tells.
  const registered = labels.at(/^(?:co|com)$/.test(labels.at(-2) ?? "") ? -3 : -2) ?? "";
  return (
    PLACEHOLDER_LABEL.test(registered) ||
    /^(?:domain|website|hostname|host|server)\.(?:com|org|net|io|tld)$/.test(host)
  );
}

/** A label that says that another is to be put in its place: `your-domain`, `my-app`. Whole words: `yourlogs` is a name. */
const PLACEHOLDER_LABEL =
  /^(?:your|my|the)[-_]?(?:own[-_]?)?(?:real[-_]?|custom[-_]?|production[-_]?|prod[-_]?)?(?:domain|server|site|host|hostname|app|api|instance|company|org|organi[sz]ation|website|endpoint|url|project|workspace|subdomain|tenant|store|shop|service|backend|name|username|account|cluster|bucket|region|team|business|brand|product|blog|platform|proxy|gateway|registry|cdn|client|corp|agency|startup|saas|webhook|n8n|gitlab|jira|wiki|db|database|machine|ip)(?:[-_]?(?:here|name|domain|url|id|host|api|site))?$|^(?:foo|bar|foobar|foo-bar|xxx+|yyy+|acme)$/;
