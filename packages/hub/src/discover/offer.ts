import type { Source } from "../source/source.ts";

/** Something that a source has to install. */
export interface Offer {
  readonly kind: "skill" | "plugin";
  /** As it declares it, or its folder's; what `@name` and `--skill` pick. */
  readonly name: string;
  readonly description: string;
  /** Within the source; empty for its root. */
  readonly folder: string;
  /** Where a marketplace says that it lies, when that is not in this source. */
  readonly elsewhere?: Source;
  /** What must come from there: a commit or a digest that the marketplace pins. */
  readonly pin?: string;
  /** Hidden from lists unless asked for by name. */
  readonly internal: boolean;
  /** The plugin that it is part of, for skills that are picked out of one. */
  readonly plugin?: string;
}
