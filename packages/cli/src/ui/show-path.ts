import { sep } from "node:path";
import { stripControl } from "./strip-control.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A path for people: safe to print, with the home folder shortened to `~`. */
export function showPath(path: string, environment: Environment): string {
  const home = homeOf(environment);
  if (home !== undefined && (path === home || path.startsWith(home + sep))) {
    return stripControl(`~${path.slice(home.length)}`);
  }
  return stripControl(path);
}

/** A sentence for people, with the paths in it as `showPath` shows them. */
export function showSentence(text: string, environment: Environment): string {
  const home = homeOf(environment);
  if (home === undefined || !text.includes(home + sep)) return stripControl(text);
  const parts = text.split(home + sep);
  // Only where a path begins: the same letters may stand inside another one.
  const short = parts.reduce(
    (shown, part) => shown + (/(?:^|[\s("'`])$/.test(shown) ? "~" : home) + sep + part,
  );
  return stripControl(short);
}

function homeOf({ HOME, USERPROFILE }: Environment): string | undefined {
  const home = HOME ?? USERPROFILE;
  return home !== undefined && home.length > 1 ? home : undefined;
}

/** A token count for people: `~42`, `~1.2k`, `~12k`, `~1.2M`; all counts are estimates. */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return `~${tokens}`;
  const [value, unit] = tokens < 999_500 ? [tokens / 1000, "k"] : [tokens / 1_000_000, "M"];
  return `~${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}

/** A file size for people, in powers of 1024. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [value, unit] = bytes < 1024 * 1024 ? [bytes / 1024, "kB"] : [bytes / (1024 * 1024), "MB"];
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)} ${unit}`;
}
