import { canonicalHost } from "../canonical-host.ts";
import type { ByteSource } from "./byte-source.ts";
import { MAX_HELLO_BYTES, parseClientHello } from "./client-hello.ts";
import type { ProxyContext } from "./proxy-context.ts";
import { ProxyFault } from "./proxy-fault.ts";
import type { RequestTarget } from "./request-target.ts";

/** Where nothing but TLS is spoken. */
export const HTTPS_PORT = 443;
// Each one is looked at from the start, so their number bounds the work.
const MAX_HELLO_PIECES = 64;

/**
 * Looks at the first bytes that go into a tunnel, and puts them back. A TLS hello must name the host of the tunnel or
 * none, so that a granted host cannot stand in front of another at the same address. On port 443 there must be a hello;
 * on other ports anything else may be spoken. What is said inside TLS cannot be seen.
 */
export async function checkTunnelStart(
  source: ByteSource,
  { host, port }: RequestTarget,
  context: ProxyContext,
): Promise<void> {
  const refuse = (reason: "not-tls" | "tls-name-differs", message: string): never => {
    context.refusals.add({ host, port, reason });
    throw new ProxyFault(403, message);
  };
  let read = Buffer.alloc(0);
  for (let pieces = 0; ; pieces += 1) {
    const piece = await source.next();
    if (piece === undefined || pieces >= MAX_HELLO_PIECES || read.length > MAX_HELLO_BYTES) {
      // An end without a word is nothing to refuse.
      if (piece === undefined && (read.length === 0 || port !== HTTPS_PORT)) return source.unread(read);
      return refuse("not-tls", "The tunnel does not begin with a whole TLS hello.");
    }
    read = Buffer.concat([read, piece]);
    if (port !== HTTPS_PORT && !couldBeTls(read)) return source.unread(read);
    const hello = parseClientHello(read);
    if (hello.kind === "incomplete") continue;
    if (hello.kind === "malformed") return refuse("not-tls", "The tunnel does not begin with a TLS hello.");
    const { serverName = host, encrypted } = hello;
    if (encrypted || canonicalHost(serverName) !== host)
      return refuse("tls-name-differs", "The TLS hello names another host than the tunnel.");
    return source.unread(read);
  }
}

function couldBeTls([type, major = 3]: Uint8Array): boolean {
  return type === 22 && major === 3;
}
