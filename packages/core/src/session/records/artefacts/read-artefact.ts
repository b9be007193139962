import { SkilletError } from "@skillet/kit/errors";
import { readInto, withRegularFile } from "@skillet/kit/files";
import { object, oneOf, readDocument, text, textAs, wholeNumber } from "@skillet/kit/schema";
import { ARTEFACT_VERSION, type ArtefactFrame, isSealed, MAX_ARTEFACT_BYTES } from "./artefact.ts";

/** What an artefact's file holds, or why that cannot be said. */
export type ArtefactReading =
  | { readonly state: "missing" }
  | { readonly state: "damaged"; readonly why: string }
  | { readonly state: "whole"; readonly text: string; readonly artefact: ArtefactFrame<string> };

/** Reads an artefact back, following no link, and checks that it is whole and of its type. */
export function readArtefact(path: string, type: string): ArtefactReading {
  const bytes = readBytes(path);
  if (bytes === undefined) return { state: "missing" };
  if (typeof bytes === "string") return { state: "damaged", why: bytes };
  const parsed = parse(bytes);
  if (parsed === undefined) return { state: "damaged", why: "it is not JSON" };
  const { value: artefact, faults } = readDocument(frame, parsed.value);
  if (artefact === undefined) return { state: "damaged", why: faults[0]?.message ?? "it is not an artefact" };
  if (artefact.type !== type) return { state: "damaged", why: `it is not a ${type}` };
  if (!isSealed(parsed.text))
    return { state: "damaged", why: "its digest does not match, so it was changed or cut" };
  return { state: "whole", text: parsed.text, artefact };
}

const frame = object<ArtefactFrame<string>>({
  type: textAs(),
  version: oneOf([ARTEFACT_VERSION]),
  generatedAt: text,
  journalSequence: wholeNumber(0),
});

function readBytes(path: string): Uint8Array | string | undefined {
  try {
    return withRegularFile(path, ({ descriptor, stats }) => {
      if (stats.size > MAX_ARTEFACT_BYTES) return `it is larger than ${MAX_ARTEFACT_BYTES} bytes`;
      const buffer = new Uint8Array(stats.size);
      return buffer.subarray(0, readInto(descriptor, buffer));
    });
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return error.code === "file-not-found" ? undefined : error.message;
  }
}

function parse(bytes: Uint8Array): { readonly text: string; readonly value: unknown } | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
