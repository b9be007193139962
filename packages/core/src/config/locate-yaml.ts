import type { Located, LocatedEntry } from "@skillet/kit/located";
import type { Node, Pair } from "yaml";
import { loadYaml } from "../format/load-yaml.ts";
import { type ComposedYaml, composeYaml, type YamlFault } from "./compose-yaml.ts";
import { showKeyPath } from "./key-path.ts";

/** Reads config text into values with places, or says what is wrong with it as YAML. */
export function locateYaml(text: string): { readonly root: Located; readonly faults: readonly YamlFault[] } {
  const composed = composeYaml(text);
  if (!("document" in composed)) return { root: { kind: "map", entries: [] }, faults: [composed] };
  const faults = [...composed.faults];
  const { contents } = composed.document;
  const root: Located =
    contents === null ? { kind: "scalar", value: null } : convert(contents, composed, faults);
  return { root, faults };
}

function convert(node: Node, composed: ComposedYaml, faults: YamlFault[]): Located {
  const { isAlias, isMap, isScalar, isSeq } = loadYaml();
  const range = composed.rangeOf(node.range?.[0] ?? 0, node.range?.[1] ?? 0);
  if (isMap(node)) return { kind: "map", entries: convertEntries(node.items, composed, faults), range };
  if (isSeq(node))
    return {
      kind: "list",
      items: (node.items as Node[]).map((item) => convert(item, composed, faults)),
      range,
    };
  if (isAlias(node)) {
    faults.push({
      range,
      message: "aliases are not supported",
      hint: "repeat the value instead of `*` and its name",
    });
    return { kind: "scalar", value: null, range };
  }
  const value = isScalar(node) ? node.value : null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return { kind: "scalar", value, range };
  return { kind: "scalar", value: null, range };
}

function convertEntries(pairs: readonly Pair[], composed: ComposedYaml, faults: YamlFault[]): LocatedEntry[] {
  const seen = new Set<string>();
  return pairs.map((pair) => {
    const keyNode = pair.key as Node;
    const keyRange = composed.rangeOf(keyNode.range?.[0] ?? 0, keyNode.range?.[1] ?? 0);
    const key = loadYaml().isScalar(keyNode) ? String(keyNode.value) : "";
    if (seen.has(key)) {
      faults.push({
        range: keyRange,
        message: `the key ${showKeyPath([key])} is there twice`,
        hint: "keep one of them",
      });
    }
    seen.add(key);
    const value =
      pair.value === null
        ? { kind: "scalar" as const, value: null, range: keyRange }
        : convert(pair.value as Node, composed, faults);
    return { key, keyRange, value };
  });
}
