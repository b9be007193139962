import { splitFragment } from "./parse-git-source.ts";
import { refuseCredentials, refuseSource } from "./refuse-source.ts";
import type { OciSource } from "./source.ts";
import { parsePickTail } from "./source-tail.ts";

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9][0-9]{0,4})?$/;
// As the distribution specification has it, which keeps `..` and upper case out.
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const MAX_REPOSITORY_CHARACTERS = 255;

/** Reads what stands behind `oci:`: `[//]HOST[:PORT]/REPOSITORY[:TAG][@DIGEST][#@PICK]`. */
export function parseOciSource(location: string, text: string): OciSource {
  const { place, fragment } = splitFragment(location.replace(/^\/\//, ""));
  const slash = place.indexOf("/");
  const registry = place.slice(0, Math.max(slash, 0));
  if (registry.includes("@")) refuseCredentials(registry.slice(registry.lastIndexOf("@") + 1));
  if (!HOST.test(registry.toLowerCase()))
    refuseSource(
      text,
      "names no registry",
      "Write oci://HOST/REPOSITORY:TAG, such as oci://registry.example.org/team/skill:1.0.",
    );
  const rest = place.slice(slash + 1);
  const at = rest.indexOf("@");
  const named = at === -1 ? rest : rest.slice(0, at);
  const digest = at === -1 ? undefined : rest.slice(at + 1);
  const colon = named.indexOf(":");
  const repository = colon === -1 ? named : named.slice(0, colon);
  const tag = colon === -1 ? undefined : named.slice(colon + 1);
  if (!REPOSITORY.test(repository) || repository.length > MAX_REPOSITORY_CHARACTERS)
    refuseSource(
      text,
      "names no repository of a registry",
      "Its parts are lower-case letters, digits, . _ and -.",
    );
  if (tag !== undefined && !TAG.test(tag))
    refuseSource(text, "has an odd tag", "Use letters, digits, . _ and -.");
  if (digest !== undefined && !DIGEST.test(digest))
    refuseSource(text, "has an odd digest", "Write @sha256: and 64 hexadecimal digits.");
  return {
    kind: "oci",
    registry: registry.toLowerCase(),
    repository,
    ...(tag !== undefined && { tag }),
    ...(digest !== undefined && { digest }),
    ...parsePickTail(text, fragment),
  };
}
