import { forgeEffects, hostOf } from "@skillet/shell";
import { plainTextOf } from "./fold-operator.ts";
import { type Call, display } from "./machine.ts";
import type { ApiEffect, NetworkHow } from "./named-value.ts";
import { pathSource, recordWrite } from "./perform-effect.ts";
import {
  HOLE,
  type Taint,
  taintsOf,
  textsOf,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

export function performUpload(call: Call, effect: ApiEffect): undefined {
  const path = call.argument(effect.path);
  const taints = textsOf(path).map((text) => pathSource(call, text));
  recordSend(call, { how: effect.how, address: addressOf(call.receiver), taints });
}

export function performSend(call: Call, { how, to, data }: ApiEffect): undefined {
  const target = to === undefined ? call.receiver : call.argument(to);
  const taints = data === undefined ? call.taints : taintsOf(call.argument(data));
  const address = addressOf(target);
  // Name lookups are common; only a name that contains data sends something.
  const isLookUp = how === "dns" || how === "browser";
  if (!isLookUp) recordSend(call, { how, address, taints: unionTaints(taints, call.receiver.taints) });
  else if (taints.length > 0 && target.text?.replaceAll(HOLE, "").includes(".") === true)
    recordSend(call, { how, address, taints });
}

export function addressOf(value: Value): string | undefined {
  return addressesOf(value)[0];
}

function addressesOf(value: Value): readonly string[] {
  const texts = textsOf(value);
  if (texts.length > 0) return texts;
  if (value.maker?.address !== undefined) return [value.maker.address];
  const fields = value.box?.fields;
  const target = fields?.get("$target");
  if (target !== undefined && target !== value) return addressesOf(target);
  if (value.box?.items !== undefined) return pairAddress(value.box.items);
  return fields === undefined ? [] : optionAddresses(fields);
}

/** Python gives a host and a port, Node a port and a host, or an object. */
function pairAddress([first, second]: readonly Value[]): readonly string[] {
  if (first === undefined) return [];
  if (first.box?.fields !== undefined || first.box?.items !== undefined) return addressesOf(first);
  const [host, port] = first.number !== undefined ? [second, first] : [first, second];
  const name = host === undefined ? undefined : plainTextOf(host);
  const number = port === undefined ? undefined : plainTextOf(port);
  if (name === undefined && number === undefined) return [];
  const unnamed = first.number === undefined ? HOLE : "localhost";
  return [`${name ?? unnamed}${number === undefined ? "" : `:${number}`}`];
}

function optionAddresses(fields: ReadonlyMap<string, Value>): readonly string[] {
  for (const name of ["url", "uri", "href", "baseURL"]) {
    const url = fields.get(name);
    if (url !== undefined) return textsOf(url);
  }
  const host = fields.get("hostname") ?? fields.get("host");
  if (host === undefined) return [];
  const protocol = plainTextOf(fields.get("protocol") ?? UNKNOWN) ?? "https:";
  const path = plainTextOf(fields.get("path") ?? UNKNOWN) ?? "/";
  return textsOf(host).map((name) => `${protocol}//${name}${path}`);
}

export function performRequest(call: Call, effect: ApiEffect): Value {
  const target = call.argument(effect.url);
  const urls = addressesOf(target);
  const to = call.given(effect.to);
  const isSend = effect.method === "send" || (effect.method === "by-argument" && hasBody(call));
  // `session.headers["x"] = key`: data that the receiver holds is sent too, unless it was transformed.
  const held = call.receiver.box?.taints.filter(({ isDirect }) => isDirect) ?? [];
  const outgoing = unionTaints(call.taints, taintsOf(target), call.receiver.taints, held);
  const incoming: Taint[] = [];
  for (const url of urls.length === 0 ? [HOLE] : urls) {
    recordRequest(call, url, isSend ? "send" : "fetch", to?.text);
    recordFlow(call, { how: "http", address: url, taints: outgoing });
    incoming.push(networkTaint(call, url));
  }
  if (to !== undefined) recordWrite(call, to, { taints: incoming }, "replace");
  if (effect.returns === undefined) return unknownWith(incoming);
  const fields = new Map([["$target", { text: urls[0] ?? HOLE, taints: [] }]]);
  return { api: effect.returns, box: { fields, taints: [] }, taints: incoming };
}

function hasBody(call: Call): boolean {
  if (call.keywords.has("data") || call.keywords.has("json") || call.keywords.has("files")) return true;
  const method =
    call.option("method")?.text ?? call.keywords.get("method")?.text ?? call.positional[0]?.text ?? "";
  if (/^(?:post|put|patch|delete)$/i.test(method)) return true;
  return call.option("body") !== undefined || call.option("data") !== undefined;
}

function recordRequest(call: Call, address: string, type: "fetch" | "send", to?: string): void {
  const url = display(address);
  const host = hostOf(url) ?? "*";
  call.act({ type, url, host, ...(type === "fetch" && to !== undefined ? { to: display(to) } : {}) });
  for (const effect of type === "send" ? forgeEffects(url) : []) call.act(effect);
}

interface Sending {
  readonly how: NetworkHow | undefined;
  readonly address: string | undefined;
  readonly taints: readonly Taint[];
}

function recordSend(call: Call, sending: Sending): void {
  recordRequest(call, sending.address ?? HOLE, "send");
  recordFlow(call, sending);
}

function recordFlow(call: Call, { how = "http", address, taints }: Sending): void {
  const url = display(address ?? HOLE);
  const told = taints.filter((taint) => taint.source.type !== "network" && taint.source.type !== "decoded");
  call.flow(told, { type: "network", how, url, host: hostOf(url) ?? "*" });
}

export function networkTaint(call: Call, address: string): Taint {
  const url = display(address);
  return call.taint({ type: "network", url, host: hostOf(url) ?? "*" });
}
