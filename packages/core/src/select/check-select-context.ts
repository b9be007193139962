import { SkilletError } from "@skillet/kit/errors";
import type { SelectContext } from "./selector.ts";

/** Refuses a context that is none: hosts put it together from what they were given, and types are gone by then. */
export function checkSelectContext(context: SelectContext | undefined): void {
  if (context === undefined) return;
  if (typeof context !== "object" || context === null || Array.isArray(context))
    throw invalid("The context", "an object such as { files }");
  const { files, recentUse, ignored, vector }: Loose = context;
  if (files !== undefined && !(Array.isArray(files) && files.every((file) => typeof file === "string")))
    throw invalid("`files` of the context", "a list of paths");
  if (recentUse !== undefined && !isMap((recentUse as Loose<"uses"> | null)?.uses))
    throw invalid("`recentUse` of the context", "{ now, uses }, `uses` a map from qualified names");
  if (ignored !== undefined && !isMap(ignored))
    throw invalid("`ignored` of the context", "a map from qualified names to numbers");
  if (vector !== undefined && !(vector instanceof Float32Array))
    throw invalid("`vector` of the context", "a Float32Array");
}

type Loose<Key extends string = keyof SelectContext> = { readonly [Name in Key]?: unknown };

function isMap(value: unknown): boolean {
  return value instanceof Map;
}

function invalid(what: string, wanted: string): SkilletError {
  return new SkilletError(
    "select-context-invalid",
    `${what} is not what selection takes; pass ${wanted}, or leave it out.`,
    { data: { what } },
  );
}
