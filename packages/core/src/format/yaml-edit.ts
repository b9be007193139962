import { SkilletError } from "@skillet/kit/errors";
import type { Document, Node, YAMLMap, YAMLSeq } from "yaml";
import { formatKeyPath } from "./key-path.ts";
import { loadYaml } from "./load-yaml.ts";
import { WHOLE_TEXTS } from "./render-yaml.ts";

/** Sets a value and creates the maps on its path; an existing value keeps its comments and its place. */
export function setValue(document: Document.Parsed, path: readonly string[], value: unknown): void {
  for (let depth = 0; depth < path.length; depth++)
    ensureParent(document, path.slice(0, depth), path[depth] ?? "");
  const { isCollection, isScalar } = loadYaml();
  const before = document.getIn(path, true) as Node | undefined;
  const node = createNode(value);
  if (isScalar(before) && isScalar(node)) {
    node.comment = before.comment ?? null;
    node.commentBefore = before.commentBefore ?? null;
    const { type } = before;
    const isQuoted = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
    if (isQuoted && typeof node.value === "string") node.type = type;
  } else if (before?.comment && isCollection(node)) node.commentBefore = before.comment;
  if (isCollection(before) && before.flow && isCollection(node)) node.flow = true;
  document.setIn(path.map(createNode), node);
}

// Parsed from rendered YAML, which quotes multi-line texts and texts that YAML 1.1 parsers would misread.
function createNode(value: unknown): Node {
  const { parseDocument, Scalar, stringify } = loadYaml();
  const options = { lineWidth: 0, blockQuote: false, compat: "yaml-1.1", ...WHOLE_TEXTS } as const;
  return parseDocument(stringify(value, options)).contents ?? new Scalar(null);
}

/** Removes a value and the maps that it leaves empty; returns whether it was there. */
export function removeValue(document: Document.Parsed, path: readonly string[]): boolean {
  if (!document.hasIn(path)) return false;
  document.deleteIn(path);
  const parent = path.slice(0, -1);
  // An empty list may mean something other than no list: `allowed-tools: []`.
  if (parent.length > 0 && loadYaml().isMap(document.getIn(parent, true))) removeIfEmpty(document, parent);
  return true;
}

// A collection with a comment is kept, because its comment would be lost.
function removeIfEmpty(document: Document.Parsed, path: readonly string[]): void {
  const node = document.getIn(path, true);
  if (loadYaml().isCollection(node) && node.items.length === 0 && !node.comment && !node.commentBefore)
    removeValue(document, path);
}

export function addToList(document: Document.Parsed, path: readonly string[], text: string): boolean {
  const list = findList(document, path);
  if (list === undefined) {
    setValue(document, path, [text]);
    return true;
  }
  if (indexIn(list, text) !== -1) return false;
  if (list.items.length === 0) openUp(list);
  list.add(createNode(text));
  return true;
}

export function removeFromList(document: Document.Parsed, path: readonly string[], text: string): boolean {
  const list = findList(document, path);
  if (list === undefined || indexIn(list, text) === -1) return false;
  while (indexIn(list, text) !== -1) list.delete(indexIn(list, text));
  removeIfEmpty(document, path);
  return true;
}

function ensureParent(document: Document.Parsed, path: readonly string[], key: string): void {
  const { isMap, isScalar, isSeq } = loadYaml();
  const node = document.getIn(path, true) as Node | null | undefined;
  if (isMap(node)) {
    if (node.items.length === 0) openUp(node);
    return;
  }
  if (isSeq(node)) {
    if (/^\d{1,6}$/.test(key) && Number(key) <= node.items.length) return;
    throw noSuchPlace(
      path,
      `is a list of ${node.items.length}, so ${JSON.stringify(key)} is not a place in it`,
    );
  }
  if (node && !(isScalar(node) && node.value === null))
    throw noSuchPlace(path, "is a single value, so it has no keys");
  const created = document.createNode({}) as YAMLMap;
  // The comment of `skills: # mine` belongs to the empty value that is being replaced.
  const comment = [node?.commentBefore, node?.comment].filter(Boolean).join("\n");
  if (comment !== "") created.commentBefore = comment;
  if (path.length === 0) document.contents = created as unknown as typeof document.contents;
  else document.setIn(path.map(createNode), created);
}

// `{} # mine` becomes a block with the comment before it instead of after it.
function openUp(collection: YAMLMap | YAMLSeq): void {
  collection.flow = false;
  if (!collection.comment) return;
  collection.commentBefore = [collection.commentBefore, collection.comment].filter(Boolean).join("\n");
  collection.comment = null;
}

function noSuchPlace(path: readonly string[], why: string): SkilletError {
  const key = formatKeyPath(path);
  return new SkilletError("config-key-unknown", `\`${key}\` ${why}; nothing was written.`, { data: { key } });
}

function findList(document: Document.Parsed, path: readonly string[]): YAMLSeq | undefined {
  const node = document.getIn(path, true);
  return loadYaml().isSeq(node) ? node : undefined;
}

function indexIn(list: YAMLSeq, text: string): number {
  const { isScalar } = loadYaml();
  return list.items.findIndex((item) => isScalar(item) && item.value === text);
}
