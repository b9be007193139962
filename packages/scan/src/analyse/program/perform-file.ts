import { wideSelection, wideTarget } from "@skillet/shell";
import { agentPath, privateKind, settingsLanguage } from "../../secret/classify-path.ts";
import { writeActs } from "../fact-writer.ts";
import type { ApiEffect } from "./api.ts";
import { display } from "./fact-recorder.ts";
import { jsonText } from "./fold-function.ts";
import type { Call, Site } from "./machine.ts";
import {
  HOLE,
  joinValues,
  type Taint,
  taintsOf,
  textsOf,
  textValue,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

export function performWrite(call: Call, effect: ApiEffect): undefined {
  const how = effect.append === "yes" ? "append" : "replace";
  recordWrite(call, call.argument(effect.path), call.argument(effect.data), how);
}

export function performCopy(call: Call, effect: ApiEffect): Value {
  const from = call.argument(effect.from);
  const to = call.argument(effect.to);
  if (effect.does === "move") for (const path of textsOf(from)) call.machine.signs.removedPaths.add(path);
  recordWrite(call, to, readPath(call, from), "replace");
  return { ...to, taints: [] };
}

export function performDelete(call: Call, effect: ApiEffect): undefined {
  const isAsked = effect.recursive === "by-option" && call.option("recursive") !== undefined;
  const recursive = effect.recursive === "yes" || isAsked;
  const path = call.argument(effect.path);
  for (const text of textsOf(path).length === 0 ? [HOLE] : textsOf(path)) {
    const place = display(text);
    call.machine.signs.removedPaths.add(text);
    call.act({ type: "delete", path: place, recursive });
    // All that a listing of the place gives, one by one.
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
  // An open file stands for its path.
  const texts = textsOf(path.box?.fields?.get("$path") ?? path);
  for (const place of texts.length === 0 ? [HOLE] : texts) {
    const shown = display(place);
    for (const act of writeActs(shown, text, how === "append")) site.act(act);
    const what = agentPath(shown);
    const language = what === undefined ? undefined : settingsLanguage(shown);
    if (language !== undefined && text !== undefined) site.text(text, language);
    if (place !== HOLE) machine.writtenTo.set(place, unionTaints(machine.writtenTo.get(place) ?? [], taints));
    if (data.isEncrypted === true) machine.signs.encryptedPaths.set(place, span);
    const kept = taints.filter(({ source }) => !/^(?:file|input|system)$/.test(source.type));
    site.flow(kept, { type: "write", path: shown });
  }
}

export function performOpen(call: Call, effect: ApiEffect): Value {
  const path = call.argument(effect.path);
  const isStream = call.api === "fs.createWriteStream";
  const mode = isStream ? "w" : (call.given(effect.mode)?.text ?? "r");
  const texts = textsOf(path);
  const fields = new Map([["$path", path]]);
  if (/^[rbtU]*$/.test(mode)) {
    const read = readPath(call, path);
    if (read.text !== undefined) fields.set("$text", read);
    return { api: "file", box: { fields, taints: [] }, taints: taintsOf(read) };
  }
  // The content comes with the first `write`; a file that is only opened may be written through other means.
  for (const text of texts) call.machine.writtenTo.set(text, call.machine.writtenTo.get(text) ?? []);
  const isArchive = call.api.startsWith("zipfile.") || call.api.startsWith("tarfile.");
  if (isArchive) return { api: "archive-write", box: { fields, taints: [] }, taints: [] };
  return { api: mode.includes("a") ? "file-append" : "file-write", box: { fields, taints: [] }, taints: [] };
}

export function readPath(site: Site, path: Value): Value {
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

/** `shutil.make_archive` adds it to the name that it is given. */
const ARCHIVE = /\.(?:zip|tar|tar\.gz|tar\.bz2|tgz)$/;

export function listPath(call: Call, effect: ApiEffect): Value {
  const path = call.argument(effect.path);
  const pattern = call.given(effect.pattern)?.text;
  const folder = path.text ?? HOLE;
  const inside = pattern === undefined ? HOLE : pattern.replace(/\*+/g, HOLE);
  const text = folder.includes("*") ? folder.replace(/\*+/g, HOLE) : `${folder.replace(/\/$/, "")}/${inside}`;
  return { api: "listing", text, taints: [] };
}
