import picocolors from "picocolors";
import type { LineLayout } from "../ui/terminal.ts";

/** A screen without colours, for a user whose home is `/home/user`. */
export function plainLayout(width = 80): LineLayout {
  const colours = picocolors.createColors(false);
  return { width, lineWidth: width, colours, environment: { HOME: "/home/user" } };
}
