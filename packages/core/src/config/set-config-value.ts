import { SkilletError } from "@skillet/kit/errors";
import { plainValue } from "@skillet/kit/located";
import { type ConfigChange, type ConfigTarget, editConfig } from "./edit-config.ts";
import { parseKeyPath } from "./key-path.ts";
import { locateYaml } from "./locate-yaml.ts";
import { removeValue, setValue } from "./yaml-edit.ts";

/**
 * Sets one value of a config file; a value that would not load is refused and nothing is written.
 *
 * @example
 * await setConfigValue({ home, layer: "user", key: "skills.scriptTimeout", value: 60_000 });
 */
export async function setConfigValue(
  options: ConfigTarget & { readonly key: string; readonly value: unknown },
): Promise<ConfigChange> {
  const path = parseKeyPath(options.key);
  return editConfig(options, ({ document }) => setValue(document, path, options.value));
}

/** Removes one value of a config file, so that the layer below shows through. */
export async function unsetConfigValue(
  options: ConfigTarget & { readonly key: string },
): Promise<ConfigChange> {
  const path = parseKeyPath(options.key);
  return editConfig(options, ({ document }) => {
    removeValue(document, path);
  });
}

/** Reads a value as it is typed on a command line: YAML, so that `5000`, `true`, `[a, b]` and plain text all work. */
export function parseConfigValue(text: string): unknown {
  const { root, faults } = locateYaml(text);
  const [fault] = faults;
  if (fault === undefined) return plainValue(root);
  const message = `${JSON.stringify(text)} is not a value: ${fault.message}. Put quotes around text with special characters.`;
  throw new SkilletError("config-value-invalid", message, { data: { text } });
}
