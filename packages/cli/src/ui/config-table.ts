import type { ConfigEntry } from "@skillet/core";
import { formatConfigValue } from "../config-values.ts";
import { displayWidth } from "./display-width.ts";
import { pad, wrap } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { showPath } from "./show-path.ts";
import { stripControl } from "./strip-control.ts";

// `config get` prints the whole of a longer one.
const MAX_VALUE_LINES = 4;

/** Every value, and below it where it was set; defaults are dim, so that what people set stands out. */
export function configTable(values: readonly ConfigEntry[], layout: Layout): string[] {
  const { colours, width } = layout;
  const rows = values.map(({ key, value }) => ({
    key: stripControl(key),
    value: stripControl(spacedValue(value)),
  }));
  const column = rows.reduce((most, { key }) => Math.max(most, displayWidth(key)), 0) + 2;
  return values.flatMap(({ origins }, index) => {
    const isDefault = origins.every(({ layer }) => layer === "defaults");
    const paint = isDefault ? colours.dim : String;
    const { key = "", value = "" } = rows[index] ?? {};
    // Keys next to values need room for both.
    const lines =
      column > width / 2
        ? [...wrap(key, { width }), ...fit(value, width - 4).map((line) => `    ${line}`)]
        : fit(value, width - column).map((line, row) => pad(row === 0 ? key : "", column) + line);
    const setters = isDefault
      ? []
      : origins.flatMap((origin) => wrap(originText(origin, layout), { width: width - 2 }));
    return [...lines.map(paint), ...setters.map((text) => `  ${colours.dim(text)}`)];
  });
}

// Lists are broken between their items.
function spacedValue(value: unknown): string {
  if (!Array.isArray(value)) return formatConfigValue(value);
  return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
}

function fit(value: string, width: number): string[] {
  const lines = wrap(value, { width, maxLines: MAX_VALUE_LINES });
  return lines.length === 0 ? [""] : lines;
}

function originText(origin: ConfigEntry["origins"][number], layout: Layout): string {
  const { layer, file, line } = origin;
  if (file === undefined) return `set by ${layer}`;
  return `set by ${layer}, ${showPath(file, layout.environment)}${line === undefined ? "" : `:${line}`}`;
}
