import { readBoolean, readList, toText } from "./coerce-values.ts";
import { readHermesMetadata } from "./dialect-hermes.ts";
import { readOpenClaw, readRequires } from "./dialect-openclaw.ts";
import type { FaultList } from "./fault-list.ts";
import type { ManifestDraft } from "./manifest-draft.ts";
import { parseJsonMap } from "./parse-json-map.ts";
import { isRawMap, type RawMap, type RawValue } from "./raw-header.ts";

// Its present name wins over the ones it had before.
const CLAW_KEYS = ["openclaw", "clawdbot", "clawdis"] as const;

/** Reads what dialects keep under `metadata`; what the top level says already stays. */
export function readMetadata(metadata: RawMap, draft: ManifestDraft, faults: FaultList): void {
  let hasClaw = false;
  for (const key in metadata) {
    const value = metadata[key] ?? null;
    switch (key) {
      case "version":
        draft.version ??= toText(value);
        break;
      case "author":
        draft.author ??= toText(value);
        break;
      case "homepage":
        draft.homepage ??= toText(value);
        break;
      case "tags":
        draft.addTags(readList(value, faults, "metadata.tags"));
        break;
      case "internal":
        draft.internal = readBoolean(value, faults, "metadata.internal") ?? false;
        break;
      case "short-description":
        draft.shortDescription ??= collapse(toText(value));
        break;
      case "requires":
        if (isRawMap(value)) readRequires(value, draft.gating, faults, "metadata.requires");
        else draft.gating.add("bins", readList(value, faults, "metadata.requires"));
        break;
      case "hermes":
        readBlock(value, (block) => readHermesMetadata(block, draft, faults));
        break;
      case "openclaw":
      case "clawdbot":
      case "clawdis":
        hasClaw = true;
        break;
    }
  }
  const claw = hasClaw ? CLAW_KEYS.find((key) => metadata[key] !== undefined) : undefined;
  if (claw !== undefined) {
    readBlock(metadata[claw], (block) => readOpenClaw(block, draft, faults, `metadata.${claw}`));
  }
}

/** A block is a map, or a text that holds one as JSON. */
function readBlock(value: RawValue | undefined, read: (block: RawMap) => void): void {
  const block = typeof value === "string" ? parseJsonMap(value) : value;
  if (isRawMap(block)) read(block);
}

function collapse(text: string | undefined): string | undefined {
  return text?.replace(/\s+/g, " ");
}
