import { createHash } from "node:crypto";
import type { TreeFile } from "@skillet/core";

/**
 * The `computedHash` that the `skills` command writes into its lock; only to compare with that.
 *
 * It is no digest to rely on: nothing stands between path and bytes, so different trees can share one, and the order
 * follows a locale.
 */
export function skillsHash(files: readonly TreeFile[]): string {
  const counted = files
    .filter(
      ({ path }) =>
        !path
          .split("/")
          .slice(0, -1)
          .some((part) => part === ".git" || part === "node_modules"),
    )
    .sort((left, right) => left.path.localeCompare(right.path));
  const sum = createHash("sha256");
  for (const { path, bytes } of counted) sum.update(path).update(bytes);
  return sum.digest("hex");
}
