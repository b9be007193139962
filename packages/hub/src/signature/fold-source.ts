import { foldHost, foldPath } from "./fold-place.ts";

/**
 * One spelling for everything that leads to the same place, for rules that go by where something comes from.
 *
 * Rules and sources are folded alike. Where two spellings could be one place they become one: a rule that holds for too
 * much asks for a signature more, one that somebody can spell his way around is none. So capitals, encodings, protocols,
 * users, usual ports, `.git` and the hosts under which a forge also answers do not count. `~` stays, since only the
 * caller knows whose home it is.
 *
 * @example
 * foldSource("git@github.com:Acme/tools.git"); // "web:github.com/acme/tools"
 */
export function foldSource(
  text: string,
  /** With `as-written`, other hosts of a forge stay: a rule may name them by a pattern. */
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
  // A pattern for the protocol, which what it is matched against does not have.
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

/** A pattern that says nothing about where its text begins. */
function foldOpen(text: string, place: (rest: string) => string): string {
  const [user] = /^\*[^/@:]*@(?=[^/@]*[/:])/.exec(text) ?? [];
  if (user !== undefined) return `web:${place(withHost(`git@${text.slice(user.length)}`))}`;
  const [, host, path] = /^(\*[^/:@]*):(?!(?:[0-9]+|\*)?(?:\/|$))(.*)$/s.exec(text) ?? [];
  if (host !== undefined) return place(`${host}/${path}`);
  return text.includes("/") ? place(text) : text.replace(/(?:\.git)+$/, "");
}

// What is written without its host, or with a colon behind it, as `host/path`.
function withHost(text: string): string {
  if (/^[a-z]+:\/\//.test(text)) return text.replace(/^(ssh:\/\/[^/]*?):[0-9]*(?=\/|$)/, "$1");
  const forge = /^(github|gitlab):(.*)$/s.exec(text);
  if (forge !== null) return `${forge[1]}.com/${forge[2]}`;
  // Behind a user and a host it is never a port.
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
  return foldHost(slash < 0 ? place : place.slice(0, slash), { path, hosts });
}

const MAX_DECODINGS = 4;

/** A text without encodings: servers decode, and some that stand before them decode again. */
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
