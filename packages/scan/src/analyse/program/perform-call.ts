import { wordSet } from "../../word-list.ts";
import { recordHiddenText } from "./decode-constant.ts";
import { foldFunction } from "./fold-function.ts";
import { foldMethod } from "./fold-text.ts";
import type { Call } from "./machine.ts";
import { type ApiEffect, memberOf } from "./named-value.ts";
import { ADDRESS, performEffect } from "./perform-effect.ts";
import { addressOf } from "./perform-network.ts";
import { followUnknownCall, noteShownAddress } from "./unknown-call.ts";
import {
  encodingsOf,
  indirect,
  itemsOf,
  taintsOf,
  taintsOfAll,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

export function performCall(call: Call): Value {
  const plain = unwrapInvocation(call);
  if (plain !== undefined) return plain;
  if (call.callee.property === "pipe") recordPipe(call);
  const builtIn = foldFunction(call);
  if (builtIn !== undefined) return builtIn;
  const effect = call.machine.api.effects.get(call.api) ?? telling(call);
  // Code that runs is passed on by the effect that runs it.
  if (effect === undefined || !RUNNING.has(effect.does)) recordShown(call);
  if (effect !== undefined) {
    if (call.callee.isDisguised === true && RUNNING.has(effect.does))
      call.act({ type: "dynamic-code", by: call.api, disguise: "its name is put together" });
    const result = performEffect(call, effect);
    callBack(call, result);
    // `client.post(address).body(data).send()`
    const isBegun = effect.does === "request" && call.machine.language === "code" && call.values.length === 1;
    return isBegun ? { ...result, maker: followUnknownCall(call) } : result;
  }
  const folded = foldMethod(call);
  if (folded !== undefined) return folded;
  const property = call.callee.property;
  if (property !== undefined && CLEAN_METHODS.has(property)) return UNKNOWN;
  const maker = followUnknownCall(call);
  // Most functions of the other languages are unknown; few of them change their arguments.
  const isOther = call.machine.language === "code";
  const taints = unionTaints(taintsOf(call.receiver), isOther ? call.taints : indirect(call.taints));
  const returned = callBack(call, unknownWith(taintsOf(call.receiver)));
  const carried = unionTaints(taints, taintsOf(returned));
  // An object that got data may return it later: hash.update(x), form.append(x), url.searchParams.set(k, x).
  const box = call.receiver.box ?? call.receiver.subject?.box;
  if (box !== undefined) box.taints = unionTaints(box.taints, indirect(call.taints));
  const place = isOther ? call.values.find(({ text }) => PLACE.test(text ?? ""))?.text : undefined;
  const outside = isOther
    ? [call.receiver, ...call.values].find(({ api }) => OUTSIDE.test(api ?? ""))
    : undefined;
  if (outside !== undefined) return { ...outside, taints: carried };
  return maker === undefined ? unknownWith(carried) : { taints: carried, maker, text: place };
}

/** In the other languages, a call on an object of these kinds returns its stream, reader or builder. */
const OUTSIDE = /^(?:socket\.object|child(?:\.shell)?|file|file-write|http\.request)$/;

/** `URI(…)`, `File(…)` and the like stand for the address or the path in their argument. */
const PLACE = /^(?:\w+:\/\/|[~/.])\S{3,}$/;

/** A text that is passed on has a reader; printed text is read by the model that ran the program. */
function recordShown(call: Call): void {
  for (const value of call.positional) {
    if (PRINTING.has(call.api)) noteShownAddress(call, value);
    const text = recordHiddenText(call, value);
    if (text === undefined || !PRINTING.has(call.api)) continue;
    const encoding = encodingsOf(value.taints).at(-1) ?? "rearranged text";
    const source = { type: "decoded", encoding, text: text.slice(0, MAX_SHOWN_CHARACTERS) } as const;
    call.flow([{ source, steps: [], isDirect: true }], { type: "instructions" });
  }
}

const MAX_SHOWN_CHARACTERS = 2_000;
const PRINTING: ReadonlySet<string> = wordSet(
  "print sys.stdout.write console.log console.info process.stdout.write",
);

function telling(call: Call): ApiEffect | undefined {
  const property = call.callee.property;
  if (call.machine.language === "code") return tellingByPlace(call, property ?? call.api);
  if (property === undefined || call.receiver.box !== undefined) return undefined;
  const effect = call.machine.api.methods.get(property);
  return effect?.does === "upload" && call.positional.length === 0 ? undefined : effect;
}

/** `get` and `read` mean little alone: they count if they get an address or a path. */
function tellingByPlace(call: Call, name: string): ApiEffect | undefined {
  const effect = call.machine.api.methods.get(name);
  const place = effect?.url ?? effect?.path;
  if (effect === undefined || place === undefined) return effect;
  const value = call.argument(place);
  const text = effect.does === "request" ? addressOf(value) : value.text;
  return text === undefined || (effect.does === "request" && !ADDRESS.test(text)) ? undefined : effect;
}

/** `f.call(o, x)`, `f.apply(o, [x])`, `f.bind(o)` and `Reflect.apply(f, o, [x])` are calls of `f`. */
function unwrapInvocation(call: Call): Value | undefined {
  if (call.machine.language !== "javascript") return undefined;
  const { property } = call.callee;
  const [first, second, third] = call.positional;
  if (call.api === "Reflect.apply" || call.api === "Reflect.construct") {
    const list = call.api === "Reflect.apply" ? third : second;
    return call.invoke(first ?? UNKNOWN, itemsOf(list ?? UNKNOWN) ?? [list ?? UNKNOWN]);
  }
  const target = call.receiver;
  if (target.api === undefined && target.closure === undefined) return undefined;
  if (property === "bind") return target;
  if (property === "call") return call.invoke(target, call.positional.slice(1), first);
  if (property === "apply")
    return call.invoke(target, itemsOf(second ?? UNKNOWN) ?? [second ?? UNKNOWN], first);
  return undefined;
}

function recordPipe(call: Call): void {
  const [to] = call.positional;
  const from = call.receiver;
  if (to === undefined) return;
  const ends = [from, to];
  const connection = ends.find((end) => end.api === "net.object");
  if (connection !== undefined && ends.some((end) => end.api?.startsWith("child.shell.") === true))
    call.remoteShell(addressOf(connection), "a socket is piped to a shell");
  else if (to.api === "file-write" || to.api === "http.client" || to.api === "net.object")
    call.invoke(memberOf(call, to, "write"), [from], to);
}

/** Function arguments, inline or named, are called sooner or later, with the call's result. */
function callBack(call: Call, result: Value): Value {
  let returned: Value = UNKNOWN;
  const { effects } = call.machine.api;
  const given = call.values.filter(({ closure, api }) => closure !== undefined || effects.has(api ?? ""));
  if (given.length === 0) return returned;
  const target = call.keywords.get("target");
  const values = itemsOf(call.keywords.get("args") ?? UNKNOWN);
  // A thread or a process gets its function and its arguments separately.
  if (target !== undefined && values !== undefined) return call.invoke(target, values);
  for (const value of given) {
    const parameters = value.closure?.definition.parameters.map(() => result) ?? givenTo(call, value, result);
    if (parameters === undefined) continue;
    const outcome = call.invoke(value, parameters);
    returned = { ...outcome, taints: unionTaints(taintsOf(returned), taintsOf(outcome)) };
  }
  return returned;
}

// A named function's arguments: those after it, as in `executor.submit(requests.post, url, data)`, or the
// call's result, as in `page.then(eval)`; undefined if it is not known to be called with any.
function givenTo(call: Call, value: Value, result: Value): readonly Value[] | undefined {
  const isRun = RUNNING.has(call.machine.api.effects.get(value.api ?? "")?.does ?? "");
  const rest = call.values.slice(call.values.indexOf(value) + 1);
  if (STARTING.test(call.callee.property ?? "") && rest.length > 0) return rest;
  // Timers and schedulers take a delay before the arguments, or a list of them.
  const told = rest.flatMap((one) => (one.number === undefined ? (one.box?.items ?? [one]) : []));
  if (isRun && taintsOfAll(told).length > 0) return told;
  return taintsOf(result).length > 0 && rest.length === 0 ? [result] : undefined;
}

const STARTING =
  /^(?:submit|run_in_executor|apply(?:_async)?|map_async|start_new_thread|to_thread|call_(?:soon|later)|nextTick)$/;

const RUNNING: ReadonlySet<string> = new Set(["shell", "argv", "code", "load-library", "deserialise"]);
const CLEAN_METHODS: ReadonlySet<string> = wordSet(`
  startswith endswith startsWith endsWith includes indexOf isdigit isalpha test has exists isFile
  isDirectory count index find lastIndexOf every some log close flush
`);
