import type { Machine } from "./machine.ts";
import { namedValue } from "./named-value.ts";
import type { Statement } from "./program-tree.ts";
import type { Scope } from "./scope.ts";

/** Binds what an import gives: of the skill's own files what they hold, of others their names. */
export function importNames(
  machine: Machine,
  statement: Extract<Statement, { readonly kind: "import" }>,
  scope: Scope,
): void {
  const module = statement.module.replace(/^node:/, "");
  const sibling = machine.modules?.module(module);
  for (const { imported, local } of statement.names) {
    if (local === "*") {
      for (const [name, value] of sibling?.box?.fields ?? []) scope.declare(name, value);
      continue;
    }
    const own = imported === "*" ? sibling : sibling?.box?.fields?.get(imported);
    const submodule = own ?? machine.modules?.module(`${module.replace(/\.$/, "")}.${imported}`);
    const whole = namedValue(machine.api, module);
    scope.declare(
      local,
      submodule ?? (imported === "*" ? whole : machine.member(whole, imported, statement, "plain")),
    );
  }
}
