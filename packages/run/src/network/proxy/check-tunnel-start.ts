import { canonicalHost } from "../canonical-host.ts";
import type { NetworkRefusal } from "../network-refusal.ts";
import type { ByteSource } from "./byte-source.ts";
import { MAX_HELLO_BYTES, parseClientHello } from "./client-hello.ts";
import { httpStart } from "./http-start.ts";
import type { ProxyContext } from "./proxy-context.ts";
import { ProxyFault } from "./proxy-fault.ts";
import type { RequestTarget } from "./request-target.ts";

/** Where nothing but TLS is spoken. */
export const HTTPS_PORT = 443;
// Where nothing but HTTP is.
const HTTP_PORT = 80;
// Each one is looked at from the start, so their number bounds the work.
const MAX_START_PIECES = 64;
const MAX_START_BYTES = MAX_HELLO_BYTES;

/**
 * Looks at the first bytes that go into a tunnel, and puts them back. A TLS hello must name the host of the tunnel or
 * none, so that a granted host cannot stand in front of another at the same address; a request is judged by whoever
 * passes it on. On port 443 there must be a hello and on port 80 a request; on other ports anything else may be spoken.
 * What is said inside TLS cannot be seen.
 */
export async function checkTunnelStart(
  source: ByteSource,
  { host, port }: RequestTarget,
  context: ProxyContext,
): Promise<TunnelKind> {
  let read = Buffer.alloc(0);
  for (let pieces = 0; ; pieces += 1) {
    const piece = await source.next();
    const isOver = piece === undefined || pieces >= MAX_START_PIECES || read.length > MAX_START_BYTES;
    if (piece !== undefined) read = Buffer.concat([read, piece]);
    const judged = isOver
      ? judgeWhole(read, { port, ended: piece === undefined })
      : judge(read, { host, port });
    if (judged === "incomplete") continue;
    if (typeof judged === "object") {
      context.refusals.add({ host, port, reason: judged.reason });
      throw new ProxyFault(403, judged.message);
    }
    source.unread(read);
    return judged;
  }
}

type TunnelKind = "http" | "anything";

interface Refused {
  readonly reason: NetworkRefusal["reason"];
  readonly message: string;
}

/** When nothing more comes, or too much came. */
function judgeWhole(
  read: Uint8Array,
  { port, ended }: { port: number; ended: boolean },
): TunnelKind | Refused {
  // An end without a word is nothing to refuse, nor one before anything was asked for.
  if (ended && (read.length === 0 || (port !== HTTPS_PORT && port !== HTTP_PORT))) return "anything";
  return couldBeTls(read, port)
    ? { reason: "not-tls", message: "The tunnel does not begin with a whole TLS hello." }
    : { reason: "not-http", message: "The tunnel does not begin with a whole line of a request." };
}

function judge(read: Buffer, { host, port }: RequestTarget): TunnelKind | Refused | "incomplete" {
  if (couldBeTls(read, port)) return judgeHello(read, host);
  const http = httpStart(read);
  if (http === "unknown") return "incomplete";
  if (http === "yes") return "http";
  if (port !== HTTP_PORT) return "anything";
  return {
    reason: "not-http",
    message: "The tunnel does not begin with a request, which on port 80 it must.",
  };
}

function judgeHello(read: Buffer, host: string): TunnelKind | Refused | "incomplete" {
  const hello = parseClientHello(read);
  if (hello.kind === "incomplete") return "incomplete";
  if (hello.kind === "malformed")
    return { reason: "not-tls", message: "The tunnel does not begin with a TLS hello." };
  const { serverName = host, encrypted } = hello;
  if (!encrypted && canonicalHost(serverName) === host) return "anything";
  return { reason: "tls-name-differs", message: "The TLS hello names another host than the tunnel." };
}

function couldBeTls([type, major = 3]: Uint8Array, port: number): boolean {
  if (port === HTTPS_PORT) return true;
  return port !== HTTP_PORT && type === 22 && major === 3;
}
