import { isAsWanted, type ToggleResult } from "../toggle/toggle-result.ts";
import { wrap } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { shellQuote } from "./shell-quote.ts";
import { showPath, showSentence } from "./show-path.ts";
import { showControl } from "./strip-control.ts";

/** Which way was asked for, in whose config, and where it is shown. */
export interface ToggleReportOptions extends Layout {
  readonly enabled: boolean;
  readonly layer: "user" | "project";
}

/** What became of one skill, and what to know about others of its name. */
export function toggleReport(result: ToggleResult, options: ToggleReportOptions): string[] {
  const { colours, width, enabled } = options;
  const isDone = isAsWanted(result, options);
  const mark = isDone ? (enabled ? colours.green("✓") : colours.dim("○")) : colours.yellow("!");
  const text = isDone ? describeResult(result, options) : describeStandstill(result, options);
  const lines = wrap(showSentence(text, options.environment), { width: width - 2 });
  return [
    ...lines.map((line, index) => `${index === 0 ? mark : " "} ${line}`),
    ...(isDone && enabled ? offerNote(result, options) : []),
    ...nameNote(result, options),
    ...namesakeNote(result, options),
    ...projectNote(result, options),
  ];
}

function describeResult({ skill, row }: ToggleResult, { enabled, environment }: ToggleReportOptions): string {
  const word = enabled ? "enabled" : "disabled";
  if (row.file === undefined) return `${skill.qualifiedName} is ${word} already; nothing was changed.`;
  return `${skill.qualifiedName} is ${word} now, in ${showPath(row.file, environment)}.`;
}

function describeStandstill({ skill, row }: ToggleResult, options: ToggleReportOptions): string {
  const { qualifiedName } = skill;
  const { file, reason = "another config decides", state } = row;
  const place = file === undefined ? undefined : showPath(file, options.environment);
  if (options.enabled) {
    const written = place === undefined ? "" : ` ${place} ${saysNow(options)}.`;
    return `${qualifiedName} is still disabled: ${reason}.${written}`;
  }
  // Only a project's config can be left unread, and what is stronger than a user's can enable.
  const why =
    options.layer === "project"
      ? "the folder has to be trusted first: skillet trust"
      : "another config enables it";
  return `${place ?? "The config"} disables ${qualifiedName}, but it is still ${state}: ${why}`;
}

// A project cannot enable; it can only stop forbidding.
function saysNow({ layer }: ToggleReportOptions): string {
  return layer === "project" ? "does not disable it any more" : "does enable it";
}

function offerNote({ row }: ToggleResult, options: ToggleReportOptions): string[] {
  if (row.state === "enabled") return [];
  const why = `It is not offered yet (${row.state}): ${row.reason ?? "another config decides"}`;
  return note(why, options).map((line) => options.colours.yellow(line));
}

function nameNote({ skill, row, heir }: ToggleResult, options: ToggleReportOptions): string[] {
  if (row.qualifiedName === skill.qualifiedName) return [];
  if (heir === undefined) return note(`It is called ${row.qualifiedName} now.`, options);
  const owner = showPath(heir.path, options.environment);
  const text = `It is called ${row.qualifiedName} now; ${skill.qualifiedName} is ${owner}.`;
  if (options.enabled) return note(text, options);
  return [...note(`${text} To undo this:`, options), command(["enable", row.qualifiedName], options)];
}

function namesakeNote({ skill, disabledNamesakes }: ToggleResult, options: ToggleReportOptions): string[] {
  if (disabledNamesakes.length === 0) return [];
  const listed = disabledNamesakes.slice(0, MAX_NAMESAKES);
  const places = listed.map(({ path }) => showPath(path, options.environment)).join(", ");
  const others = disabledNamesakes.length === 1 ? "Another skill" : `${disabledNamesakes.length} others`;
  const are = disabledNamesakes.length === 1 ? "is" : "are";
  return [
    ...note(`${others} of the name ${skill.name} ${are} disabled (${places}). To enable it:`, options),
    ...listed.map(({ qualifiedName }) => command(["enable", qualifiedName], options)),
  ];
}

const MAX_NAMESAKES = 5;

function projectNote({ skill, holdsInEveryProject }: ToggleResult, options: ToggleReportOptions): string[] {
  if (!holdsInEveryProject) return [];
  const { name, kind, directory } = skill;
  const text = `That holds for the ${skill.scope} skill ${name} of every project. For this one alone, enable it again and run:`;
  return [
    ...note(text, options),
    command(["disable", name, "--project"], options),
    // A path that cannot be shown as it is would name another folder.
    ...(kind === "skill" && showControl(directory) === directory
      ? [command(["disable", directory], options)]
      : []),
  ];
}

function note(text: string, { width, environment }: Layout): string[] {
  return wrap(showSentence(text, environment), { width: width - 2 }).map((line) => `  ${line}`);
}

// Never wrapped: a command must survive copy and paste.
function command(words: readonly string[], { colours }: Layout): string {
  return `    ${colours.cyan(showControl(`skillet ${words.map(shellQuote).join(" ")}`))}`;
}
