import { parseAuthority } from "../authority.ts";
import type { ByteSource } from "./byte-source.ts";
import type { ProxyContext } from "./proxy-context.ts";
import { ProxyFault } from "./proxy-fault.ts";
import { readRequestHead } from "./read-request-head.ts";
import type { RequestHead } from "./request-head.ts";
import { type RequestTarget, requestTarget } from "./request-target.ts";

/** A request, and what it asks its host for. */
export interface TunnelledRequest {
  readonly head: RequestHead;
  readonly path: string;
}

/** Reads a request out of a tunnel, which must be for the tunnel's own host by whatever it says. */
export async function readTunnelledRequest(
  source: ByteSource,
  tunnel: RequestTarget,
  context: ProxyContext,
): Promise<TunnelledRequest> {
  const head = await readRequestHead(source);
  if (head === undefined) throw new ProxyFault(400, "The tunnel ends before the head of its request does.");
  const hosts = head.fields.filter(([name]) => name === "host").map(([, value]) => value);
  const asked = targetOf(head, tunnel);
  if (
    asked.host !== tunnel.host ||
    asked.port !== tunnel.port ||
    !hosts.every((host) => isFor(host, tunnel))
  ) {
    context.refusals.add({ host: tunnel.host, port: tunnel.port, reason: "http-host-differs" });
    throw new ProxyFault(403, "The request in the tunnel is for another host than the tunnel.");
  }
  if (asked.path === undefined) throw new ProxyFault(400, "There is no tunnel through a tunnel.");
  return { head, path: asked.path };
}

function targetOf(head: RequestHead, tunnel: RequestTarget): RequestTarget {
  const isOwnForm = head.target.startsWith("/") || head.target === "*";
  return isOwnForm && head.method !== "CONNECT" ? { ...tunnel, path: head.target } : requestTarget(head);
}

function isFor(written: string, { host, port }: RequestTarget): boolean {
  const authority = parseAuthority(written);
  return authority?.host === host && (authority.port ?? port) === port;
}
