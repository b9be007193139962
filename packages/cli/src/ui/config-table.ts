import type { ConfigEntry } from "@skillet/core";
import { formatConfigValue } from "../config-values.ts";
import { displayWidth } from "./display-width.ts";
import { pad, truncate } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { showPath } from "./show-path.ts";
import { stripControl } from "./strip-control.ts";

/** One line a value, and below it where it was set; defaults are dim, so that what people set stands out. */
export function configTable(values: readonly ConfigEntry[], layout: Layout): string[] {
  const { colours, width } = layout;
  const rows = values.map(({ key, value }) => ({
    key: stripControl(key),
    value: stripControl(formatConfigValue(value)),
  }));
  const column = Math.max(...rows.map(({ key }) => displayWidth(key))) + 2;
  return values.flatMap(({ origins }, index) => {
    const isDefault = origins.every(({ layer }) => layer === "defaults");
    const paint = isDefault ? colours.dim : String;
    const { key = "", value = "" } = rows[index] ?? {};
    // Keys next to values need room for both.
    const lines =
      column > width / 2
        ? [truncate(key, width), `    ${truncate(value, width - 4)}`]
        : [`${pad(key, column)}${truncate(value, width - column)}`];
    const setters = isDefault ? [] : origins.map((origin) => truncate(originText(origin, layout), width - 2));
    return [...lines.map(paint), ...setters.map((text) => `  ${colours.dim(text)}`)];
  });
}

function originText(origin: ConfigEntry["origins"][number], layout: Layout): string {
  const { layer, file, line } = origin;
  if (file === undefined) return `set by ${layer}`;
  return `set by ${layer}, ${showPath(file, layout.environment)}${line === undefined ? "" : `:${line}`}`;
}
