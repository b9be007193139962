/**
 * One spelling for everything that leads to the same place, for rules that go by where something comes from.
 *
 * Rules and sources are folded alike. Where two spellings could be one place they become one: a rule that holds for too
 * much asks for a signature more, one that somebody can spell his way around is none. So capitals, encodings, protocols,
 * users, usual ports, `.git` and the hosts under which a forge also answers do not count. A text that begins with `*`
 * keeps its beginning.
 */
export function foldSource(text: string): string {
  const plain = decode(text.trim().normalize("NFC")).toLowerCase();
  if (plain === "" || plain.startsWith("*") || plain.startsWith("npm:")) return plain;
  if (/^(?:\.{0,2}\/|\.{1,2}$|~)/.test(plain)) return `file:${plain}`;
  if (plain.startsWith("oci:")) return `oci:${foldPlace(plain.slice("oci:".length))}`;
  const bare = plain.replace(/^(?:well-known:|git:(?!\/\/)|git\+)+/, "");
  if (bare.startsWith("file:")) return `file:${bare.slice("file:".length).replace(/^\/+/, "/")}`;
  return `web:${foldPlace(withHost(bare))}`;
}

// What is written without its host, or with a colon behind it, as `host/path`.
function withHost(text: string): string {
  if (/^[a-z]+:\/\//.test(text)) return text.replace(/^(ssh:\/\/[^/]*?):[0-9]*(?=\/|$)/, "$1");
  const forge = /^(github|gitlab):(.*)$/s.exec(text);
  if (forge !== null) return `${forge[1]}.com/${forge[2]}`;
  const scp = /^([^/@]*@)?([^/:@*]+):(?![0-9]+(?:\/|$))(.*)$/s.exec(text);
  if (scp !== null) return `${scp[2]}/${scp[3]}`;
  const [first = ""] = text.split("/", 1);
  const isHost = /^[^#@]*[.:]/.test(first) || /^[^/]*@/.test(first.replace(/#.*$/s, ""));
  return isHost ? text : `github.com/${text}`;
}

function foldPlace(text: string): string {
  const place = text.replace(/^(?:[a-z]+:)?\/+/, "");
  const slash = place.search(/[/#?]/);
  const host = foldHost(slash < 0 ? place : place.slice(0, slash));
  const path = slash < 0 ? "" : foldPath(place.slice(slash));
  // Where GitHub's programs find repositories.
  return `${host}${host === "github.com" ? path.replace(/^\/repos(?=\/)/, "") : path}`;
}

function foldHost(written: string): string {
  const host = written
    .replace(/^.*@/s, "")
    .replace(/:(?:22|80|443)?$/, "")
    .replace(/\.+(?=$|:)/, "")
    .replace(/^(?:www|ssh|altssh)\./, "");
  const ascii =
    /[^\0-\x7f]/.test(host) && URL.canParse(`https://${host}`) ? new URL(`https://${host}`).host : host;
  return ALIASES.get(ascii) ?? ascii;
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["raw.githubusercontent.com", "github.com"],
  ["codeload.github.com", "github.com"],
  ["api.github.com", "github.com"],
]);

function foldPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part.replace(/(?!^)\.git(?=$|[#@])/, ""));
  }
  if (parts.length === 0) return "";
  return path.startsWith("/") ? `/${parts.join("/")}` : parts.join("/");
}

const MAX_DECODINGS = 4;

// Servers decode, and some that stand before them decode again.
function decode(text: string): string {
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
