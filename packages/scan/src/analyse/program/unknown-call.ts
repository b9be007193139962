import { addressInCode } from "@skillet/shell";
import { hostOf } from "../../host/classify-host.ts";
import { privateKind } from "../../secret/classify-path.ts";
import { wordSet } from "../../word-list.ts";
import { type Call, display, type Site } from "./machine.ts";
import { pathSource } from "./perform-effect.ts";
import { addressOf } from "./perform-network.ts";
import { HOLE, type Maker, type Taint, taintsOf, textsOf, unionTaints, type Value } from "./value.ts";

/**
 * Follows data through unknown functions by their arguments: private data together with an address is on its
 * way there, in one call or in several calls of the same library's objects.
 */
export function followUnknownCall(call: Call): Maker | undefined {
  const values = partsOf(call.values);
  recordCommands(call, values);
  const maker = makerOf(call, values);
  if (maker === undefined) return undefined;
  const told = privateTaints(unionTaints(call.taints, filesIn(call, values)));
  maker.address ??= firstAddress([...values, call.receiver]);
  if (told.length > 0) maker.taints = unionTaints(maker.taints, told);
  // Perl's `push @list, …` sends nothing: in the other languages only a method does.
  const name = call.machine.language === "code" ? call.callee.property : nameOf(call);
  const isSending = SENDING.test(name ?? "") || call.callee.subject?.property === "gists";
  if (maker.taints.length === 0 || (maker.address === undefined && !(isSending && told.length > 0)))
    return maker;
  const url = maker.address === undefined ? undefined : display(maker.address);
  call.flow(maker.taints, {
    type: "network",
    how: "unknown",
    ...(url === undefined ? {} : { url, host: hostOf(url) ?? "*" }),
  });
  return maker;
}

/** The library that a call belongs to: its receiver's, its arguments', or its own. */
function makerOf({ machine, api, callee, receiver }: Call, values: readonly Value[]): Maker | undefined {
  // `curl_setopt($handle, …)`: without methods, the object is an argument.
  const given = machine.language === "code" ? values.find(({ maker }) => maker !== undefined) : undefined;
  const known = receiver.maker ?? callee.maker ?? given?.maker;
  if (known !== undefined) return known;
  const root = /^[\w@/-]+/.exec(api)?.[0];
  if (root === undefined) {
    const other = machine.language === "code" ? { root: "", taints: [] } : undefined;
    return values.find(({ maker }) => maker !== undefined)?.maker ?? other;
  }
  if (LOCAL.has(root)) return undefined;
  const maker = machine.makers.get(root) ?? { root, taints: [] };
  machine.makers.set(root, maker);
  return maker;
}

function partsOf(values: readonly Value[]): readonly Value[] {
  return values.flatMap((value) => [
    value,
    ...(value.box?.items ?? []).slice(0, MAX_ITEMS),
    ...[...(value.box?.fields?.values() ?? [])].slice(0, MAX_ITEMS),
  ]);
}

function nameOf({ api, callee }: Call): string {
  return callee.property ?? api.split(".").at(-1) ?? "";
}

/** A command that fetches and runs something, passed to a function that may run it. */
function recordCommands(call: Call, values: readonly Value[]): void {
  if (SHOWING.test(nameOf(call))) return;
  for (const { text } of values)
    if (text !== undefined && COMMAND.test(text)) call.text(text.replaceAll(HOLE, "$UNKNOWN"), "shell");
}

const SHOWING =
  /print|echo|log|info|warn|error|debug|help|write|say|message|markdown|code|text|format|append|push|argument|option|join|replace|exit|fail|assert|expect|equal|match|test|compile|search|find/i;
const COMMAND =
  /^\s*(?:sudo\s+)?(?:(?:curl|wget)(?=\s)[^\n]{0,300}?(?:\|\s*(?:sudo\s+)?(?:(?:ba|z|da)?sh|python3?|node)\b|\s-[a-zA-Z]*[TF]\s|\s-d\s?@)|(?:ba|z)?sh\s+(?:-c\s+["']?\$\(|<\()\s*(?:curl|wget)\b)/;

// These are built in, and pass data on within one machine.
const LOCAL: ReadonlySet<string> = wordSet(`
  multiprocessing queue asyncio threading concurrent signal logging csv sqlite3 pickle shelve io re string textwrap
  argparse unittest collections itertools functools contextlib datetime hashlib hmac secrets random math struct json
  copy pprint tempfile pathlib os sys time typing dataclasses enum warnings traceback inspect print len sorted
  file file-write file-append archive-write child hash cipher library server path listing form
  events worker_threads process stream readline util assert crypto Object Array Math JSON Promise console Map Set
`);

function filesIn(call: Call, values: readonly Value[]): readonly Taint[] {
  return values
    .flatMap(textsOf)
    .filter((path) => PATH.test(path) && isPrivate(display(path)))
    .map((path) => pathSource(call, path));
}

export function privateTaints(taints: readonly Taint[]): readonly Taint[] {
  return taints.filter(
    ({ source }) => source.type === "capture" || (source.type === "secret" && !isVariable(source)),
  );
}

// A named variable is set for the library that gets it.
function isVariable({ secret, name }: { readonly secret: string; readonly name: string }): boolean {
  return secret !== "whole-environment" && /^[A-Z][A-Z0-9_]*$/.test(name);
}

/** `/users/me` is also a common path of web services. */
function isPrivate(path: string): boolean {
  const kind = privateKind(path);
  return kind !== undefined && !(kind === "home" && path.startsWith("/users/"));
}

const PATH = /^(?:~\/|\/|\.)[\w.][\w./*@-]{3,400}$/;
const MAX_ITEMS = 32;

function firstAddress(values: readonly Value[]): string | undefined {
  for (const value of values) {
    const text = value.text ?? (value.box?.fields?.has("$target") === true ? addressOf(value) : undefined);
    // Sentences name addresses for all kinds of reasons; `host=… port=…` is a database connection.
    const isOne = text !== undefined && (!/\s/.test(text.trim()) || /^(?:host|server)=/.test(text));
    const address = isOne ? addressInCode(text.replace(/^(?:host|server)=/, "")) : undefined;
    if (address !== undefined) return address;
  }
  return undefined;
}

const SENDING =
  /^(?:\w+_)?(?:send|upload|post|publish|push|transmit|submit|share|notify|broadcast|create_?gist)(?:[A-Z_]\w*)?$|(?:_send|_upload|_post)$|PostMessage$/i;

/** The whole address, or markup that loads one, with private data in it: displaying it sends the data. */
export function noteShownAddress(site: Site, value: Value): void {
  const secrets = taintsOf(value).filter(
    ({ source }) => source.type === "secret" && source.secret !== "own-key",
  );
  const shown = secrets.length === 0 ? [] : partsOf([value]);
  const address = shown.map(({ text }) => SHOWN.exec(text ?? "")?.[0]).find((found) => found !== undefined);
  if (address === undefined) return;
  const url = display(address);
  site.flow(secrets, { type: "network", how: "browser", url, host: hostOf(url) ?? "*" });
}

const SHOWN = new RegExp(String.raw`https?://[^\s"'<>)${HOLE}]{3,400}[?&/=#][^\s"'<>)]{0,200}?${HOLE}`);
