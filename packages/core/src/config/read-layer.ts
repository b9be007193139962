import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import type { Located } from "@skillet/kit/located";
import type { ConfigLayer } from "./config-layer.ts";
import type { FoundProblem } from "./config-problem.ts";
import { configReader, type SchemaOptions } from "./config-schema.ts";
import { showKeyPath } from "./key-path.ts";
import { locateYaml } from "./locate-yaml.ts";

/** What a layer sets, what makes it unusable, and what is merely odd about it. */
export interface LayerReading {
  readonly layer: ConfigLayer;
  readonly problems: readonly FoundProblem[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Where a layer comes from; `label` stands for a file in messages where there is none. */
export interface LayerSource extends SchemaOptions {
  readonly label: string;
}

/** Reads a layer from config text. */
export function readLayerText(text: string, source: LayerSource): LayerReading {
  const { root, faults } = locateYaml(text);
  if (faults.length === 0) return readLayer(root, source, text);
  const problems = faults.map((fault) => ({ file: source.label, text, ...fault }));
  return { layer: { ...identify(source), values: {}, positions: new Map() }, problems, diagnostics: [] };
}

/** Reads a layer from values. */
export function readLayer(root: Located, source: LayerSource, text?: string): LayerReading {
  const problems: FoundProblem[] = [];
  const diagnostics: Diagnostic[] = [];
  const positions = new Map<string, Range | undefined>();
  const file = source.label;
  const values = configReader(source)(root, [], {
    positions,
    fault: (range, message, hint) => {
      problems.push({ file, message, hint, ...(range && { range }), ...(text !== undefined && { text }) });
    },
    unknownKey: (range, path, suggestion) => {
      const hint =
        suggestion === undefined ? "remove it, or check its spelling" : `did you mean \`${suggestion}\`?`;
      const message = `there is no key ${showKeyPath(path)}, so it has no effect`;
      diagnostics.push({
        code: "config-unknown-key",
        severity: "warning",
        message,
        file,
        hint,
        ...(range && { range }),
      });
    },
  });
  return { layer: { ...identify(source), values: values ?? {}, positions }, problems, diagnostics };
}

function identify(source: LayerSource): Pick<ConfigLayer, "kind" | "file"> {
  return { kind: source.kind, ...(source.file !== undefined && { file: source.file }) };
}
