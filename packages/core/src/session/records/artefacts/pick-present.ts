/** The named fields of a record that it has, in the order of the names; a journal's line may hold others. */
export function pickPresent<Value extends object, Key extends keyof Value>(
  value: Value,
  keys: readonly Key[],
): Pick<Value, Key> {
  const present = keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]);
  return Object.fromEntries(present) as Pick<Value, Key>;
}
