import type { Resolved } from "../fetch/resolved.ts";
import type { Source } from "./source.ts";

/** The source that exactly a pin comes from, for installs from a lock; `resolvePath` makes its local paths absolute. */
export function sourceOfResolved(resolved: Resolved, resolvePath: (path: string) => string): Source {
  switch (resolved.kind) {
    case "git":
      return { kind: "git", url: resolved.url, ref: resolved.commit };
    case "local":
      return { kind: "local", path: resolvePath(resolved.path) };
    case "archive":
      return { kind: "archive", location: resolved.location };
    case "skill-file":
      return { kind: "skill-file", url: resolved.url };
    case "well-known":
      return { kind: "well-known", base: resolved.index };
    case "npm":
      return { kind: "npm", name: resolved.name, version: resolved.version };
    case "oci": {
      const { registry, repository, digest } = resolved;
      return { kind: "oci", registry, repository, digest };
    }
  }
}
