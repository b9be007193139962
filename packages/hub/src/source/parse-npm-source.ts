import { splitFragment } from "./parse-git-source.ts";
import { refuseSource } from "./refuse-source.ts";
import type { NpmSource } from "./source.ts";
import { parsePickTail } from "./source-tail.ts";

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/;
const MAX_NAME_CHARACTERS = 214;

/** Reads what stands behind `npm:`: `NAME[@VERSION][#@PICK]`. */
export function parseNpmSource(location: string, text: string): NpmSource {
  const { place, fragment } = splitFragment(location);
  const at = place.indexOf("@", 1);
  const name = at === -1 ? place : place.slice(0, at);
  const version = at === -1 ? undefined : place.slice(at + 1);
  if (!NAME.test(name) || name.startsWith("-") || name.length > MAX_NAME_CHARACTERS)
    refuseSource(text, "names no package", "Write npm:NAME or npm:@SCOPE/NAME, in lower case.");
  if (version !== undefined && !VERSION.test(version))
    refuseSource(
      text,
      "names neither an exact version nor a tag",
      "Write npm:NAME@1.2.3 or npm:NAME@latest.",
    );
  return { kind: "npm", name, ...(version !== undefined && { version }), ...parsePickTail(text, fragment) };
}
