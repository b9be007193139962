import type { Resolved } from "@skillet/hub";

const SHORT_COMMIT = 7;
const SHORT_DIGEST = 12;

/** Which version it is, short enough for a line: a commit, a version or the beginning of a digest. */
export function showPin(resolved: Resolved, digest?: string): string {
  switch (resolved.kind) {
    case "git":
      return resolved.commit.slice(0, SHORT_COMMIT);
    case "npm":
      return resolved.version;
    case "local":
      return digest === undefined ? "local" : showDigest(digest);
    case "oci":
      return resolved.tag ?? showDigest(resolved.digest);
    default:
      return showDigest(resolved.digest ?? digest ?? "unpinned");
  }
}

/** The ref or tag that a pin was found by, where there is one. */
export function showRef(resolved: Resolved): string | undefined {
  if (resolved.kind === "git") return resolved.ref?.replace(/^refs\/(?:heads|tags)\//, "");
  return resolved.kind === "oci" ? resolved.tag : undefined;
}

/** The beginning of a digest, as `rollback --to` takes it. */
export function showDigest(digest: string): string {
  return digest.replace(/^sha256:/, "").slice(0, SHORT_DIGEST);
}
