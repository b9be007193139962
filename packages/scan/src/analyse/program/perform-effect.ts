import type { ApiEffect } from "./api.ts";
import { argumentAt, type Call, givenArgument, taintsOfArguments } from "./call.ts";
import { decodedValue } from "./decode-constant.ts";
import { display } from "./fact-recorder.ts";
import { joinPath } from "./fold-operator.ts";
import type { Machine } from "./machine.ts";
import { environmentValue } from "./named-value.ts";
import { performCode, performLoadModule } from "./perform-code.ts";
import { performCommand } from "./perform-command.ts";
import { performFile } from "./perform-file.ts";
import { addressOf, performNetwork } from "./perform-network.ts";
import {
  HOLE,
  indirect,
  knownText,
  taintsOf,
  taintsOfAll,
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
    default:
      return performPlain(machine, call, effect);
  }
}

type PlainEffect = Extract<
  ApiEffect,
  {
    readonly does:
      | "make"
      | "attribute"
      | "join-path"
      | "same-path"
      | "text"
      | "environment"
      | "source"
      | "decode"
      | "listen"
      | "duplicate-descriptor"
      | "encrypt"
      | "pass"
      | "clean";
  }
>;

function performPlain(machine: Machine, call: Call, effect: PlainEffect): Value {
  switch (effect.does) {
    case "make":
      return makeObject(call, effect);
    case "attribute":
      return attributeOf(machine, call, effect);
    case "join-path":
      return joinedPath(call);
    case "same-path":
      return samePath(call, effect);
    case "text":
      return { text: effect.text, taints: [] };
    case "environment":
      return variableOf(machine, call, effect);
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
  return { text: joinPath(call.positional), taints: taintsOfAll(call.positional) };
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
