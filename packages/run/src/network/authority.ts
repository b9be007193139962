import { isIPv6 } from "node:net";
import { canonicalHost } from "./canonical-host.ts";

/** A host in its canonical spelling, and the port where one was written. */
export interface Authority {
  readonly host: string;
  readonly port?: number;
}

const SHAPE = /^(\[[^[\]]*\]|[^:[\]]+)(?::([1-9][0-9]{0,4}))?$/;
const MAX_PORT = 65_535;

/** Reads `host`, `host:port` or `[address]:port`, and nothing else. */
export function parseAuthority(text: string): Authority | undefined {
  const [, written = "", digits] = SHAPE.exec(text) ?? [];
  const host = canonicalHost(written);
  if (host === undefined) return undefined;
  if (digits === undefined) return { host };
  const port = Number(digits);
  return port > MAX_PORT ? undefined : { host, port };
}

/** Writes a canonical host and a port the way they are read. */
export function formatAuthority({ host, port }: Authority): string {
  const written = isIPv6(host) ? `[${host}]` : host;
  return port === undefined ? written : `${written}:${port}`;
}
