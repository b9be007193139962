import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { type DataNode, entriesOf, scalarsOf, valueAt } from "../analyse/data/data-node.ts";
import { readYaml } from "../analyse/data/read-yaml.ts";
import { DiagnosticList } from "../pack/diagnostic-list.ts";
import { yamlFaultOffset } from "../pack/yaml-fault-offset.ts";
import type { Suppression } from "./suppression.ts";

/**
 * Reads a user's file of suppressions: YAML with a list `suppressions`, each with rule, file, digest and reason.
 *
 * One that cannot be read suppresses nothing.
 */
export function readSuppressions(
  text: string,
  options: { readonly file: string },
): { readonly suppressions: readonly Suppression[]; readonly diagnostics: readonly Diagnostic[] } {
  const faults = new DiagnosticList(options.file, text);
  if (text.length > MAX_CHARACTERS) {
    faults.add(
      "suppressions-too-large",
      0,
      `the file has more than ${MAX_CHARACTERS} characters`,
      "remove entries that dismiss nothing any more",
    );
    return { suppressions: [], diagnostics: faults.all };
  }
  const reading = readYaml(text);
  const { root, fault } = reading;
  const list = valueAt(root, "suppressions");
  if (
    fault !== undefined ||
    (list !== undefined && list.kind !== "list") ||
    (list === undefined && text.trim() !== "")
  ) {
    faults.add(
      "suppressions-invalid",
      fault === undefined ? 0 : yamlFaultOffset(text, reading),
      fault ?? "there is no list `suppressions`",
      fault === undefined
        ? "write `suppressions:` and below it a list, each entry with rule, file, digest and reason"
        : "correct the YAML there: quotes and brackets in pairs, lists and keys indented alike",
    );
    return { suppressions: [], diagnostics: faults.all };
  }
  const suppressions: Suppression[] = [];
  const lineOf = countLines(text);
  for (const item of list?.items ?? []) {
    const suppression = readOne(item, faults);
    if (suppression !== undefined) suppressions.push({ ...suppression, line: lineOf(startOf(item)) });
  }
  return { suppressions, diagnostics: faults.all };
}

const MAX_CHARACTERS = 256 * 1024;
const KEYS: ReadonlySet<string> = new Set(["rule", "file", "digest", "reason", "fingerprint"]);

function readOne(item: DataNode, faults: DiagnosticList): Suppression | undefined {
  const start = startOf(item);
  for (const { key, keyStart } of entriesOf(item)) {
    if (!KEYS.has(key))
      faults.warn(
        "suppression-unknown-key",
        keyStart,
        `there is no key "${key.slice(0, 40)}", so it has no effect`,
        `an entry has ${[...KEYS].join(", ")}`,
      );
  }
  const field = (key: string): string => (scalarsOf(valueAt(item, key))[0]?.text ?? "").trim();
  const [rule, file, digest, reason] = [field("rule"), field("file"), field("digest"), field("reason")];
  const missing = Object.entries({ rule, file, digest, reason }).find(([, value]) => value === "")?.[0];
  if (missing !== undefined) {
    faults.add("suppression-field", start, `a suppression has no ${missing}`, `add \`${missing}:\``);
    return undefined;
  }
  if (!isDigest(digest)) {
    faults.add(
      "suppression-field",
      start,
      `"${digest.slice(0, 80)}" is no digest`,
      "write sha256: and 64 digits, as `fileDigest` of the finding in `skillet scan --json`",
    );
    return undefined;
  }
  const fingerprint = field("fingerprint");
  return { rule, file, digest, ...(fingerprint !== "" && { fingerprint }), reason };
}

function startOf(item: DataNode): number {
  return entriesOf(item)[0]?.keyStart ?? 0;
}

/** The line of each offset, in one pass over the text: offsets must not go back. */
function countLines(text: string): (offset: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (offset) => {
    for (; next !== -1 && next < offset; next = text.indexOf("\n", next + 1)) line += 1;
    return line;
  };
}

function isDigest(text: string): text is Digest {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
