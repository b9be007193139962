import { wideSelection, wideTarget } from "@skillet/shell";
import type { DataSource, Sink } from "../../fact/fact.ts";
import { agentPath, isSharedPlace, privateKind, settingsLanguage } from "../../secret/classify-path.ts";
import { writeActs } from "../fact-writer.ts";
import { decodedValue } from "./decode-constant.ts";
import { jsonText } from "./fold-function.ts";
import { foldBinary, joinPath } from "./fold-operator.ts";
import { type Call, display, type Site } from "./machine.ts";
import { type ApiEffect, environmentValue, memberOf } from "./named-value.ts";
import { feedCommand, performCommand } from "./perform-command.ts";
import { addressOf, networkTaint, performRequest, performSend, performUpload } from "./perform-network.ts";
import {
  encodingsOf,
  HOLE,
  indirect,
  joinValues,
  knownText,
  listValue,
  type Taint,
  taintsOf,
  taintsOfAll,
  textsOf,
  textValue,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

export function performEffect(call: Call, effect: ApiEffect): Value {
  return EFFECTS.get(effect.does)?.(call, effect) ?? UNKNOWN;
}

/** Undefined if the result contains nothing of the arguments: a length, a test. */
type Perform = (call: Call, effect: ApiEffect) => Value | undefined;

export const EFFECTS: ReadonlyMap<string, Perform> = new Map<string, Perform>([
  ["request", performRequest],
  ["send", performSend],
  ["upload", performUpload],
  ["receive", (call) => unknownWith([networkTaint(call, addressOf(call.receiver) ?? HOLE)])],
  ["connect", (call, { target }) => void call.receiver.box?.fields?.set("$target", call.argument(target))],
  ["shell", performCommand],
  ["argv", performCommand],
  ["pseudo-terminal", performCommand],
  ["feed", feedCommand],
  ["set-variable", setVariable],
  ["code", performCode],
  ["deserialise", performDeserialise],
  ["load-library", performLoadLibrary],
  ["load-module", performLoadModule],
  ["open", performOpen],
  ["read", performRead],
  ["unpack", performUnpack],
  [
    "format",
    ({ positional: [template = UNKNOWN, ...values] }) => foldBinary("%", template, listValue(values)),
  ],
  ["write", performWrite],
  ["copy", performCopy],
  ["move", performCopy],
  ["delete", performDelete],
  ["list", listPath],
  ["make", makeObject],
  ["attribute", attributeOf],
  ["join-path", joinedPath],
  ["same-path", samePath],
  ["text", (_, { text = "", api }) => ({ text, api, taints: [] })],
  ["environment", variableOf],
  ["source", (call, { source }) => source && { taints: [call.taint(source)] }],
  ["decode", (call, { encoding, data }) => encoding && decodedValue(call, call.argument(data), encoding)],
  ["listen", performListen],
  ["duplicate-descriptor", duplicateDescriptor],
  ["encrypt", (call, { data }) => ({ taints: indirect(taintsOf(call.argument(data))), isEncrypted: true })],
  // AppleScript's `do shell script "…" with administrator privileges`.
  [
    "privilege",
    (call) => void call.act({ type: "privilege", how: "sudo", detail: "administrator privileges" }),
  ],
  ["pass", passed],
  ["clean", () => undefined],
]);

/** An argument with an address instead of a path is fetched. */
function performRead(call: Call, effect: ApiEffect): Value {
  const path = call.given(effect.path);
  if (path === undefined) return call.at(0);
  if (ADDRESS.test(path.text ?? ""))
    return performRequest(call, { ...effect, url: effect.path, method: "get" });
  return readPath(call, path);
}

export const ADDRESS: RegExp = /^(?:https?|ftp):\/\//i;

/** Decodes for the templates `H*`, `u` and `m`; any other template splits binary data. */
function performUnpack(call: Call): Value {
  const template = call.positional.find(({ text }) => /^(?:[hH]\*|m0?|u\*?)$/.test(text ?? ""));
  const data =
    call.values.find((value) => value !== template) ?? call.receiver.box?.items?.[0] ?? call.receiver;
  if (template === undefined) return unknownWith(taintsOf(data));
  return decodedValue(call, data, /^h/i.test(template.text ?? "") ? "hex" : "base64");
}

function setVariable(call: Call, effect: ApiEffect): undefined {
  const name = knownText(call.argument(effect.name));
  if (name !== undefined) call.machine.shell.variables.set(name, call.argument(effect.value));
}

function performListen(call: Call, effect: ApiEffect): undefined {
  const address = display(addressOf(call.argument(effect.address)) ?? HOLE);
  call.act({ type: "listen", address });
}

function duplicateDescriptor({ machine, positional: [descriptor], span }: Call): undefined {
  if (descriptor?.api === "socket.object")
    machine.signs.socketOnDescriptor = { span, host: addressOf(descriptor) ?? HOLE };
}

function makeObject(call: Call, effect: ApiEffect): Value {
  const subject = call.given(effect.subject);
  const fields = new Map(subject === undefined ? [] : [["$target", subject]]);
  const box = { fields, taints: [] };
  if (effect.api === "socket.object") call.machine.signs.connected = subject && addressOf(subject);
  return { api: effect.api ?? "", box, taints: indirect(call.taints) };
}

function attributeOf(call: Call, effect: ApiEffect): Value {
  const name = call.argument(effect.name);
  const property = knownText(name);
  const object = call.argument(effect.object);
  if (property === undefined) return unknownWith(taintsOf(object));
  return memberOf(call, object, property, name.isBuilt === true ? "built" : "plain");
}

function joinedPath(call: Call): Value {
  if (call.receiver.api === "pathlib.object")
    return { text: joinPath([call.receiver, ...call.positional]), api: "pathlib.object", taints: [] };
  const isListed = call.positional.some(({ api }) => api === "path" || api === "listing");
  const api = isListed ? "path" : undefined;
  return { text: joinPath(call.positional), taints: taintsOfAll(call.positional), api };
}

function samePath(call: Call, effect: ApiEffect): Value {
  const path = call.argument(effect.path);
  const text = path.text?.replace(/^(?:\$\{?HOME\}?|%USERPROFILE%)/, "~").slice(0, 4_096);
  return { text, api: effect.api, alternatives: path.alternatives, taints: taintsOf(path) };
}

function variableOf(call: Call, effect: ApiEffect): Value {
  const name = knownText(call.argument(effect.name));
  if (call.values.length === 0 && effect.whole === "yes")
    return { taints: [call.taint({ type: "secret", secret: "whole-environment", name: "environment" })] };
  if (name === undefined) return UNKNOWN;
  const value = environmentValue(call, name);
  const fallback = call.positional[1];
  return value.text === HOLE && fallback?.text !== undefined ? { ...fallback, taints: value.taints } : value;
}

function passed(call: Call, effect: ApiEffect): Value {
  const value = call.argument(effect.value);
  const taints = unionTaints(taintsOf(value), call.taints);
  // A copy of the environment is no longer the environment, which gives variables by name.
  if (value.api !== undefined && call.machine.api.environments.has(value.api)) return unknownWith(taints);
  return taints.length === 0 ? value : { ...value, taints };
}

function performLoadLibrary(call: Call, effect: ApiEffect): Value {
  const path = call.argument(effect.path);
  const written = unionTaints(...textsOf(path).map((text) => call.machine.writtenTo.get(text) ?? []));
  recordForeign(call, unionTaints(taintsOf(path), written), {
    type: "execute",
    // Bytes that become code in memory leave no file that could be inspected.
    how: effect.memory === "yes" ? "eval" : "library",
    by: call.api,
  });
  return { api: "library", taints: [] };
}

function performDeserialise(call: Call, { data, safeWith = [] }: ApiEffect): Value {
  const taints = taintsOf(call.argument(data));
  const isSafe = safeWith.some(
    (name) =>
      call.keywords.has(name) ||
      [...call.keywords.values(), ...call.positional].some((value) => value.api?.endsWith(name) === true),
  );
  const sink: Sink = { type: "execute", how: "deserialise", by: call.api };
  if (!isSafe && recordForeign(call, taints, sink) === 0)
    call.act({ type: "dynamic-code", by: call.api, from: "serialised" });
  return unknownWith(taints);
}

function performLoadModule(call: Call, effect: ApiEffect): Value {
  const name = call.argument(effect.name);
  const known = knownText(name)?.replace(/^node:/, "");
  const { machine } = call;
  if (known !== undefined) {
    const written = machine.writtenTo.get(known) ?? machine.writtenTo.get(known.replace(/^\.\//, ""));
    if (written !== undefined) recordForeign(call, written, { type: "execute", how: "file", by: call.api });
    const sibling = machine.modules?.module(known);
    if (sibling !== undefined) return sibling;
    const api = machine.api.aliases.get(known) ?? known;
    const isDisguised = name.isBuilt === true || call.callee.isDisguised === true;
    return { api, taints: [], isDisguised };
  }
  // The code is in the address itself, and leaves no file behind.
  const how = /^data:/i.test(name.text ?? "") ? "eval" : "file";
  recordForeign(call, taintsOf(name), { type: "execute", how, by: call.api });
  // Loaders normally take a plugin's path.
  if (name.text === undefined) call.act({ type: "dynamic-code", by: call.api, from: "module" });
  return UNKNOWN;
}

function performCode(call: Call, effect: ApiEffect): Value {
  if (effect.onlyWith !== undefined && call.option(effect.onlyWith) === undefined) return UNKNOWN;
  const code = call.argument(effect.code);
  if (effect.loads === "yes") return performInclude(call, code);
  // Timers usually take functions, rarely code.
  const isTimer = call.api.startsWith("set");
  if (code.closure !== undefined || (isTimer && code.text === undefined)) return UNKNOWN;
  const taints = taintsOf(code);
  const sink: Sink = { type: "execute", how: "eval", by: call.api };
  const foreign = recordForeign(call, taints, sink, code.text);
  for (const text of textsOf(code)) {
    if (text.replaceAll(HOLE, "").length < 4) continue;
    const how = [...encodingsOf(taints), `string given to ${call.api}`];
    call.text(text.replaceAll(HOLE, " UNKNOWN "), call.machine.language, how);
  }
  const isConstant = textsOf(code).length > 0 && !textsOf(code).some((text) => text.includes(HOLE));
  const isGiven = code.isParameter === true && call.positional.length === 1;
  if ((!isConstant || isGiven) && foreign === 0)
    call.act({
      type: "dynamic-code",
      by: call.api,
      ...(isGiven ? { from: "parameter" } : {}),
      ...(taints.some(({ source }) => source.type === "decoded")
        ? { disguise: "what it runs is unpacked first" }
        : {}),
    });
  if (call.api === "Function" && knownText(code)?.includes("return this") === true)
    return { api: "global-getter", taints: [] };
  return unknownWith(taints);
}

/** Code identified by its address or its file; a plain name is a library's. */
function performInclude(call: Call, code: Value): Value {
  const texts = textsOf(code);
  const taints = unionTaints(
    taintsOf(code),
    ...texts.map((text) => call.machine.writtenTo.get(text) ?? []),
    texts.filter((text) => ADDRESS.test(text)).map((url) => networkTaint(call, url)),
  );
  recordForeign(call, taints, { type: "execute", how: "eval", by: call.api });
  return { api: knownText(code), taints };
}

/** Not written by the skill: from the network, decoded, or from a folder that any program can write to. */
function isForeign(source: DataSource): boolean {
  if (source.type === "file") return isSharedPlace(source.path);
  return source.type === "network" || source.type === "decoded";
}

/** Records a flow if foreign data or a decoded text runs; returns the number of sources. */
function recordForeign(call: Call, taints: readonly Taint[], sink: Sink, text?: string): number {
  const foreign = taints
    .filter(({ source, isDirect }) => isDirect && isForeign(source))
    .map((taint) =>
      taint.source.type === "decoded" && taint.source.text === undefined && text !== undefined
        ? { ...taint, source: { ...taint.source, text: text.slice(0, 2_000) } }
        : taint,
    );
  const left = taints.filter(({ source }) => source.type === "file" && !source.path.includes("*"));
  call.flow(foreign.length > 0 ? foreign : left, sink);
  return foreign.length;
}

function performWrite(call: Call, effect: ApiEffect): undefined {
  if (call.argument(effect.path).api === "socket.object")
    return performSend(call, { ...effect, how: "socket", to: effect.path });
  const how = effect.append === "yes" ? "append" : "replace";
  recordWrite(call, call.argument(effect.path), call.argument(effect.data), how);
}

function performCopy(call: Call, effect: ApiEffect): Value {
  const from = call.argument(effect.from);
  const to = call.argument(effect.to);
  if (effect.does === "move") for (const path of textsOf(from)) call.machine.signs.removedPaths.add(path);
  recordWrite(call, to, readPath(call, from), "replace");
  return { ...to, taints: [] };
}

function performDelete(call: Call, effect: ApiEffect): undefined {
  const isAsked = effect.recursive === "by-option" && call.option("recursive") !== undefined;
  const recursive = effect.recursive === "yes" || isAsked;
  const path = call.argument(effect.path);
  for (const text of textsOf(path).length === 0 ? [HOLE] : textsOf(path)) {
    const place = display(text);
    call.machine.signs.removedPaths.add(text);
    call.act({ type: "delete", path: place, recursive });
    // All entries of a listing, one by one.
    const what =
      (recursive ? wideTarget(place) : undefined) ?? (path.api === "path" ? wideSelection(place) : undefined);
    if (what !== undefined) call.act({ type: "destroy", what, detail: `${call.api} ${place}` });
  }
}

export function pathSource(site: Site, path: string): Taint {
  const name = display(path);
  const secret = privateKind(name);
  return site.taint(secret === undefined ? { type: "file", path: name } : { type: "secret", secret, name });
}

export function recordWrite(site: Site, path: Value, data: Value, how: "append" | "replace"): void {
  const { machine, span } = site;
  const taints = taintsOf(data);
  const known = data.text ?? jsonText(data);
  const text = known === undefined || known === HOLE ? undefined : display(known).slice(0, 4_000);
  const texts = textsOf(path.box?.fields?.get("$path") ?? path);
  for (const place of texts.length === 0 ? [HOLE] : texts) {
    const shown = display(place);
    for (const act of writeActs(shown, text, how === "append")) site.act(act);
    const what = agentPath(shown);
    const language = what === undefined ? undefined : settingsLanguage(shown);
    if (language !== undefined && text !== undefined) site.text(text, language);
    if (place !== HOLE) machine.writtenTo.set(place, unionTaints(machine.writtenTo.get(place) ?? [], taints));
    if (data.isEncrypted === true) machine.signs.encryptedPaths.set(place, span);
    const kept = taints.filter(({ source }) => source.type !== "input" && source.type !== "system");
    site.flow(kept, { type: "write", path: shown });
  }
}

function performOpen(call: Call, effect: ApiEffect): Value {
  const path = call.argument(effect.path);
  const mode =
    effect.api === "file-write" ? "w" : (call.given(effect.mode)?.text ?? "r").replace(/^[+<]+/, "");
  const texts = textsOf(path);
  const fields = new Map([["$path", path]]);
  if (/^[rbtU]*$/.test(mode)) {
    const read = readPath(call, path);
    if (read.text !== undefined) fields.set("$text", read);
    return { api: "file", box: { fields, taints: [] }, taints: taintsOf(read) };
  }
  // The content comes with the first `write`, and an opened file may be written by other means.
  for (const text of texts) call.machine.writtenTo.set(text, call.machine.writtenTo.get(text) ?? []);
  const isArchive = call.api.startsWith("zipfile.") || call.api.startsWith("tarfile.");
  if (isArchive) return { api: "archive-write", box: { fields, taints: [] }, taints: [] };
  return { api: mode.includes("a") ? "file-append" : "file-write", box: { fields, taints: [] }, taints: [] };
}

function readPath(site: Site, path: Value): Value {
  const { machine } = site;
  const texts = textsOf(path);
  let value: Value | undefined;
  for (const text of texts.length === 0 ? [HOLE] : texts) {
    site.act({ type: "read", path: display(text) });
    const written = machine.writtenTo.get(text) ?? machine.writtenTo.get(text.replace(ARCHIVE, "")) ?? [];
    const taints = unionTaints([pathSource(site, text)], written);
    const own = written.length === 0 ? machine.modules?.text(text) : undefined;
    value = joinValues(value, own === undefined ? unknownWith(taints) : textValue(own, taints));
  }
  return value ?? UNKNOWN;
}

/** `shutil.make_archive` adds the suffix to the given name. */
const ARCHIVE = /\.(?:zip|tar|tar\.gz|tar\.bz2|tgz)$/;

function listPath(call: Call, effect: ApiEffect): Value {
  const path = call.argument(effect.path);
  const pattern = call.given(effect.pattern)?.text;
  const folder = path.text ?? HOLE;
  const inside = pattern === undefined ? HOLE : pattern.replace(/\*+/g, HOLE);
  const text = folder.includes("*") ? folder.replace(/\*+/g, HOLE) : `${folder.replace(/\/$/, "")}/${inside}`;
  return { ...listValue([{ api: "path", text, taints: [] }], [], true), api: "listing", text };
}
