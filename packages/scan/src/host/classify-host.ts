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
import {
  isLoopback,
  isPlaceholder,
  isPlaceholderLabel,
  isPrivateAddress,
  isRawAddress,
} from "./special-host.ts";
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
  if (known !== undefined && known !== host && isPlaceholderLabel(host.split(".")[0] ?? ""))
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
const BY_SUFFIX: ReadonlyMap<string, HostKind> = new Map([
  ...entries(KNOWN_DOMAINS, "known-vendor"),
  ...entries(CODE_HOST, "code-host"),
  ...entries(PACKAGE_REGISTRY, "package-registry"),
  ...entries(FREE_HOSTING, "free-hosting"),
  ...entries(FILE_SHARING, "file-sharing"),
  ...entries(COLLECTOR, "collector"),
  ...entries(TUNNEL, "tunnel"),
  ...entries(SHORTENER, "shortener"),
  ...entries(PASTE, "paste"),
]);

function entries(hosts: ReadonlySet<string>, kind: HostKind): [string, HostKind][] {
  return Array.from(hosts, (host) => [host, kind]);
}
