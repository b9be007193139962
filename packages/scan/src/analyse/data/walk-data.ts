import type { DataEntry, DataNode, DataScalar } from "./data-node.ts";

/** Called for what stands below a path of keys; items of a list have the path of the list. */
export interface DataVisitor {
  readonly entry?: (entry: DataEntry, path: readonly string[]) => void;
  /** `path` ends with the scalar's own key. */
  readonly scalar?: (scalar: DataScalar, path: readonly string[]) => void;
}

/** Walks through data in its order; readers have bounded its depth. */
export function walkData(node: DataNode, visitor: DataVisitor): void {
  const path: string[] = [];
  visit(node);

  function visit(current: DataNode): void {
    if (current.kind === "scalar") visitor.scalar?.(current, path);
    else if (current.kind === "list") for (const item of current.items) visit(item);
    else
      for (const entry of current.entries) {
        visitor.entry?.(entry, path);
        path.push(entry.key.toLowerCase());
        visit(entry.value);
        path.pop();
      }
  }
}
