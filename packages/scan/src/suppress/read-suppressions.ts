import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digest, object, optional, refine } from "@skillet/kit/schema";
import type { Suppression } from "../finding/finding.ts";
import { readUserList, trimmedText } from "../pack/read-user-list.ts";

/**
 * Reads a user's file of suppressions: YAML with a list `suppressions`, each with rule, file, digest and reason.
 *
 * One that cannot be read suppresses nothing.
 */
export function readSuppressions(
  text: string,
  options: { readonly file: string },
): { readonly suppressions: readonly Suppression[]; readonly diagnostics: readonly Diagnostic[] } {
  const { items, diagnostics } = readUserList(text, options.file, {
    key: "suppressions",
    itemHint: "each entry with rule, file, digest and reason",
    codes: {
      tooLarge: "suppressions-too-large",
      invalid: "suppressions-invalid",
      field: "suppression-field",
      unknownKey: "suppression-unknown-key",
    },
    mayBeEmpty: true,
    item: (locate) =>
      refine(entry, (value, reading) => ({ ...value, line: locate(reading.path)?.line ?? 1 })),
  });
  return { suppressions: items, diagnostics };
}

const entry = object<Omit<Suppression, "line">>(
  { rule: trimmedText, file: trimmedText, digest, reason: trimmedText, fingerprint: optional(trimmedText) },
  { unknown: "report" },
);
