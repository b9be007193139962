import { gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import type { ScanBudget } from "../text/scan-budget.ts";

/** Bytes that were unpacked, or why not. */
export type Inflated = { readonly bytes: Uint8Array } | { readonly fault: string; readonly isBomb: boolean };

/** Undoes one compression within what is left of the budget. */
export function inflateBounded(
  bytes: Uint8Array,
  packing: "gzip" | "zlib" | "deflate",
  budget: ScanBudget,
): Inflated {
  const maxOutputLength = Math.min(budget.bytesLeft, budget.limits.maxFileBytes);
  if (maxOutputLength <= 0) return { fault: "nothing more may be unpacked", isBomb: true };
  try {
    const open = packing === "gzip" ? gunzipSync : packing === "zlib" ? inflateSync : inflateRawSync;
    const output = open(bytes, { maxOutputLength });
    budget.takeBytes(output.length);
    return { bytes: output };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
      return { fault: `it unpacks to more than ${maxOutputLength} bytes`, isBomb: true };
    return { fault: `it is damaged (${error.message})`, isBomb: false };
  }
}
