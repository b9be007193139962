import { isIPv4, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { domainToASCII } from "node:url";
import { SkilletError } from "@skillet/kit/errors";
import { isPublicAddress } from "@skillet/kit/network";

/** One host that a script may reach, through the proxy. */
export interface NetworkGrant {
  /** In lower case; `*.example.org` means every name below it. An address only if an address was written. */
  readonly host: string;
  /** Absent: 80 and 443. */
  readonly port?: number;
}

const MAX_GRANT_CHARACTERS = 300;
const MAX_SHOWN_CHARACTERS = 80;
const MIN_LABELS_BELOW_STAR = 2;
// Below country codes these labels, as in co.uk and com.au, have no single owner either.
const SHARED_LABELS = new Set("ac co com edu gob gov go mil ne net or org".split(" "));
const COUNTRY = /^[a-z]{2}$/;

/**
 * Reads a network grant as a user writes it.
 *
 * @example
 * parseNetworkGrant("api.example.org:8443") // { host: "api.example.org", port: 8443 }
 * parseNetworkGrant("*.example.org")        // every name below it, on the ports 80 and 443
 */
export function parseNetworkGrant(text: string): NetworkGrant {
  const wrong = faultOfShape(text);
  if (wrong !== undefined) throw invalid(text, wrong);
  const wildcard = text.startsWith("*.");
  const authority = parseAuthority(wildcard ? text.slice(2) : text);
  if (authority === undefined) throw invalid(text, faultOfHost(text));
  if (authority.host.startsWith("::ffff:")) throw invalid(text, "it is IPv4-mapped; write the IPv4 address");
  if (!wildcard) return authority;
  const wide = faultOfWildcard(authority);
  if (wide !== undefined) throw invalid(text, wide);
  return { ...authority, host: `*.${authority.host}` };
}

function faultOfShape(text: string): string | undefined {
  if (text === "") return "it is empty";
  if (text.length > MAX_GRANT_CHARACTERS) return `it has more than ${MAX_GRANT_CHARACTERS} characters`;
  if (/[\s\p{Cc}]/u.test(text)) return "it has white space or control characters";
  if (text.includes("://")) return "it has a scheme; write only the host: a grant covers every protocol";
  if (text.includes("@")) return "it has a user; grants are for hosts, not for accounts";
  if (/[/\\?#]/.test(text)) return "it has a path; grants are for whole hosts";
  if (/^\*\.?(?::|$)/.test(text)) return "it would grant every host; name those that are needed";
  if (text.lastIndexOf("*") > 0 || (text.startsWith("*") && !text.startsWith("*.")))
    return "a star may only replace whole labels at the beginning, as in *.example.org";
  return undefined;
}

function faultOfHost(text: string): string {
  if (/^[0-9a-f.:%]*:[0-9a-f.:%]*:[0-9a-z.:%]*$/i.test(text))
    return "an IPv6 address stands in brackets, as in [::1]:8080";
  if (text.startsWith("["))
    return "the brackets must contain an IPv6 address without a zone, and the port must be 1 to 65535";
  const [, port] = /:(.*)$/.exec(text) ?? [];
  if (port !== undefined && !(/^[1-9][0-9]{0,4}$/.test(port) && Number(port) <= 65_535))
    return "a port is a number from 1 to 65535";
  if (/(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?(?::[0-9]+)?$/i.test(text))
    return "an IPv4 address has four decimal numbers without leading zeros, as in 127.0.0.1";
  return "it is not a host name: labels have 1 to 63 letters, digits and inner hyphens, with single dots between";
}

function faultOfWildcard({ host }: NetworkGrant): string | undefined {
  if (isAddress(host)) return "a star cannot stand before an address";
  const labels = host.split(".");
  const [owner = "", country = ""] = labels;
  const shared = labels.length === 2 && COUNTRY.test(country) && SHARED_LABELS.has(owner);
  if (labels.length >= MIN_LABELS_BELOW_STAR && !shared) return undefined;
  return `it would grant names of many owners; write a name below ${host}, as in *.example.${host}`;
}

function invalid(text: string, wrong: string): SkilletError {
  const shown = text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
  return new SkilletError(
    "network-grant-invalid",
    `${JSON.stringify(shown)} is not a network grant: ${wrong}. ` +
      "Write a host, with a port unless 80 and 443 are meant: api.example.org, api.example.org:8443, *.example.org.",
    { data: { grant: shown } },
  );
}

const DEFAULT_PORTS: readonly number[] = [80, 443];

export function findGrant(
  grants: readonly NetworkGrant[],
  { host, port }: { readonly host: string; readonly port: number },
): NetworkGrant | undefined {
  return grants.find((grant) => coversHost(grant.host, host) && coversPort(grant.port, port));
}

function coversHost(granted: string, host: string): boolean {
  if (!granted.startsWith("*.")) return granted === host;
  // Keeps the leading dot, so that *.example.org covers neither evilexample.org nor example.org itself.
  return !isAddress(host) && host.endsWith(granted.slice(1));
}

function coversPort(granted: number | undefined, port: number): boolean {
  return granted === undefined ? DEFAULT_PORTS.includes(port) : granted === port;
}

/** Looks up the addresses of a name, in the order in which to try them. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

const MAX_ADDRESSES = 8;

/**
 * Splits the addresses that a granted host resolves to into those that may be reached and those that no grant
 * covers. The caller connects to these addresses: a second look-up could return others.
 *
 * A name's owner decides where it leads. A host granted by its exact name may be in a private network, but
 * never on this machine, its link or at a cloud's metadata address, unless that address is granted.
 */
export async function reachableAddresses(
  { host, port }: { readonly host: string; readonly port: number },
  options: { readonly grants: readonly NetworkGrant[]; resolve: ResolveHost; own?: readonly string[] },
): Promise<{ readonly addresses: readonly string[]; readonly refused: readonly string[] }> {
  const { grants, resolve, own = ownAddresses() } = options;
  if (isAddress(host)) return { addresses: [host], refused: [] };
  // Not looked up: the answer could lead elsewhere.
  if (host === "localhost") return { addresses: ["127.0.0.1", "::1"], refused: [] };
  const isNamed = grants.some((grant) => grant.host === host && coversPort(grant.port, port));
  const isReachable = (address: string): boolean =>
    findGrant(grants, { host: address, port }) !== undefined ||
    (!own.includes(address) && (isPublicAddress(address) || (isNamed && PRIVATE_NETWORK.test(address))));
  const found = await resolve(host);
  const addresses = found.filter(isReachable).slice(0, MAX_ADDRESSES);
  return { addresses, refused: found.filter((address) => !isReachable(address)) };
}

// Only RFC 1918: cloud services also answer in the private IPv6 and carrier-grade NAT ranges.
const PRIVATE_NETWORK = /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/;

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap(
    (networks) => networks?.map(({ address }) => address) ?? [],
  );
}

const MAX_NAME_CHARACTERS = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/;
// In ASCII, only the characters of names: domainToASCII would also decode %2e into a dot.
const NAME = /^(?:[a-z0-9._-]|[^\0-\x7f])+$/i;

/**
 * The canonical spelling in which hosts are compared: lower case, no trailing dot, non-ASCII names as
 * Punycode, IPv6 shortened and without brackets; undefined if it is not a host or is an oddly spelled
 * address.
 */
export function canonicalHost(text: string): string | undefined {
  if (text.startsWith("[")) return text.endsWith("]") ? canonicalIPv6(text.slice(1, -1)) : undefined;
  if (isIPv4(text)) return text;
  return canonicalName(text);
}

function isAddress(host: string): boolean {
  return isIPv4(host) || isIPv6(host);
}

function canonicalIPv6(text: string): string | undefined {
  // A zone names an interface of this machine.
  if (!isIPv6(text) || text.includes("%")) return undefined;
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

function canonicalName(text: string): string | undefined {
  // The length is checked first, because the next steps cost work per character.
  if (text.length > MAX_NAME_CHARACTERS + 1 || !NAME.test(text)) return undefined;
  const name = domainToASCII(text).replace(/\.$/, "");
  if (name.length > MAX_NAME_CHARACTERS) return undefined;
  const labels = name.split(".");
  if (!labels.every((label) => LABEL.test(label))) return undefined;
  // 0x7f.1, 2130706433 and the like are addresses to some programs and names to others.
  return NUMBER.test(labels.at(-1) ?? "") ? undefined : name;
}

const SHAPE = /^(\[[^[\]]*\]|[^:[\]]+)(?::([1-9][0-9]{0,4}))?$/;
const MAX_PORT = 65_535;

/** Reads `host`, `host:port` or `[address]:port`, and nothing else. */
export function parseAuthority(text: string): NetworkGrant | undefined {
  const [, written = "", digits] = SHAPE.exec(text) ?? [];
  const host = canonicalHost(written);
  if (host === undefined) return undefined;
  if (digits === undefined) return { host };
  const port = Number(digits);
  return port > MAX_PORT ? undefined : { host, port };
}

export function formatAuthority({ host, port }: NetworkGrant): string {
  const written = isIPv6(host) ? `[${host}]` : host;
  return port === undefined ? written : `${written}:${port}`;
}
