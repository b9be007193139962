import type { Scope } from "./scope.ts";
import { UNKNOWN, type Value } from "./value.ts";

/** Gives a module the two names through which Node takes what it exports. */
export function declareExports(scope: Scope): void {
  const exported: Value = { box: { fields: new Map(), taints: [] }, taints: [] };
  scope.declare("exports", exported);
  const fields = new Map([["exports", exported]]);
  scope.declare("module", { api: "module", box: { fields, taints: [] }, taints: [] });
}

/** What an import of a module gives: all its names, or what it was made to be. */
export function exportedValue(scope: Scope, language: "python" | "javascript"): Value {
  const names = scope.own();
  if (language === "python") return { box: { fields: new Map(names), taints: [] }, taints: [] };
  const assigned = names.get("module")?.box?.fields?.get("exports") ?? UNKNOWN;
  const chosen = names.get("default") ?? assigned;
  const fields = new Map([...names, ...(assigned.box?.fields ?? []), ...(chosen.box?.fields ?? [])]);
  fields.delete("module");
  fields.delete("exports");
  return { ...chosen, box: { ...chosen.box, fields, taints: chosen.box?.taints ?? [] } };
}
