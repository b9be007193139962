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
import { listPath, performCopy, performDelete, performOpen, performWrite, readPath } from "./perform-file.ts";
import { addressOf, networkTaint, performRequest, performSend, performUpload } from "./perform-network.ts";
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
  return EFFECTS.get(effect.does)?.(machine, call, effect) ?? UNKNOWN;
}

/** Nothing of the arguments is in a result that is not given: a length, a test. */
type Perform = (machine: Machine, call: Call, effect: ApiEffect) => Value | undefined;

export const EFFECTS: ReadonlyMap<string, Perform> = new Map<string, Perform>([
  ["request", performRequest],
  ["send", performSend],
  ["upload", performUpload],
  [
    "receive",
    (machine, call) => unknownWith([networkTaint(machine, call, addressOf(call.receiver) ?? HOLE)]),
  ],
  [
    "connect",
    (_, call, effect) => {
      call.receiver.box?.fields?.set("$target", argumentAt(call, effect.target));
      return undefined;
    },
  ],
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
  ["read", (machine, call, effect) => readPath(machine, call.span, argumentAt(call, effect.path))],
  ["write", performWrite],
  ["copy", performCopy],
  ["move", performCopy],
  ["delete", performDelete],
  ["list", listPath],
  ["make", makeObject],
  ["attribute", attributeOf],
  ["join-path", joinedPath],
  ["same-path", samePath],
  ["text", (_, __, { text = "", api }) => ({ text, taints: [], ...(api === undefined ? {} : { api }) })],
  ["environment", variableOf],
  [
    "source",
    (machine, { span }, { source }) =>
      source && { taints: [{ source, steps: [machine.recorder.step(span)], isDirect: true }] },
  ],
  [
    "decode",
    (machine, call, { encoding, data }) =>
      encoding && decodedValue(machine, call.span, argumentAt(call, data), encoding),
  ],
  ["listen", performListen],
  ["duplicate-descriptor", duplicateDescriptor],
  [
    "encrypt",
    (_, call, effect) => ({ taints: indirect(taintsOf(argumentAt(call, effect.data))), isEncrypted: true }),
  ],
  ["pass", passed],
  ["clean", () => undefined],
]);

function setVariable(machine: Machine, call: Call, effect: ApiEffect): undefined {
  const name = knownText(argumentAt(call, effect.name));
  if (name !== undefined) machine.shell.variables.set(name, argumentAt(call, effect.value));
}

function performListen(machine: Machine, call: Call, effect: ApiEffect): undefined {
  const address = display(addressOf(argumentAt(call, effect.address)) ?? HOLE);
  machine.recorder.act(call.span, { type: "listen", address });
}

function duplicateDescriptor(machine: Machine, { positional: [descriptor], span }: Call): undefined {
  if (descriptor?.api === "socket.object")
    machine.signs.socketOnDescriptor = { span, host: addressOf(descriptor) ?? HOLE };
}

function makeObject(_: Machine, call: Call, effect: ApiEffect): Value {
  const subject = givenArgument(call, effect.subject);
  const fields = new Map(subject === undefined ? [] : [["$target", subject]]);
  const box = { fields, taints: [] };
  return { api: effect.api ?? "", box, taints: indirect(taintsOfArguments(call)) };
}

function attributeOf(machine: Machine, call: Call, effect: ApiEffect): Value {
  const name = argumentAt(call, effect.name);
  const property = knownText(name);
  const object = argumentAt(call, effect.object);
  if (property === undefined) return unknownWith(taintsOf(object));
  return machine.member(object, property, call.span, name.isBuilt === true ? "built" : "plain");
}

function joinedPath(_: Machine, call: Call): Value {
  if (call.receiver.api === "pathlib.object")
    return { text: joinPath([call.receiver, ...call.positional]), api: "pathlib.object", taints: [] };
  const isListed = call.positional.some(({ api }) => api === "path" || api === "listing");
  return {
    text: joinPath(call.positional),
    taints: taintsOfAll(call.positional),
    ...(isListed ? { api: "path" } : {}),
  };
}

function samePath(_: Machine, call: Call, effect: ApiEffect): Value {
  const path = argumentAt(call, effect.path);
  const text = path.text?.replace(/^(?:\$\{?HOME\}?|%USERPROFILE%)/, "~");
  return {
    ...(text === undefined ? {} : { text: text.slice(0, 4_096) }),
    ...(effect.api === undefined ? {} : { api: effect.api }),
    ...(path.alternatives === undefined ? {} : { alternatives: path.alternatives }),
    taints: taintsOf(path),
  };
}

function variableOf(machine: Machine, call: Call, effect: ApiEffect): Value {
  const name = knownText(argumentAt(call, effect.name));
  if (name === undefined) return UNKNOWN;
  const value = environmentValue(machine, name, call.span);
  const fallback = call.positional[1];
  return value.text === HOLE && fallback?.text !== undefined ? { ...fallback, taints: value.taints } : value;
}

function passed(machine: Machine, call: Call, effect: ApiEffect): Value {
  const value = argumentAt(call, effect.value);
  const taints = unionTaints(taintsOf(value), taintsOfArguments(call));
  // A copy of the environment is no longer the environment, which gives variables by name.
  if (value.api !== undefined && machine.api.environments.has(value.api)) return unknownWith(taints);
  return taints.length === 0 ? value : { ...value, taints };
}

function performLoadLibrary(machine: Machine, call: Call, effect: ApiEffect): Value {
  const path = argumentAt(call, effect.path);
  const written = unionTaints(...textsOf(path).map((text) => machine.writtenTo.get(text) ?? []));
  recordForeign(machine, call, unionTaints(taintsOf(path), written), {
    type: "execute",
    // Bytes that become code in memory leave no file behind that could be looked at.
    how: effect.memory === "yes" ? "eval" : "library",
    by: call.api,
  });
  return { api: "library", taints: [] };
}

function performDeserialise(machine: Machine, call: Call, { data, safeWith = [] }: ApiEffect): Value {
  const taints = taintsOf(argumentAt(call, data));
  const isSafe = safeWith.some(
    (name) =>
      call.keywords.has(name) ||
      [...call.keywords.values(), ...call.positional].some((value) => value.api?.endsWith(name) === true),
  );
  const sink: Sink = { type: "execute", how: "deserialise", by: call.api };
  if (!isSafe && recordForeign(machine, call, taints, sink) === 0)
    machine.recorder.act(call.span, { type: "dynamic-code", by: call.api, from: "serialised" });
  return unknownWith(taints);
}

function performLoadModule(machine: Machine, call: Call, effect: ApiEffect): Value {
  const name = argumentAt(call, effect.name);
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

function performCode(machine: Machine, call: Call, effect: ApiEffect): Value {
  if (effect.onlyWith !== undefined && optionOf(call, effect.onlyWith) === undefined) return UNKNOWN;
  const code = argumentAt(call, effect.code);
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
