import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Parses a URL. `URL.canParse` in Node 20, once optimised, rejects text with Latin-1 characters. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Takes the host of a parsed URL, which has canonical addresses: 0x7f.1 has become 127.0.0.1. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/**
 * Whether an address is on the public network: not this machine, not its local network, and not a cloud's
 * services that answer anyone who can reach them.
 */
export function isPublicAddress(address: string): boolean {
  notPublic ??= createNotPublic();
  if (isIPv4(address)) return !notPublic.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  const groups = groupsOf(address);
  const embedded = embeddedIPv4(groups);
  if (embedded !== undefined) return !notPublic.check(embedded, "ipv4");
  // Global unicast is the only block that is allocated; all others are local or special.
  return ((groups[0] ?? 0) & 0xe000) === 0x2000 && !notPublic.check(address, "ipv6");
}

// The special-purpose registries of IANA (RFC 6890).
const NOT_PUBLIC_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  // A public address that is a service of the host inside one cloud (Azure).
  ["168.63.129.16", 32],
];

const NOT_PUBLIC_IPV6: readonly (readonly [string, number])[] = [
  // Includes Teredo, whose addresses carry an obfuscated IPv4 address.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
];

// Created on first use: it loads all of Node's socket code.
let notPublic: BlockList | undefined;

function createNotPublic(): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of NOT_PUBLIC_IPV4) list.addSubnet(network, prefix, "ipv4");
  for (const [network, prefix] of NOT_PUBLIC_IPV6) list.addSubnet(network, prefix, "ipv6");
  return list;
}

function groupsOf(address: string): readonly number[] {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const left = numbersOf(head);
  if (tail === undefined) return left;
  const right = numbersOf(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function numbersOf(text: string): readonly number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

function embeddedIPv4(groups: readonly number[]): string | undefined {
  const prefix = groups.slice(0, 6).join(":");
  const [, second = 0, third = 0, , , , seventh = 0, eighth = 0] = groups;
  // IPv4-mapped and NAT64, then 6to4.
  if (prefix === "0:0:0:0:0:65535" || prefix === "100:65435:0:0:0:0") return dotted(seventh, eighth);
  return groups[0] === 0x2002 ? dotted(second, third) : undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The bytes of an answer; undefined if there are more than the bound, and the connection is closed. */
export async function readBoundedBody(
  { body }: { readonly body: AsyncIterable<Uint8Array> | null },
  { maxBytes }: { readonly maxBytes: number },
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
