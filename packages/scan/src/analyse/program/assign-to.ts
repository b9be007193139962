import { itemOf, itemsOf } from "./items-of.ts";
import type { Machine } from "./machine.ts";
import type { Expression } from "./program-tree.ts";
import { joinValues, knownText, taintsOf, UNKNOWN, unionTaints, type Value, withTaints } from "./value.ts";

/** Puts a value into a name, a field, an item, or apart into a pattern. */
export function assignTo(
  machine: Machine,
  target: Expression,
  value: Value,
  place: {
    readonly setName: (name: string, value: Value) => void;
    readonly evaluate: (expression: Expression) => Value;
  },
): void {
  switch (target.kind) {
    case "name":
      place.setName(target.name, value);
      break;
    case "member":
      setField(machine, place.evaluate(target.object), target.property, value);
      break;
    case "index": {
      const object = place.evaluate(target.object);
      const index = place.evaluate(target.index);
      const key = knownText(index) ?? (index.number === undefined ? undefined : String(index.number));
      setField(machine, object, key, withTaints(value, taintsOf(index)));
      break;
    }
    case "list": {
      const items = itemsOf(value);
      for (const [index, part] of target.items.entries()) {
        if (part.kind === "spread") assignTo(machine, part.value, itemOf(value), place);
        else assignTo(machine, part, items?.[index] ?? partOf(value, index), place);
      }
      break;
    }
    case "dictionary":
      for (const { key, value: part } of target.entries) {
        const name = key?.kind === "literal" ? String(key.value) : undefined;
        assignTo(
          machine,
          part,
          name === undefined ? value : machine.member(value, name, target, "plain"),
          place,
        );
      }
      break;
    case "spread":
      assignTo(machine, target.value, value, place);
      break;
  }
}

/** Of what walking a folder gives, only the first is a path. */
function partOf(value: Value, index: number): Value {
  if (value.api === "path") return index === 0 ? value : UNKNOWN;
  return itemOf(value);
}

function setField(machine: Machine, object: Value, key: string | undefined, value: Value): void {
  if (object.api !== undefined && machine.api.environments.has(object.api)) return;
  const box = object.box;
  if (box === undefined) return;
  box.taints = unionTaints(box.taints, taintsOf(value));
  if (key === undefined) {
    box.isLoose = true;
    return;
  }
  const fields = box.fields ?? new Map<string, Value>();
  box.fields = fields;
  const place = box.items === undefined ? Number.NaN : Number(key);
  if (box.items !== undefined && Number.isInteger(place) && place < box.items.length && place >= 0)
    box.items[place] = value;
  // What a field held on another way through the program may still be there.
  else fields.set(key, box.definition === undefined ? value : joinValues(fields.get(key), value));
}
