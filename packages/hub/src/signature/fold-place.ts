/** A host in its one spelling, and the path of the repository on it where the address is one of a program's. */
export function foldHost(
  written: string,
  { path, hosts }: { readonly path: string; readonly hosts: "folded" | "as-written" },
): string {
  const host = written
    .replace(/^.*@/s, "")
    .replace(/:(?:22|80|443)?$/, "")
    .replace(/\.+(?=$|:)/, "")
    .replace(/(?!^)(?:\.git)+$/, "");
  const named =
    host.includes("*") || !URL.canParse(`https://${host}`) ? host : new URL(`https://${host}`).host;
  const below = path.replace(API, "");
  if (hosts === "as-written") return `${named}${below}`;
  const main = named.replace(/^(?:www|ssh|altssh)\./, "");
  const alias = ALIASES.find(({ host: other }) => other === main);
  if (alias === undefined) return `${main}${below}`;
  const isBehind = `${below}/`.startsWith(`${alias.prefix}/`);
  return `${alias.means}${isBehind ? below.slice(alias.prefix.length) : below}`;
}

// Where programs find repositories on forges that anybody may run.
const API = /^\/api\/v[0-9]+\/(?:projects|repos)(?=\/|$)/;

interface Alias {
  readonly host: string;
  readonly means: string;
  /** What stands before the repository there. */
  readonly prefix: string;
}

// Other hosts that give out the same repositories.
const ALIASES: readonly Alias[] = [
  { host: "raw.githubusercontent.com", means: "github.com", prefix: "" },
  { host: "raw.github.com", means: "github.com", prefix: "" },
  { host: "codeload.github.com", means: "github.com", prefix: "" },
  { host: "media.githubusercontent.com", means: "github.com", prefix: "/media" },
  { host: "api.github.com", means: "github.com", prefix: "/repos" },
  { host: "api.bitbucket.org", means: "bitbucket.org", prefix: "/2.0/repositories" },
  { host: "index.docker.io", means: "docker.io", prefix: "" },
  { host: "registry-1.docker.io", means: "docker.io", prefix: "" },
  { host: "registry.hub.docker.com", means: "docker.io", prefix: "" },
];

/** A path without what makes no other place of it: empty segments, detours, and the `.git` that git adds itself. */
export function foldPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part.replace(/(?:\.git)+(?=$|[#@?])/, ""));
  }
  const folded = parts.filter((part) => part !== "").join("/");
  if (folded === "") return "";
  return path.startsWith("/") ? `/${folded}` : folded;
}
