import type { RequestHead } from "./request-head.ts";

/** Where the body of a request ends. */
export type BodyFraming =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" };

/** Finds out where a body ends; nothing when two readers could differ about that, which is how requests are smuggled. */
export function bodyFraming({ version, fields }: RequestHead): BodyFraming | undefined {
  const lengths = valuesOf("content-length");
  const encodings = valuesOf("transfer-encoding");
  if (lengths.length + encodings.length > 1) return undefined;
  const [length] = lengths;
  const [encoding] = encodings;
  if (encoding !== undefined)
    return version === "1.1" && encoding.toLowerCase() === "chunked" ? { kind: "chunked" } : undefined;
  if (length === undefined) return { kind: "none" };
  return /^[0-9]{1,15}$/.test(length) ? { kind: "length", bytes: Number(length) } : undefined;

  function valuesOf(wanted: string): readonly string[] {
    return fields.filter(([name]) => name === wanted).map(([, value]) => value);
  }
}
