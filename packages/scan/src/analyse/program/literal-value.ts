import { HOLE, textValue, UNKNOWN, type Value } from "./value.ts";

/** What is written down in the program. */
export function literalValue(value: string | number | boolean | null, isBytes: boolean | undefined): Value {
  if (typeof value === "string") {
    const text = textValue(value.includes(HOLE) ? value.replaceAll(HOLE, "") : value);
    return isBytes === true ? { ...text, isBytes: true } : text;
  }
  return typeof value === "number" ? { number: value, taints: [] } : UNKNOWN;
}
