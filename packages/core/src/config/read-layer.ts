import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Locator, locatorOf, plainValue } from "@skillet/kit/located";
import { readDocument } from "@skillet/kit/schema";
import { locateYaml } from "../format/locate-yaml.ts";
import type { ConfigLayer } from "./config-layer.ts";
import type { FoundProblem } from "./config-problem.ts";
import { configSchema, expandSelector, type SchemaOptions } from "./config-schema.ts";

export interface LayerReading {
  readonly layer: ConfigLayer;
  readonly problems: readonly FoundProblem[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface LayerSource extends SchemaOptions {
  readonly label: string;
}

export function readLayerText(text: string, source: LayerSource): LayerReading {
  const { root, faults } = locateYaml(text);
  if (faults.length === 0) return readLayer(plainValue(root), source, { text, locate: locatorOf(root) });
  const problems = faults.map((fault) => ({ file: source.label, text, ...fault }));
  return { layer: { ...identify(source), values: {}, locate: nowhere }, problems, diagnostics: [] };
}

export function readLayer(
  document: unknown,
  source: LayerSource,
  { text, locate }: { readonly text?: string; readonly locate: Locator } = { locate: nowhere },
): LayerReading {
  const problems: FoundProblem[] = [];
  const diagnostics: Diagnostic[] = [];
  const { value, faults } = readDocument(configSchema(source, locate), document, {
    name: "the configuration",
    format: "yaml",
    // The file size is bounded, and the error counts the faults that it does not list.
    maxFaults: Number.POSITIVE_INFINITY,
  });
  for (const { kind, path, part, message, hint = "" } of faults) {
    const range = locate(path, part);
    const fault = { file: source.label, hint, ...(range && { range }) };
    if (kind === "unknown-key")
      diagnostics.push({
        code: "config-unknown-key",
        severity: "warning",
        ...fault,
        message: `${message}, so it has no effect`,
      });
    else problems.push({ ...fault, message, ...(text !== undefined && { text }) });
  }
  const layer = { ...identify(source), values: value ?? {}, locate: layerLocator(locate, document, source) };
  return { layer, problems, diagnostics };
}

const nowhere: Locator = () => undefined;

// Entries named by the user are located by their key; folders among them by the spelling in the file.
function layerLocator(locate: Locator, document: unknown, source: LayerSource): Locator {
  const { overrides } = (document as { skills?: { overrides?: object | null } | null } | null)?.skills ?? {};
  const written = new Map(Object.keys(overrides ?? {}).map((key) => [expandSelector(key, source), key]));
  return (path, part) => {
    const [room, name, selector] = path;
    if (room === "skills" && name === "overrides" && path.length === 3)
      return locate(["skills", "overrides", written.get(String(selector)) ?? ""], "key");
    return locate(path, room === "profiles" && path.length === 2 ? "key" : part);
  };
}

function identify(source: LayerSource): Pick<ConfigLayer, "kind" | "file"> {
  return { kind: source.kind, ...(source.file !== undefined && { file: source.file }) };
}
