import type { Slot } from "./api.ts";
import type { Span } from "./program-tree.ts";
import { listValue, type Taint, taintsOfAll, UNKNOWN, unionTaints, type Value } from "./value.ts";

/** A call with everything that is known of it. */
export interface Call {
  /** The name of the function of the outside world, as tables have it. */
  readonly api: string;
  readonly callee: Value;
  /** What a method was called on. */
  readonly receiver: Value;
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
  readonly span: Span;
}

/** The argument in a slot; unknown where there is none. */
export function argumentAt(call: Call, slot: Slot): Value {
  return givenArgument(call, slot) ?? UNKNOWN;
}

/** The argument in a slot, if it was given. */
export function givenArgument(call: Call, slot: Slot): Value | undefined {
  if (slot === "self") return call.receiver;
  if (slot === "all") return listValue(call.positional);
  const [place, ...names] = slot;
  for (const name of names) {
    const named = call.keywords.get(name) ?? optionOf(call, name);
    if (named !== undefined) return named;
  }
  return call.positional.at(place);
}

/** A field of an object among the arguments, which is how JavaScript names them. */
export function optionOf(call: Call, name: string): Value | undefined {
  for (const value of call.positional) {
    const field = value.box?.definition === undefined ? value.box?.fields?.get(name) : undefined;
    if (field !== undefined) return field;
  }
  return undefined;
}

/** The taints of all arguments. */
export function taintsOfArguments(call: Call): readonly Taint[] {
  return unionTaints(taintsOfAll(call.positional), taintsOfAll(call.keywords.values()));
}
