import { Socket, type SocketConstructorOpts } from "node:net";
import type { Duplex } from "node:stream";
import { errorCode } from "@skillet/kit/errors";
import {
  findGrant,
  formatAuthority,
  type NetworkGrant,
  type ResolveHost,
  reachableAddresses,
} from "./network-grant.ts";
import type { RefusalList } from "./network-refusal.ts";
import { type HostAndPort, ProxyFault } from "./proxy-request.ts";

export interface ProxyContext {
  readonly grants: readonly NetworkGrant[];
  readonly resolve: ResolveHost;
  readonly refusals: RefusalList;
  /** The time limit for the head of a request, and for the first bytes that a client sends into a tunnel. */
  readonly headTimeoutMs: number;
  readonly onFailure: (error: unknown) => void;
}

const SOCKET_OPTIONS: SocketConstructorOpts & { readonly readableHighWaterMark: number } = {
  allowHalfOpen: true,
  // Reads at most one piece ahead: buffered single bytes would take many times their size.
  readableHighWaterMark: 1,
};

/** Connects a client to a host if the host and its address are granted; closes when the client does. */
export async function connectTarget(
  client: Duplex,
  target: HostAndPort,
  context: ProxyContext,
): Promise<Socket> {
  const { host, port } = target;
  // Checked before the look-up, because the query itself could carry data out.
  if (findGrant(context.grants, target) === undefined) {
    context.refusals.add({ host, port, reason: "not-granted" });
    const needed = formatAuthority(port === 80 || port === 443 ? { host } : { host, port });
    throw new ProxyFault(
      403,
      `${formatAuthority({ host, port })} is not granted. It needs the grant "${needed}".`,
    );
  }
  const { addresses, refused } = await resolved(target, context);
  const [address] = refused;
  if (addresses.length === 0 && address !== undefined) {
    context.refusals.add({ host, port, address, reason: "address-not-granted" });
    const needed = formatAuthority({ host: address, port });
    throw new ProxyFault(
      403,
      `${host} leads to ${address}, which its grant does not cover. It needs the grant "${needed}" as well.`,
    );
  }
  let last: unknown;
  for (const address of addresses) {
    try {
      return await connected(client, { host: address, port });
    } catch (error) {
      if (client.destroyed) throw error;
      last = error;
    }
  }
  const code = errorCode(last) ?? "no address";
  context.refusals.add({ host, port, errorCode: code, reason: "no-connection" });
  throw new ProxyFault(502, `${formatAuthority({ host, port })} could not be reached (${code}).`);
}

async function resolved(target: HostAndPort, context: ProxyContext): ReturnType<typeof reachableAddresses> {
  try {
    return await reachableAddresses(target, context);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const { host, port } = target;
    context.refusals.add({ host, port, errorCode: code, reason: "no-address" });
    throw new ProxyFault(502, `No address was found for ${host} (${code}).`);
  }
}

// Per address of a host.
const CONNECT_TIMEOUT_MS = 10_000;

function connected(client: Duplex, place: HostAndPort): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new Socket(SOCKET_OPTIONS);
    const give = (code: string) => (): void => {
      socket.destroy(Object.assign(new Error("no connection"), { code }));
    };
    const leave = give("ECONNABORTED");
    const timer = setTimeout(give("ETIMEDOUT"), CONNECT_TIMEOUT_MS);
    client.once("close", leave);
    socket.once("close", () => {
      clearTimeout(timer);
      client.off("close", leave);
    });
    socket.on("error", reject);
    socket.once("connect", () => {
      clearTimeout(timer);
      resolve(socket);
    });
    if (client.destroyed) leave();
    else socket.connect({ host: place.host, port: place.port, noDelay: true });
  });
}
