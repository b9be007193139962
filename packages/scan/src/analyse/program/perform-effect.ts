import type { DataSource } from "../../fact/data-source.ts";
import type { Sink } from "../../fact/sink.ts";
import type { ApiEffect } from "./api.ts";
import { argumentAt, type Call, givenArgument, optionOf, taintsOfArguments } from "./call.ts";
import { decodedValue } from "./decode-constant.ts";
import { display } from "./fact-recorder.ts";
import { joinPath } from "./fold-operator.ts";
import type { Machine } from "./machine.ts";
import { environmentValue } from "./named-value.ts";
import { feedCommand, performCommand } from "./perform-command.ts";
import { performFile } from "./perform-file.ts";
import { addressOf, performNetwork } from "./perform-network.ts";
import {
  HOLE,
  indirect,
  knownText,
  type Taint,
  taintsOf,
  taintsOfAll,
  textsOf,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

export function performEffect(machine: Machine, call: Call, effect: ApiEffect): Value {
  switch (effect.does) {
    case "request":
    case "send":
    case "upload":
    case "receive":
    case "connect":
      return performNetwork(machine, call, effect);
    case "shell":
    case "argv":
    case "pseudo-terminal":
      return performCommand(machine, call, effect);
    case "feed":
      return feedCommand(machine, call, argumentAt(call, effect.data));
    case "code":
    case "deserialise":
    case "load-library":
      return performCode(machine, call, effect);
    case "load-module":
      return performLoadModule(machine, call, argumentAt(call, effect.name));
    case "open":
    case "read":
    case "write":
    case "copy":
    case "move":
    case "delete":
    case "list":
      return performFile(machine, call, effect);
    case "make":
      return makeObject(call, effect);
    case "attribute":
      return attributeOf(machine, call, effect);
    case "join-path":
      return joinedPath(call);
    case "same-path":
      return samePath(call, effect);
    case "text":
      return { text: effect.text, taints: [], ...(effect.api === undefined ? {} : { api: effect.api }) };
    case "environment":
      return variableOf(machine, call, effect);
    case "set-variable": {
      const name = knownText(argumentAt(call, effect.name));
      if (name !== undefined) machine.shell.variables.set(name, argumentAt(call, effect.value));
      return UNKNOWN;
    }
    case "source":
      return {
        taints: [{ source: effect.source, steps: [machine.recorder.step(call.span)], isDirect: true }],
      };
    case "decode":
      return decodedValue(machine, call.span, argumentAt(call, effect.data), effect.encoding);
    case "listen":
      machine.recorder.act(call.span, {
        type: "listen",
        address: display(addressOf(argumentAt(call, effect.address)) ?? HOLE),
      });
      return UNKNOWN;
    case "duplicate-descriptor": {
      const [descriptor] = call.positional;
      if (descriptor?.api === "socket.object")
        machine.signs.socketOnDescriptor = { span: call.span, host: addressOf(descriptor) ?? HOLE };
      return UNKNOWN;
    }
    case "encrypt":
      return { taints: indirect(taintsOf(argumentAt(call, effect.data))), isEncrypted: true };
    case "pass":
      return passed(machine, call, effect);
    case "clean":
      return UNKNOWN;
  }
}

type EffectOf<Does extends ApiEffect["does"]> = Extract<ApiEffect, { readonly does: Does }>;

function makeObject(call: Call, effect: EffectOf<"make">): Value {
  const subject = effect.subject === undefined ? undefined : givenArgument(call, effect.subject);
  const fields = new Map(subject === undefined ? [] : [["$target", subject]]);
  return { api: effect.api, box: { fields, taints: [] }, taints: indirect(taintsOfArguments(call)) };
}

function attributeOf(machine: Machine, call: Call, effect: EffectOf<"attribute">): Value {
  const name = argumentAt(call, effect.name);
  const property = knownText(name);
  const object = argumentAt(call, effect.object);
  if (property === undefined) return unknownWith(taintsOf(object));
  return machine.member(object, property, call.span, name.isBuilt === true ? "built" : "plain");
}

function joinedPath(call: Call): Value {
  if (call.receiver.api === "pathlib.object")
    return { text: joinPath([call.receiver, ...call.positional]), api: "pathlib.object", taints: [] };
  const isListed = call.positional.some(({ api }) => api === "path" || api === "listing");
  return {
    text: joinPath(call.positional),
    taints: taintsOfAll(call.positional),
    ...(isListed ? { api: "path" } : {}),
  };
}

function samePath(call: Call, effect: EffectOf<"same-path">): Value {
  const path = argumentAt(call, effect.path);
  const text = path.text?.replace(/^(?:\$\{?HOME\}?|%USERPROFILE%)/, "~");
  return {
    ...(text === undefined ? {} : { text: text.slice(0, 4_096) }),
    ...(effect.api === undefined ? {} : { api: effect.api }),
    ...(path.alternatives === undefined ? {} : { alternatives: path.alternatives }),
    taints: taintsOf(path),
  };
}

function variableOf(machine: Machine, call: Call, effect: EffectOf<"environment">): Value {
  const name = knownText(argumentAt(call, effect.name));
  if (name === undefined) return UNKNOWN;
  const value = environmentValue(machine, name, call.span);
  const fallback = call.positional[1];
  return value.text === HOLE && fallback?.text !== undefined ? { ...fallback, taints: value.taints } : value;
}

function passed(machine: Machine, call: Call, effect: EffectOf<"pass">): Value {
  const value = argumentAt(call, effect.value);
  const taints = unionTaints(taintsOf(value), taintsOfArguments(call));
  // A copy of the environment is no longer the environment, which gives variables by name.
  if (value.api !== undefined && machine.api.environments.has(value.api)) return unknownWith(taints);
  return taints.length === 0 ? value : { ...value, taints };
}

type CodeEffect = Extract<ApiEffect, { readonly does: "code" | "deserialise" | "load-library" }>;

function performCode(machine: Machine, call: Call, effect: CodeEffect): Value {
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

function performLoadModule(machine: Machine, call: Call, name: Value): Value {
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
