import type { TreeFile } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import { asObject, type JsonObject, parseJsonObject } from "@skillet/kit/json";
import { boundedText } from "./describe-command.ts";
import { pluginDocuments } from "./plugin-documents.ts";
import { isCommandSetting } from "./read-hooks.ts";

const MAX_SETTING_CHARACTERS = 1_000;

/**
 * What a plugin sets besides what it brings: in `settings.json`, in `.app.json`, and by keys of its manifests.
 *
 * An agent may act on a key that nobody here knows, so that all are listed as they stand but those known to do nothing.
 */
export function readSettings(files: readonly TreeFile[], manifests: readonly TreeFile[]): readonly string[] {
  return [
    ...manifests.flatMap((file) => manifestSettings(files, file)),
    ...settingsIn(files, {
      usual: "settings.json",
      value: undefined,
      entriesOf: (document) =>
        Object.entries(document).filter(([key, value]) => !isCommandSetting(key, value)),
    }),
  ];
}

// What these say is for people, or is read as a part of its own.
const KNOWN_KEYS: ReadonlySet<string> = new Set(
  `
  $schema name displayName version description author homepage repository license keywords category
  tags icon logo interface skills commands agents outputStyles rules hooks mcpServers lspServers
  monitors
`
    .trim()
    .split(/\s+/),
);

function manifestSettings(files: readonly TreeFile[], file: TreeFile): readonly string[] {
  const manifest = parseJsonObject(file.bytes);
  if (manifest === undefined) return [unshown(file)];
  const { apps, ...rest } = manifest;
  const keys = Object.entries(rest).filter(([key]) => !KNOWN_KEYS.has(key));
  return [
    ...describe(keys, { file, label: "" }),
    ...settingsIn(files, {
      usual: ".app.json",
      value: apps,
      manifest: file,
      entriesOf: (document) => Object.entries(asObject(document.apps) ?? document),
    }),
  ];
}

interface SettingsPlace {
  readonly usual: string;
  readonly value: unknown;
  readonly manifest?: TreeFile;
  readonly entriesOf: (document: JsonObject) => readonly (readonly [string, unknown])[];
}

function settingsIn(files: readonly TreeFile[], place: SettingsPlace): readonly string[] {
  const { usual, manifest, entriesOf } = place;
  const { documents, unreadable } = pluginDocuments(files, place);
  const file = files.find(({ path }) => path.toLowerCase() === usual) ?? manifest;
  return [
    ...documents.flatMap((document) => describe(entriesOf(document), { file, label: `${usual} ` })),
    ...unreadable,
  ];
}

function describe(
  entries: readonly (readonly [string, unknown])[],
  { file, label }: { readonly file: TreeFile | undefined; readonly label: string },
): readonly string[] {
  try {
    return entries.map(([key, value]) =>
      boundedText(`${label}${key}: ${JSON.stringify(value)}`, MAX_SETTING_CHARACTERS),
    );
  } catch (error) {
    // Nested deeper than the stack is.
    if (!(error instanceof RangeError) || file === undefined) throw error;
    return [unshown(file)];
  }
}

// By its digest, so that another text is seen to be another.
function unshown({ path, bytes }: TreeFile): string {
  return `whatever ${path} says (${digestBytes(bytes)})`;
}
