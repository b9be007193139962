import { parseAuthority } from "../authority.ts";
import { ProxyFault } from "./proxy-fault.ts";
import type { RequestHead } from "./request-head.ts";

/** Where a request wants to go. */
export interface RequestTarget {
  readonly host: string;
  readonly port: number;
  /** What to ask for there; absent: a tunnel. */
  readonly path?: string;
}

const HTTP_PORT = 80;
// No user: it would be sent in clear, and hides the host from a quick look. No fragment: it is never sent.
const ABSOLUTE = /^http:\/\/([^/?#@]+)([/?][^#]*)?$/i;

/** Reads the target of a request to a proxy: `host:port` for CONNECT, otherwise a whole `http:` address. */
export function requestTarget({ method, target }: RequestHead): RequestTarget {
  if (method === "CONNECT") {
    const authority = parseAuthority(target);
    if (authority?.port === undefined)
      throw new ProxyFault(400, "CONNECT needs a host and a port, as in api.example.org:443.");
    return { host: authority.host, port: authority.port };
  }
  if (target.startsWith("/"))
    throw new ProxyFault(
      400,
      "This is a proxy: ask it for a whole address, as in http://api.example.org/path.",
    );
  if (/^https:/i.test(target))
    throw new ProxyFault(400, "Addresses with https go through a tunnel: ask with CONNECT.");
  const [, written, rest = "/"] = ABSOLUTE.exec(target) ?? [];
  const authority = written === undefined ? undefined : parseAuthority(written);
  if (authority === undefined)
    throw new ProxyFault(400, "The address is none that this proxy understands: http://HOST[:PORT]/PATH.");
  return {
    host: authority.host,
    port: authority.port ?? HTTP_PORT,
    path: rest.startsWith("/") ? rest : `/${rest}`,
  };
}
