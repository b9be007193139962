import type { CatalogReport } from "@skillet/core";
import { displayWidth } from "../ui/display-width.ts";
import { pad, wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { showSentence } from "../ui/show-path.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { CatalogRows } from "./catalog-rows.ts";

// A library may hold thousands; `--json` has them all.
const MAX_LISTED = 100;
const MAX_NAME_LINES = 4;
const MAX_REASON_LINES = 3;
const MAX_NAME_COLUMN = 40;
const MIN_TEXT_COLUMNS = 32;

/** Who was shortened, left out or hidden, and by how much; for people. */
export function catalogTable(rows: CatalogRows, layout: Layout): string[] {
  const of = (outcome: string): readonly Row[] =>
    measuredRows(rows.skills.filter((skill) => skill.outcome === outcome));
  const hidden = rows.hidden.map(({ name, reason }) => ({
    name,
    text: showSentence(reason, layout.environment),
  }));
  const sections = [
    section("Whole", of("shown"), layout),
    section("Shortened", of("shortened"), layout),
    section("By name only", of("name-only"), layout),
    section("Left out", leftOut(rows, of("omitted")), layout),
    section("Hidden from models", hidden, layout),
  ].filter((lines) => lines.length > 0);
  return sections.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

/** Those for which there was no room, and those that were not tried because others suit the message better. */
function leftOut({ omitted }: CatalogRows, measured: readonly Row[]): readonly Row[] {
  const known = new Set(measured.map(({ name }) => name));
  const others = omitted.filter((name) => !known.has(name));
  return [...measured, ...others.map((name) => ({ name, text: "others suit the message better" }))];
}

interface Row {
  readonly name: string;
  readonly text: string;
}

function measuredRows(skills: CatalogReport["skills"]): readonly Row[] {
  const aligned = (numberOf: (skill: CatalogReport["skills"][number]) => number): string[] => {
    const texts = skills.map((skill) => String(numberOf(skill)));
    const column = texts.reduce((most, text) => Math.max(most, text.length), 0);
    return texts.map((text) => text.padStart(column));
  };
  const kept = aligned((skill) => skill.kept);
  const total = aligned((skill) => skill.kept + skill.cut);
  const cut = aligned((skill) => skill.cut);
  return skills.map(({ name, ...skill }, row) => {
    if (skill.cut === 0) return { name, text: `${total[row]} characters` };
    if (skill.kept === 0) return { name, text: `${cut[row]} characters cut` };
    return { name, text: `${kept[row]} of ${total[row]} characters, ${cut[row]} cut` };
  });
}

function section(title: string, rows: readonly Row[], layout: Layout): string[] {
  if (rows.length === 0) return [];
  const { colours } = layout;
  const listed = rows.slice(0, MAX_LISTED).map(({ name, text }) => ({ name: stripControl(name), text }));
  const column = Math.min(
    MAX_NAME_COLUMN,
    listed.reduce((most, { name }) => Math.max(most, displayWidth(name)), 0),
  );
  const rest = rows.length - listed.length;
  return [
    `${colours.bold(title)} ${colours.dim(String(rows.length))}`,
    ...listed.flatMap((row) => rowLines(row, column, layout)),
    ...(rest > 0 ? [colours.dim(`  and ${rest} more: --json lists all`)] : []),
  ];
}

// Names are what people type, so they stay whole; what does not fit beside one stands below it.
function rowLines({ name, text }: Row, column: number, { colours, width }: Layout): string[] {
  const room = width - column - 4;
  const isBeside = displayWidth(name) <= column && room >= Math.min(displayWidth(text), MIN_TEXT_COLUMNS);
  const lines = wrap(text, { width: isBeside ? room : width - 6, maxLines: MAX_REASON_LINES }).map((line) =>
    colours.dim(line),
  );
  if (isBeside) return lines.map((line, row) => `  ${pad(row === 0 ? name : "", column)}  ${line}`);
  const names = wrap(name, { width: width - 2, maxLines: MAX_NAME_LINES });
  return [...names.map((line) => `  ${line}`), ...lines.map((line) => `      ${line}`)];
}
