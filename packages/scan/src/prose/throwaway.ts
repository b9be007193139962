import { classifyHost, type HostKind, hostOf } from "../host/classify-host.ts";

/** Whether a link leads to a place that anybody can open without a name; nobody publishes an installer there. */
export function isThrowaway(url: string): boolean {
  return KINDS.has(classifyHost(url)) || PASTE_NAME.test(hostOf(url) ?? "");
}

const KINDS: ReadonlySet<HostKind> = new Set<HostKind>([
  "raw-address",
  "paste",
  "shortener",
  "tunnel",
  "collector",
  "file-sharing",
]);

// Many vendors run such a service under their own name.
const PASTE_NAME = /^(?:paste|pastebin|pastes|hastebin|snippets?|bin|dpaste)\./;
