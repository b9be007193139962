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
