import type { Diagnostic } from "@skillet/kit/diagnostics";
import { isValid, reportedFaults, type ValidationResult } from "../validate/validation-result.ts";
import type { Layout } from "./layout.ts";
import { count } from "./skill-state.ts";
import { showControl } from "./strip-control.ts";

/** What was checked and how it stands, and apart from that what could not be checked. */
export function validationSummary(results: readonly ValidationResult[], layout: Layout): string[] {
  const checked = results.filter(({ kind }) => kind !== "place");
  const places = results.filter(({ kind }) => kind === "place").flatMap(({ diagnostics }) => diagnostics);
  return [
    ...(checked.length === 0 ? [] : [verdict(checked, layout)]),
    ...placeLines(places, checked.length, layout),
  ];
}

function verdict(checked: readonly ValidationResult[], { colours }: Layout): string {
  const invalid = checked.filter((result) => !isValid(result));
  const faults = checked.flatMap(reportedFaults);
  const isForecast = checked.some(({ repairs }) => repairs?.written === false);
  const tally = tallySeverities(faults);
  const counted = isForecast ? `after the repairs: ${tally === "" ? "no faults" : tally}` : tally;
  const note = counted === "" ? "" : ` (${counted})`;
  const mark = invalid.length === 0 ? colours.green("✓") : colours.red("✗");
  const [only] = checked;
  if (only !== undefined && checked.length === 1)
    return `${mark} ${showControl(only.path)} is ${invalid.length === 0 ? "valid" : "invalid"}${note}`;
  if (invalid.length === 0) return `${mark} ${countKinds(checked)}, all valid${note}`;
  const are = invalid.length === 1 ? "is" : "are";
  return `${mark} ${invalid.length} of ${countKinds(checked)} ${are} invalid${note}`;
}

function countKinds(checked: readonly ValidationResult[]): string {
  const commands = checked.filter(({ kind }) => kind === "command").length;
  const skills = checked.length - commands;
  if (commands === 0) return count(skills, "skill");
  return skills === 0 ? count(commands, "command") : `${checked.length} skills and commands`;
}

// They are no skills, so they count neither as valid nor as invalid ones.
function placeLines(faults: readonly Diagnostic[], checked: number, { colours }: Layout): string[] {
  const errors = faults.filter(({ severity }) => severity === "error").length;
  const rest = faults.length - errors;
  const failed = checked === 0 ? "Nothing was checked" : `${count(errors, "place")} could not be checked`;
  return [
    ...(errors > 0 ? [`${colours.red("✗")} ${failed}`] : []),
    ...(rest > 0 ? [`${colours.yellow("!")} ${count(rest, "place")} left out`] : []),
  ];
}

function tallySeverities(all: readonly Diagnostic[]): string {
  return (["error", "warning", "info"] as const)
    .map((severity) => ({
      severity,
      number: all.filter((diagnostic) => diagnostic.severity === severity).length,
    }))
    .filter(({ number }) => number > 0)
    .map(({ severity, number }) => count(number, severity === "info" ? "note" : severity))
    .join(", ");
}
