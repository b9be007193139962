import { fieldOf, parseJson } from "@skillet/kit/json";
import { isScopeName } from "../scope-prefix.ts";

/** How much of a plugin's manifest is read; a larger one names no plugin. */
export const MAX_PLUGIN_MANIFEST_BYTES: number = 256 * 1024;

const PLUGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The name that a plugin's manifest gives to its skills, or why it gives none, to be read after "The manifest". */
export function readPluginName(manifest: Uint8Array): { readonly name: string } | { readonly fault: string } {
  if (manifest.length > MAX_PLUGIN_MANIFEST_BYTES)
    return { fault: `is larger than ${MAX_PLUGIN_MANIFEST_BYTES} bytes` };
  const content = parseJson(manifest);
  if (content === undefined) return { fault: "is not JSON" };
  const name = fieldOf(content, "name");
  if (typeof name !== "string") return { fault: "has no name" };
  // Its skills would pass for those of the scope.
  if (isScopeName(name)) return { fault: `has the name ${name}, which is a scope's` };
  return PLUGIN_NAME.test(name)
    ? { name }
    : { fault: "has a name with other characters than letters, digits, dots, hyphens and underscores" };
}
