/**
 * The values that environment variables set: `SKILLET_DISABLED` and `SKILLET_PRECEDENCE`, each a list with commas.
 *
 * Returns undefined when neither is there.
 */
export function environmentValues(
  environment: Readonly<Record<string, string | undefined>>,
): object | undefined {
  const disabled = splitList(environment.SKILLET_DISABLED);
  const precedence = splitList(environment.SKILLET_PRECEDENCE);
  if (disabled.length === 0 && precedence.length === 0) return undefined;
  const overrides = Object.fromEntries(disabled.map((name) => [name, { enabled: false }]));
  return {
    skills: { ...(disabled.length > 0 && { overrides }), ...(precedence.length > 0 && { precedence }) },
  };
}

function splitList(text: string | undefined): string[] {
  const items = (text ?? "").split(",").map((item) => item.trim());
  return items.filter((item) => item !== "");
}
