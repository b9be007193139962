import { classifyHost, type HostKind } from "../host/classify-host.ts";

/** Whether an address is of a kind that services do not have: a bare number, a tunnel, a paste, a bin. */
export function isSuspiciousHost(urlOrHost: string): boolean {
  return SUSPICIOUS.has(classifyHost(urlOrHost));
}

const SUSPICIOUS: ReadonlySet<HostKind> = new Set<HostKind>([
  "raw-address",
  "paste",
  "shortener",
  "tunnel",
  "collector",
  "webhook",
  "file-sharing",
]);
