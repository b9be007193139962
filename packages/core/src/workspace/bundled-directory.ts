import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Beside the built code, and in a checkout beside the packages.
const PLACES = ["./skills", "../../../../skills"];

/** Where the skills lie that ship with Skillet. */
export function bundledDirectory(): string | undefined {
  return PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(
    (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
  );
}
