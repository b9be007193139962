import type { DataSource } from "../../fact/data-source.ts";
import type { Sink } from "../../fact/sink.ts";
import type { ApiEffect } from "./api.ts";
import { argumentAt, type Call, optionOf } from "./call.ts";
import type { Machine } from "./machine.ts";
import {
  HOLE,
  knownText,
  type Taint,
  taintsOf,
  textsOf,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

type CodeEffect = Extract<ApiEffect, { readonly does: "code" | "deserialise" | "load-library" }>;

/** Records code that is made while the program runs, and hands its text on where it is known. */
export function performCode(machine: Machine, call: Call, effect: CodeEffect): Value {
  if (effect.does === "load-library") {
    const path = argumentAt(call, effect.path);
    const written = unionTaints(...textsOf(path).map((text) => machine.writtenTo.get(text) ?? []));
    recordForeign(machine, call, unionTaints(taintsOf(path), written), {
      type: "execute",
      // Bytes that become code in memory leave no file behind that could be looked at.
      how: effect.from === "memory" ? "eval" : "library",
      by: call.api,
    });
    return { api: "library", taints: [] };
  }
  if (effect.does === "deserialise") {
    const isSafe = [...call.keywords.values(), ...call.positional].some((value) =>
      (effect.safeWith ?? []).some((name) => value.api?.endsWith(name) === true),
    );
    if (isSafe || (effect.safeWith ?? []).some((name) => call.keywords.has(name)))
      return unknownWith(taintsOfData(call, effect));
    const sink: Sink = { type: "execute", how: "deserialise", by: call.api };
    const foreign = recordForeign(machine, call, taintsOfData(call, effect), sink);
    if (foreign === 0)
      machine.recorder.act(call.span, { type: "dynamic-code", by: call.api, from: "serialised" });
    return unknownWith(taintsOfData(call, effect));
  }
  if (effect.onlyWith !== undefined && optionOf(call, effect.onlyWith) === undefined) return UNKNOWN;
  const code = effect.slot === "last" ? (call.positional.at(-1) ?? UNKNOWN) : argumentAt(call, effect.slot);
  return runCode(machine, call, code);
}

/** Loads a module by a name that may be put together; the module itself where it is known. */
export function performLoadModule(machine: Machine, call: Call, name: Value): Value {
  const known = knownText(name)?.replace(/^node:/, "");
  if (known !== undefined) {
    const written = machine.writtenTo.get(known) ?? machine.writtenTo.get(known.replace(/^\.\//, ""));
    if (written !== undefined)
      recordForeign(machine, call, written, { type: "execute", how: "file", by: call.api });
    const sibling = machine.modules?.module(known);
    if (sibling !== undefined) return sibling;
    const api = machine.api.aliases.get(known) ?? known;
    const isDisguised = name.isBuilt === true || call.callee.isDisguised === true;
    return { api, taints: [], ...(isDisguised ? { isDisguised } : {}) };
  }
  // The code stands in the address itself, and leaves no file behind.
  const how = /^data:/i.test(name.text ?? "") ? "eval" : "file";
  recordForeign(machine, call, taintsOf(name), { type: "execute", how, by: call.api });
  // A path of a plugin is what loaders are for.
  if (name.text === undefined)
    machine.recorder.act(call.span, { type: "dynamic-code", by: call.api, from: "module" });
  return UNKNOWN;
}

function runCode(machine: Machine, call: Call, code: Value): Value {
  // Timers take functions as a rule, and code rarely.
  const isTimer = call.api.startsWith("set");
  if (code.closure !== undefined || (isTimer && code.text === undefined)) return UNKNOWN;
  const taints = taintsOf(code);
  const sink: Sink = { type: "execute", how: "eval", by: call.api };
  const foreign = recordForeign(machine, call, taints, sink, code.text);
  for (const text of textsOf(code)) {
    if (text.replaceAll(HOLE, "").length < 4) continue;
    const decodings = taints.flatMap(({ source }) => (source.type === "decoded" ? [source.encoding] : []));
    const how = [...decodings, `string given to ${call.api}`];
    machine.recorder.text(call.span, text.replaceAll(HOLE, " UNKNOWN "), machine.language, how);
  }
  const isConstant = textsOf(code).length > 0 && !textsOf(code).some((text) => text.includes(HOLE));
  const isGiven = code.isParameter === true && call.positional.length === 1;
  if ((!isConstant || isGiven) && foreign === 0)
    machine.recorder.act(call.span, {
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

function taintsOfData(
  call: Call,
  effect: Extract<CodeEffect, { readonly does: "deserialise" }>,
): readonly Taint[] {
  return taintsOf(argumentAt(call, effect.data));
}

/** Not the skill's own word: from the network, unpacked, or left in a place where any program may leave something. */
function isForeign(source: DataSource): boolean {
  if (source.type === "file") return SHARED_FOLDER.test(source.path);
  return source.type === "network" || source.type === "decoded";
}

const SHARED_FOLDER = /^\/(?:var\/)?tmp\/[^*]|^\/dev\/shm\//;

/** Records a flow where data from elsewhere, or a decoded text, is run; says how many sources there are. */
function recordForeign(
  machine: Machine,
  call: Call,
  taints: readonly Taint[],
  sink: Sink,
  text?: string,
): number {
  const foreign = taints
    .filter(({ source, isDirect }) => isDirect && isForeign(source))
    .map((taint) =>
      taint.source.type === "decoded" && taint.source.text === undefined && text !== undefined
        ? { ...taint, source: { ...taint.source, text: text.slice(0, 2_000) } }
        : taint,
    );
  machine.recorder.flow(call.span, foreign, sink);
  return foreign.length;
}
