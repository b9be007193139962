import { SkilletError } from "@skillet/kit/errors";
import type { FetchContext } from "../fetch-context.ts";
import { allowHostCommand } from "../http/allow-host-command.ts";
import { isAllowedHost } from "../http/is-allowed-host.ts";

/** Whom a URL is asked for, and what was allowed. */
export type GitAsker = Pick<FetchContext, "askedBy" | "allowedPrivateHosts">;

/**
 * The protocols that git may use for a URL, as `GIT_ALLOW_PROTOCOL` takes them; throws for a URL that none of them fits.
 *
 * Whatever a server redirects to, and whatever a user's `url.insteadOf` makes of it, stays within them.
 */
export function gitProtocols(url: string, asker: GitAsker): string {
  const scheme = /^([a-z]+):\/\//.exec(url)?.[1];
  if (scheme === "file") return "file";
  if (scheme === "https" || scheme === "ssh") return "https:ssh";
  if (scheme === undefined && /^[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9]/.test(url)) return "https:ssh";
  if (scheme === "http" && isAllowed(new URL(url), asker)) return "http:https";
  throw new SkilletError(
    "git-protocol-refused",
    scheme === "http"
      ? `${url} is http, by which anybody on the way can change what comes; use https or ssh, or if you run that server, allow it: ${allowHostCommand(new URL(url).host, asker)}`
      : `${JSON.stringify(url)} is of no protocol that is allowed; use https, ssh or file.`,
    { data: { url } },
  );
}

function isAllowed(url: URL, { askedBy, allowedPrivateHosts }: GitAsker): boolean {
  return (
    isAllowedHost(url, allowedPrivateHosts) ||
    // Nobody is on the way to this machine itself; but what runs on it is not for strangers to ask.
    (askedBy === "person" && /^(?:localhost|\[::1\]|127(?:\.[0-9]{1,3}){3})$/.test(url.hostname))
  );
}
