import { type ConfigEntry, parseKeyPath } from "@skillet/core";
import { CliError } from "./cli-error.ts";

/** Finds what a dotted key means: a value, part of one, or a group of them; an unknown key ends the command. */
export function findConfigValue(values: readonly ConfigEntry[], key: string): ConfigEntry {
  const path = parseKeyPath(key);
  const group: ConfigEntry[] = [];
  for (const entry of values) {
    const entryPath = parseKeyPath(entry.key);
    if (startsWith(path, entryPath)) {
      const value = drill(entry.value, path.slice(entryPath.length));
      if (value !== undefined) return { key, value, origins: entry.origins };
    }
    if (startsWith(entryPath, path)) group.push(entry);
  }
  if (group.length > 0)
    return { key, value: nest(group, path.length), origins: group.flatMap(({ origins }) => origins) };
  throw new CliError("config-key-unknown", `There is no config value '${key}'.`, {
    exitCode: 1,
    hints: ["See all of them: skillet config list"],
    details: { key },
  });
}

/** A value on one line: text as it is, everything else as JSON, which is YAML too. */
export function formatConfigValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((part, index) => path[index] === part);
}

function drill(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<string, unknown>)[part];
  }
  return current;
}

function nest(group: readonly ConfigEntry[], depth: number): unknown {
  const root: Record<string, unknown> = Object.create(null);
  for (const { key, value } of group) {
    const path = parseKeyPath(key).slice(depth);
    const last = path.at(-1);
    let current = root;
    for (const part of path.slice(0, -1)) {
      current[part] ??= Object.create(null);
      current = current[part] as Record<string, unknown>;
    }
    if (last !== undefined) current[last] = value;
  }
  return root;
}
