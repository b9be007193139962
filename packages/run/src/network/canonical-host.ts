import { isIPv4, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";

const MAX_NAME_CHARACTERS = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/;
// Of ASCII only what a name is made of: the decoder would also take %2e for a dot.
const NAME = /^(?:[a-z0-9._-]|[^\0-\x7f])+$/i;

/**
 * The one spelling under which a host is compared: lower case, no trailing dot, names of other scripts as Punycode,
 * IPv6 shortened and without its brackets; undefined for what is not a host, or an address in an odd spelling.
 */
export function canonicalHost(text: string): string | undefined {
  if (text.startsWith("[")) return text.endsWith("]") ? canonicalIPv6(text.slice(1, -1)) : undefined;
  if (isIPv4(text)) return text;
  return canonicalName(text);
}

export function isAddress(host: string): boolean {
  return isIPv4(host) || isIPv6(host);
}

function canonicalIPv6(text: string): string | undefined {
  // A zone names an interface of this machine.
  if (!isIPv6(text) || text.includes("%")) return undefined;
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

function canonicalName(text: string): string | undefined {
  // The length first: what follows is work for each character.
  if (text.length > MAX_NAME_CHARACTERS + 1 || !NAME.test(text)) return undefined;
  const name = domainToASCII(text).replace(/\.$/, "");
  if (name.length > MAX_NAME_CHARACTERS) return undefined;
  const labels = name.split(".");
  if (!labels.every((label) => LABEL.test(label))) return undefined;
  // 0x7f.1, 2130706433 and their like are addresses to some and names to others.
  return NUMBER.test(labels.at(-1) ?? "") ? undefined : name;
}

export interface Authority {
  readonly host: string;
  readonly port?: number;
}

const SHAPE = /^(\[[^[\]]*\]|[^:[\]]+)(?::([1-9][0-9]{0,4}))?$/;
const MAX_PORT = 65_535;

/** Reads `host`, `host:port` or `[address]:port`, and nothing else. */
export function parseAuthority(text: string): Authority | undefined {
  const [, written = "", digits] = SHAPE.exec(text) ?? [];
  const host = canonicalHost(written);
  if (host === undefined) return undefined;
  if (digits === undefined) return { host };
  const port = Number(digits);
  return port > MAX_PORT ? undefined : { host, port };
}

export function formatAuthority({ host, port }: Authority): string {
  const written = isIPv6(host) ? `[${host}]` : host;
  return port === undefined ? written : `${written}:${port}`;
}
