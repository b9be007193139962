import { wordSet } from "../../word-list.ts";
import { type Call, itemsOf, taintsOfArguments } from "./call.ts";
import { recordHiddenText } from "./decode-constant.ts";
import { display } from "./fact-recorder.ts";
import { foldFunction } from "./fold-function.ts";
import { foldMethod } from "./fold-text.ts";
import type { Machine } from "./machine.ts";
import { performEffect } from "./perform-effect.ts";
import { addressOf } from "./perform-network.ts";
import { followUnknownCall, noteShownAddress } from "./unknown-call.ts";
import { HOLE, indirect, taintsOf, UNKNOWN, unionTaints, unknownWith, type Value } from "./value.ts";

export function performCall(machine: Machine, call: Call): Value {
  const plain = unwrapInvocation(machine, call);
  if (plain !== undefined) return plain;
  if (call.callee.property === "pipe") recordPipe(machine, call);
  const builtIn = foldFunction(machine, call);
  if (builtIn !== undefined) return builtIn;
  const effect = machine.api.effects.get(call.api) ?? telling(machine, call);
  // Code that runs is handed on by its runner.
  if (effect === undefined || !RUNNING.has(effect.does)) recordShown(machine, call);
  if (effect !== undefined) {
    if (call.callee.isDisguised === true) recordDisguise(machine, call, effect.does);
    const result = performEffect(machine, call, effect);
    callBack(machine, call, result);
    return result;
  }
  const folded = foldMethod(machine, call);
  if (folded !== undefined) return folded;
  const property = call.callee.property;
  if (property !== undefined && CLEAN_METHODS.has(property)) return UNKNOWN;
  const maker = followUnknownCall(machine, call);
  startGiven(machine, call);
  const taints = unionTaints(taintsOf(call.receiver), indirect(taintsOfArguments(call)));
  const returned = callBack(machine, call, unknownWith(taintsOf(call.receiver)));
  const carried = unionTaints(taints, taintsOf(returned));
  // An object that was handed data may give it out again: hash.update(x), form.append(x), url.searchParams.set(k, x).
  const box = call.receiver.box ?? call.receiver.subject?.box;
  if (box !== undefined) box.taints = unionTaints(box.taints, indirect(taintsOfArguments(call)));
  return maker === undefined ? unknownWith(carried) : { taints: carried, maker };
}

/** `executor.submit(requests.post, url, data)`: a function that is given with its arguments is started with them. */
function startGiven(machine: Machine, { callee, positional, keywords, span }: Call): void {
  if (!STARTING.test(callee.property ?? "")) return;
  const at = positional.findIndex(({ api }) => api !== undefined && machine.api.effects.has(api));
  const given = positional[at];
  if (given !== undefined && at + 1 < positional.length)
    machine.call(given, [...positional.slice(at + 1), ...keywords.values()], span);
}

const STARTING =
  /^(?:submit|run_in_executor|apply(?:_async)?|map_async|start_new_thread|to_thread|call_(?:soon|later)|nextTick)$/;

/** A text that is handed on is read by someone; what is printed is read by the model that ran the program. */
function recordShown(machine: Machine, call: Call): void {
  for (const value of call.positional) {
    if (PRINTING.has(call.api)) noteShownAddress(machine, call.span, value);
    const text = recordHiddenText(machine, call.span, value);
    if (text === undefined || !PRINTING.has(call.api)) continue;
    const encodings = value.taints.flatMap(({ source }) =>
      source.type === "decoded" ? [source.encoding] : [],
    );
    const encoding = encodings.at(-1) ?? "rearranged text";
    const source = { type: "decoded", encoding, text: text.slice(0, MAX_SHOWN_CHARACTERS) } as const;
    machine.recorder.flow(call.span, [{ source, steps: [], isDirect: true }], { type: "instructions" });
  }
}

const MAX_SHOWN_CHARACTERS = 2_000;
const PRINTING: ReadonlySet<string> = wordSet(
  "print sys.stdout.write console.log console.info process.stdout.write",
);

function telling(machine: Machine, call: Call): ReturnType<Machine["api"]["methods"]["get"]> {
  const property = call.callee.property;
  if (property === undefined || call.receiver.box !== undefined) return undefined;
  const effect = machine.api.methods.get(property);
  return effect?.does === "upload" && call.positional.length === 0 ? undefined : effect;
}

/** `f.call(o, x)`, `f.apply(o, [x])`, `f.bind(o)` and `Reflect.apply(f, o, [x])` are calls of `f`. */
function unwrapInvocation(machine: Machine, call: Call): Value | undefined {
  if (machine.language !== "javascript") return undefined;
  const { property } = call.callee;
  const [first, second, third] = call.positional;
  if (call.api === "Reflect.apply" || call.api === "Reflect.construct") {
    const list = call.api === "Reflect.apply" ? third : second;
    return machine.call(first ?? UNKNOWN, itemsOf(list ?? UNKNOWN) ?? [list ?? UNKNOWN], call.span);
  }
  const target = call.receiver;
  if (target.api === undefined && target.closure === undefined) return undefined;
  if (property === "bind") return target;
  if (property === "call") return machine.call(target, call.positional.slice(1), call.span, first);
  if (property === "apply")
    return machine.call(target, itemsOf(second ?? UNKNOWN) ?? [second ?? UNKNOWN], call.span, first);
  return undefined;
}

function recordPipe(machine: Machine, call: Call): void {
  const [to] = call.positional;
  const from = call.receiver;
  if (to === undefined) return;
  const ends = [from, to];
  const connection = ends.find((end) => end.api === "net.object");
  if (connection !== undefined && ends.some((end) => end.api?.startsWith("child.shell.") === true))
    machine.recorder.act(call.span, {
      type: "remote-shell",
      host: display(addressOf(connection) ?? HOLE),
      how: "a socket is piped to a shell",
    });
  else if (to.api === "file-write" || to.api === "http.client" || to.api === "net.object")
    machine.call(machine.member(to, "write", call.span, "plain"), [from], call.span, to);
}

/** Functions among the arguments are called sooner or later, with what the call gives. */
function callBack(machine: Machine, call: Call, result: Value): Value {
  let returned: Value = UNKNOWN;
  if (call.keywords.size === 0 && !call.positional.some(({ closure }) => closure !== undefined))
    return returned;
  const target = call.keywords.get("target");
  const values = itemsOf(call.keywords.get("args") ?? UNKNOWN);
  // A thread or a process is given its function and its arguments apart.
  if (target !== undefined && values !== undefined) return machine.call(target, values, call.span);
  for (const value of [...call.positional, ...call.keywords.values()]) {
    if (value.closure === undefined) continue;
    const parameters = value.closure.definition.parameters.map(() => result);
    const outcome = machine.call(value, parameters, call.span);
    returned = { ...outcome, taints: unionTaints(taintsOf(returned), taintsOf(outcome)) };
  }
  return returned;
}

function recordDisguise(machine: Machine, call: Call, does: string): void {
  if (!RUNNING.has(does)) return;
  machine.recorder.act(call.span, {
    type: "dynamic-code",
    by: call.api,
    disguise: "its name is put together",
  });
}

const RUNNING: ReadonlySet<string> = new Set(["shell", "argv", "code", "load-library", "deserialise"]);
const CLEAN_METHODS: ReadonlySet<string> = wordSet(`
  startswith endswith startsWith endsWith includes indexOf isdigit isalpha test has exists isFile
  isDirectory count index find lastIndexOf every some log close flush
`);
