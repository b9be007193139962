import { MAX_COMMAND_BYTES } from "../../policy/shell/check-shell-text.ts";
import type { Substitution } from "../arguments/find-tokens.ts";
import { type PlacedCommand, placeValues } from "../arguments/place-values.ts";
import { findRebinding } from "./find-rebinding.ts";

/** Makes the values in a command parameters, and makes sure that they will be what policy judges. */
export function prepareCommand(
  written: string,
  substitution: Substitution,
): PlacedCommand | { readonly problem: string } {
  if (written.length > MAX_COMMAND_BYTES) return { problem: "it is longer than 4 KiB" };
  const placed = placeValues(written, substitution);
  if ("problem" in placed || placed.parameters.length === 0) return placed;
  const problem = findRebinding(placed.judged);
  return problem === undefined ? placed : { problem };
}
