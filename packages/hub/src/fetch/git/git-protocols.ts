import { SkilletError } from "@skillet/core";

/**
 * The protocols that git may use for a URL, as `GIT_ALLOW_PROTOCOL` takes them; throws for a URL that none of them fits.
 *
 * Whatever a server redirects to, and whatever a user's `url.insteadOf` makes of it, stays within them.
 */
export function gitProtocols(url: string, allowedHosts: readonly string[]): string {
  const scheme = /^([a-z]+):\/\//.exec(url)?.[1];
  if (scheme === "file") return "file";
  if (scheme === "https" || scheme === "ssh") return "https:ssh";
  if (scheme === undefined && /^[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9]/.test(url)) return "https:ssh";
  if (scheme === "http" && isAllowed(new URL(url), allowedHosts)) return "http:https";
  throw new SkilletError(
    "git-protocol-refused",
    scheme === "http"
      ? `${url} is http, by which anybody on the way can change what comes; use https or ssh, or allow the host in your config.`
      : `${JSON.stringify(url)} is of no protocol that is allowed; use https, ssh or file.`,
    { data: { url } },
  );
}

function isAllowed({ host, hostname }: URL, allowedHosts: readonly string[]): boolean {
  if (hostname === "localhost" || hostname === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(hostname))
    return true;
  return allowedHosts.includes(host) || allowedHosts.includes(hostname);
}
