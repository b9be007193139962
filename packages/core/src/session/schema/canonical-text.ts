import { compareByteOrder } from "@skillet/kit/order";

// What nests deeper is compared as far as this; no schema of ours does.
const MAX_DEPTH = 64;

/** A text that two JSON values share exactly when they are equal; `spend` says whether there is still work to give. */
export function canonicalText(value: unknown, spend: () => boolean, depth = 0): string {
  if (!spend() || depth > MAX_DEPTH) return "…";
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item) => canonicalText(item, spend, depth + 1)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([left], [right]) => compareByteOrder(left, right));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item, spend, depth + 1)}`).join(",")}}`;
  }
  // 0 and -0 are one number in JSON; what JSON has no word for only has to be told from what it has.
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return `<${typeof value}>`;
}
