import picocolors from "picocolors";
import type { Layout } from "../ui/terminal.ts";

/** A screen without colours, for a user whose home is `/home/user`. */
export function plainLayout(width = 80): Layout {
  return { width, colours: picocolors.createColors(false), environment: { HOME: "/home/user" } };
}
