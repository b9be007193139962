const DAY_MS = 86_400_000;

/** A day (`2026-11-01`, from its beginning in UTC) or a number of days before now (`30d`), in milliseconds since 1970. */
export function parseSince(text: string, now: number): number | undefined {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days !== undefined) return now - Number(days) * DAY_MS;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = Date.parse(`${text}T00:00:00Z`);
  // The thirtieth of February is taken for a day in March.
  return Number.isFinite(day) && new Date(day).toISOString().startsWith(text) ? day : undefined;
}
