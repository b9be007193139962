import { SkilletError } from "@skillet/kit/errors";
import { parseUrl } from "@skillet/kit/network";

/**
 * One spelling for everything that leads to the same place, for rules about sources.
 *
 * Rules and sources are folded alike. Spellings that could mean the same place become one: a rule that
 * matches too much asks for one signature more, but a rule that another spelling evades protects nothing. So
 * case, encodings, protocols, users, default ports, `.git` and alternative hosts of a forge do not count. `~`
 * stays, since only the caller knows whose home it is.
 */
export function foldSource(
  text: string,
  /** With `as-written`, alternative hosts of a forge stay: a rule may name them by a pattern. */
  { hosts = "folded" }: { readonly hosts?: "folded" | "as-written" } = {},
): string {
  const plain = decodePercent(text.trim().normalize("NFC")).toLowerCase();
  const place = (rest: string): string => foldPlace(rest, hosts);
  if (plain === "") return "";
  if (plain.startsWith("npm:")) return plain.replace(/\/+(?=$|[#@])/g, "");
  if (/^(?:\.{0,2}\/|\.{1,2}$|~)/.test(plain)) return `file:${foldPath(plain)}`;
  if (plain.startsWith("oci:")) return `oci:${place(plain.slice("oci:".length))}`;
  const bare = plain.replace(/^(?:well-known:|git:(?!\/\/)|git\+)+/, "");
  if (bare.startsWith("file:")) return `file:${foldFile(bare.slice("file:".length))}`;
  // A pattern for the protocol, which the folded sources do not contain.
  const [scheme] = /^[a-z+.*-]*\*[a-z+.*-]*:\/\//.exec(bare) ?? [];
  if (scheme !== undefined) return foldAnyScheme(bare.slice(scheme.length), place);
  if (bare.startsWith("*")) return foldOpen(bare, place);
  return `web:${place(withHost(bare))}`;
}

function foldFile(path: string): string {
  return foldPath(path.replace(/^\/\/localhost(?=\/|$)/, "").replace(/^\/+/, "/"));
}

function foldAnyScheme(rest: string, place: (rest: string) => string): string {
  return rest.startsWith("/") ? `*:${foldFile(rest)}` : `*:${place(rest)}`;
}

function foldOpen(text: string, place: (rest: string) => string): string {
  const [user] = /^\*[^/@:]*@(?=[^/@]*[/:])/.exec(text) ?? [];
  if (user !== undefined) return `web:${place(withHost(`git@${text.slice(user.length)}`))}`;
  const [, host, path] = /^(\*[^/:@]*):(?!(?:[0-9]+|\*)?(?:\/|$))(.*)$/s.exec(text) ?? [];
  if (host !== undefined) return place(`${host}/${path}`);
  return text.includes("/") ? place(text) : text.replace(/(?:\.git)+$/, "");
}

// Rewrites text without a host, or with a colon after it, as `host/path`.
function withHost(text: string): string {
  if (/^[a-z]+:\/\//.test(text)) return text.replace(/^(ssh:\/\/[^/]*?):[0-9]*(?=\/|$)/, "$1");
  const forge = /^(github|gitlab):(.*)$/s.exec(text);
  if (forge !== null) return `${forge[1]}.com/${forge[2]}`;
  // After a user and a host, the colon never introduces a port.
  const scp =
    /^[^/@]*@([^/:@]+):(.*)$/s.exec(text) ?? /^([^/:@]+):(?!(?:[0-9]+|\*)?(?:\/|$))(.*)$/s.exec(text);
  if (scp !== null) return `${scp[1]}/${scp[2]}`;
  const [first = ""] = text.split("/", 1);
  const isHost = /^[^#@]*[.:]/.test(first) || /^[^/]*@/.test(first.replace(/#.*$/s, ""));
  return isHost ? text : `github.com/${text}`;
}

function foldPlace(text: string, hosts: "folded" | "as-written"): string {
  const place = text.replace(/^(?:[a-z]+:)?\/+/, "");
  const slash = place.search(/[/#?]/);
  const path = slash < 0 ? "" : foldPath(place.slice(slash));
  return foldHost(slash < 0 ? place : place.slice(0, slash), path, hosts);
}

const MAX_DECODINGS = 4;

/** Removes percent-encodings, even nested ones: servers decode, and some proxies before them decode again. */
export function decodePercent(text: string): string {
  let decoded = text;
  for (let count = 0; count < MAX_DECODINGS; count++) {
    const next = decoded.replace(/(?:%[0-9a-f]{2})+/gi, decodeBytes);
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

function decodeBytes(encoded: string): string {
  return Buffer.from(encoded.replaceAll("%", ""), "hex").toString();
}

function foldHost(written: string, path: string, hosts: "folded" | "as-written"): string {
  const host = written
    .replace(/^.*@/s, "")
    .replace(/:(?:22|80|443)?$/, "")
    .replace(/\.+(?=$|:)/, "")
    .replace(/(?!^)(?:\.git)+$/, "");
  const named = (host.includes("*") ? undefined : parseUrl(`https://${host}`)?.host) ?? host;
  const below = path.replace(API, "");
  if (hosts === "as-written") return `${named}${below}`;
  const main = named.replace(/^(?:www|ssh|altssh)\./, "");
  const [known, prefix] = ALIASES.get(main) ?? [main, ""];
  return `${known}${`${below}/`.startsWith(`${prefix}/`) ? below.slice(prefix.length) : below}`;
}

// The API path of repositories on self-hosted forges.
const API = /^\/api\/v[0-9]+\/(?:projects|repos)(?=\/|$)/;

// Other hosts that serve the same repositories, and the prefix of their paths there.
const ALIASES: ReadonlyMap<string, readonly [host: string, prefix: string]> = new Map([
  ["raw.githubusercontent.com", ["github.com", ""]],
  ["raw.github.com", ["github.com", ""]],
  ["codeload.github.com", ["github.com", ""]],
  ["media.githubusercontent.com", ["github.com", "/media"]],
  ["api.github.com", ["github.com", "/repos"]],
  ["api.bitbucket.org", ["bitbucket.org", "/2.0/repositories"]],
  ["index.docker.io", ["docker.io", ""]],
  ["registry-1.docker.io", ["docker.io", ""]],
  ["registry.hub.docker.com", ["docker.io", ""]],
]);

/** Removes parts that do not change the place: empty segments, `.` and `..`, and the `.git` that git adds itself. */
function foldPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part.replace(/(?:\.git)+(?=$|[#@?])/, ""));
  }
  const folded = parts.filter((part) => part !== "").join("/");
  if (folded === "") return "";
  return path.startsWith("/") ? `/${folded}` : folded;
}

/**
 * A rule is about a place: any ref, version, skill or query may be requested there, so none of these narrows
 * it. A pattern that matches no source is an error: a rule that never applies looks like one that does.
 */
export function rulePattern(written: string): string {
  const folded = foldSource(written);
  const problem = problemOf(written.trim(), folded);
  if (problem === undefined) return withoutVersion(folded);
  const message = `The rule ${JSON.stringify(written.slice(0, 200))} in hub.signatures matches no source: ${problem}. Write OWNER/REPOSITORY, a URL, npm:NAME, oci://HOST/REPOSITORY or a whole path, with * for any part.`;
  throw new SkilletError("signature-rule-malformed", message, { data: { rule: written } });
}

const SCHEMES: ReadonlySet<string> = new Set(["https", "http", "ssh", "git", "file", "oci"]);

function problemOf(written: string, folded: string): string | undefined {
  if (folded === "") return "it is empty";
  if (folded.startsWith("*")) return undefined;
  if (/^(?:\.{1,2}(?:\/|$)|~)/.test(written)) return "its path is not absolute";
  if (folded.startsWith("file:")) return undefined;
  if (/[\s,\\\p{Cc}]/u.test(written)) return "it has a space, a comma or a backslash";
  const scheme = /^(?:git\+|git:(?!\/\/)|well-known:)*([a-z][a-z0-9+.-]*):\/\//i
    .exec(written)?.[1]
    ?.toLowerCase();
  if (scheme !== undefined && !SCHEMES.has(scheme)) return `nothing is fetched by ${scheme}:`;
  if (folded.startsWith("npm:"))
    return /^npm:[@a-z0-9~*][a-z0-9._~@/*#-]*$/.test(folded) ? undefined : "no package is called that";
  const host = folded.slice(folded.indexOf(":") + 1).split(/[/#?]/, 1)[0] ?? "";
  return /^[a-z0-9.*_-]+(?::[0-9*]+)?$|^\[[0-9a-f:.]+\](?::[0-9*]+)?$/.test(host)
    ? undefined
    : "that is not a valid host name";
}

function withoutVersion(folded: string): string {
  const place = folded.replace(/[#?].*$/s, "").replace(/(?<=[^:/])@[^/]*$/, "");
  const bare = place.startsWith("oci:") ? place.replace(/^(oci:[^/]*\/[^:]*):.*$/s, "$1") : place;
  // All local folders.
  return bare === "file:" ? "file:*" : bare.replace(/(?<=[^/:])\/$/, "");
}
