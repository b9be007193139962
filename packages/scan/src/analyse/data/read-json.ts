import type { DataReading } from "./data-node.ts";
import { ValueScanner } from "./value-scanner.ts";

/** Reads JSON and what is nearly JSON; several values one after another (JSON lines) make a list. */
export function readJson(text: string): DataReading {
  const scanner = new ValueScanner(text, { singleQuotes: "escaped" });
  const roots = [];
  for (;;) {
    scanner.skipBlanks();
    const before = scanner.at;
    if (before >= text.length) break;
    roots.push(scanner.readValue(0));
    if (scanner.at !== before) continue;
    scanner.fault ??= "something stands where no value belongs";
    scanner.at++;
  }
  const [first] = roots;
  const root = roots.length === 1 && first !== undefined ? first : { kind: "list" as const, items: roots };
  const { fault, limit } = scanner;
  return { root, ...(fault !== undefined && { fault }), ...(limit !== undefined && { limit }) };
}
