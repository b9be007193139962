import { isAbsolute, join, resolve } from "node:path";
import { canonicalPath } from "@skillet/kit/files";
import type { Resolved } from "../fetch/resolved.ts";
import type { PolicyQuestion, SignatureRule } from "../signature/check-signature-policy.ts";
import { decodePercent } from "../signature/fold-source.ts";
import { showSource } from "../source/show-source.ts";
import { sourceOfResolved } from "../source/source-of-resolved.ts";
import type { HubParts } from "./hub-parts.ts";

/** The rules for signatures, and every spelling of one source that they may be about; folders by where they really are. */
export function signaturePolicy(
  { signatures, root, userHome }: Pick<HubParts, "signatures" | "root" | "userHome">,
  { sources, resolved }: { readonly sources: readonly string[]; readonly resolved: Resolved },
): Pick<PolicyQuestion, "requireSignature" | "sources"> {
  const absolute = (path: string): string => resolve(root, path);
  return {
    requireSignature: signatures.flatMap((rule) => rulesOf(rule, userHome)),
    sources: [
      ...sources,
      showSource(sourceOfResolved(resolved, absolute)),
      ...localPaths(resolved).map((path) => canonicalPath(absolute(path))),
    ],
  };
}

// A rule for a folder holds also where that is a link; where a pattern begins, there is nothing to follow.
function rulesOf(rule: SignatureRule, userHome: string): readonly SignatureRule[] {
  const path = pathOf(rule.sources.trim(), userHome);
  if (path === undefined) return [rule];
  const star = path.indexOf("*");
  const slash = path.lastIndexOf("/", star < 0 ? undefined : star);
  const [folder, rest] = star < 0 ? [path, ""] : [path.slice(0, slash), path.slice(slash)];
  return [...new Set([path, `${canonicalPath(folder || "/")}${rest}`])].map((sources) => ({
    ...rule,
    sources,
  }));
}

function pathOf(written: string, userHome: string): string | undefined {
  if (written === "~" || written.startsWith("~/")) return join(userHome, written.slice(1));
  if (isAbsolute(written)) return written;
  return pathOfUrl(written.replace(/^git[:+]/i, ""));
}

// As git reads it, which knows no wrong encoding.
function pathOfUrl(url: string): string | undefined {
  const [, path] = /^file:\/\/(?:localhost)?(\/.*)$/is.exec(url) ?? [];
  return path === undefined ? undefined : decodePercent(path);
}

function localPaths(resolved: Resolved): readonly string[] {
  if (resolved.kind === "local") return [resolved.path];
  if (resolved.kind === "archive") return isAbsolute(resolved.location) ? [resolved.location] : [];
  const path = resolved.kind === "git" ? pathOfUrl(resolved.url) : undefined;
  // Where git looks as well.
  return path === undefined ? [] : [path, `${path}.git`, join(path, ".git")];
}
