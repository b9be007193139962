import { wideSelection, wideTarget } from "@skillet/shell";
import type { DataSource } from "../../fact/data-source.ts";
import { agentPath, privateKind, settingsLanguage } from "../../secret/classify-path.ts";
import { writeActs } from "../fact-writer.ts";
import type { ApiEffect } from "./api.ts";
import { argumentAt, type Call, givenArgument, optionOf } from "./call.ts";
import { display } from "./fact-recorder.ts";
import { jsonText } from "./fold-function.ts";
import type { Machine } from "./machine.ts";
import type { Span } from "./program-tree.ts";
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

export function performWrite(machine: Machine, call: Call, effect: ApiEffect): undefined {
  const how = effect.append === "yes" ? "append" : "replace";
  recordWrite(machine, call.span, argumentAt(call, effect.path), argumentAt(call, effect.data), how);
}

export function performCopy(machine: Machine, call: Call, effect: ApiEffect): Value {
  const from = argumentAt(call, effect.from);
  const to = argumentAt(call, effect.to);
  if (effect.does === "move") for (const path of textsOf(from)) machine.signs.removedPaths.add(path);
  recordWrite(machine, call.span, to, readPath(machine, call.span, from), "replace");
  return { ...to, taints: [] };
}

export function performDelete(machine: Machine, call: Call, effect: ApiEffect): undefined {
  const isAsked = effect.recursive === "by-option" && optionOf(call, "recursive") !== undefined;
  const recursive = effect.recursive === "yes" || isAsked;
  const path = argumentAt(call, effect.path);
  for (const text of textsOf(path).length === 0 ? [HOLE] : textsOf(path)) {
    const place = display(text);
    machine.signs.removedPaths.add(text);
    machine.recorder.act(call.span, { type: "delete", path: place, recursive });
    // All that a listing of the place gives, one by one.
    const what =
      (recursive ? wideTarget(place) : undefined) ?? (path.api === "path" ? wideSelection(place) : undefined);
    if (what !== undefined)
      machine.recorder.act(call.span, { type: "destroy", what, detail: `${call.api} ${place}` });
  }
}

export function pathSource(machine: Machine, path: string, span: Span): Taint {
  const name = display(path);
  const secret = privateKind(name);
  const source: DataSource =
    secret === undefined ? { type: "file", path: name } : { type: "secret", secret, name };
  return { source, steps: [machine.recorder.step(span)], isDirect: true };
}

export function recordWrite(
  machine: Machine,
  span: Span,
  path: Value,
  data: Value,
  how: "append" | "replace",
): void {
  const taints = taintsOf(data);
  const known = data.text ?? jsonText(data);
  const text = known === undefined || known === HOLE ? undefined : display(known).slice(0, 4_000);
  // An open file stands for its path.
  const texts = textsOf(path.box?.fields?.get("$path") ?? path);
  for (const place of texts.length === 0 ? [HOLE] : texts) {
    const shown = display(place);
    for (const act of writeActs(shown, text, how === "append")) machine.recorder.act(span, act);
    const what = agentPath(shown);
    const language = what === undefined ? undefined : settingsLanguage(shown);
    if (language !== undefined && text !== undefined) machine.recorder.text(span, text, language, []);
    if (place !== HOLE) machine.writtenTo.set(place, unionTaints(machine.writtenTo.get(place) ?? [], taints));
    if (data.isEncrypted === true) machine.signs.encryptedPaths.set(place, span);
    machine.recorder.flow(
      span,
      taints.filter(
        ({ source }) => source.type !== "file" && source.type !== "input" && source.type !== "system",
      ),
      { type: "write", path: shown },
    );
  }
}

export function performOpen(machine: Machine, call: Call, effect: ApiEffect): Value {
  const path = argumentAt(call, effect.path);
  const isStream = call.api === "fs.createWriteStream";
  const mode = isStream ? "w" : (givenArgument(call, effect.mode)?.text ?? "r");
  const texts = textsOf(path);
  const fields = new Map([["$path", path]]);
  if (/^[rbtU]*$/.test(mode)) {
    const read = readPath(machine, call.span, path);
    if (read.text !== undefined) fields.set("$text", read);
    return { api: "file", box: { fields, taints: [] }, taints: taintsOf(read) };
  }
  // The content comes with the first `write`; a file that is only opened may be written through other means.
  for (const text of texts) machine.writtenTo.set(text, machine.writtenTo.get(text) ?? []);
  const isArchive = call.api.startsWith("zipfile.") || call.api.startsWith("tarfile.");
  if (isArchive) return { api: "archive-write", box: { fields, taints: [] }, taints: [] };
  return { api: mode.includes("a") ? "file-append" : "file-write", box: { fields, taints: [] }, taints: [] };
}

export function readPath(machine: Machine, span: Span, path: Value): Value {
  const texts = textsOf(path);
  let value: Value | undefined;
  for (const text of texts.length === 0 ? [HOLE] : texts) {
    machine.recorder.act(span, { type: "read", path: display(text) });
    const written = machine.writtenTo.get(text) ?? machine.writtenTo.get(text.replace(ARCHIVE, "")) ?? [];
    const taints = unionTaints([pathSource(machine, text, span)], written);
    const own = written.length === 0 ? machine.modules?.text(text) : undefined;
    value = joinValues(value, own === undefined ? unknownWith(taints) : textValue(own, taints));
  }
  return value ?? UNKNOWN;
}

/** `shutil.make_archive` adds it to the name that it is given. */
const ARCHIVE = /\.(?:zip|tar|tar\.gz|tar\.bz2|tgz)$/;

export function listPath(_: Machine, call: Call, effect: ApiEffect): Value {
  const path = argumentAt(call, effect.path);
  const pattern = givenArgument(call, effect.pattern)?.text;
  const folder = path.text ?? HOLE;
  const inside = pattern === undefined ? HOLE : pattern.replace(/\*+/g, HOLE);
  const text = folder.includes("*") ? folder.replace(/\*+/g, HOLE) : `${folder.replace(/\/$/, "")}/${inside}`;
  return { api: "listing", text, taints: [] };
}
