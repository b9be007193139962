import type { Source } from "../sources/source.ts";

export interface Offer {
  readonly kind: "skill" | "plugin";
  /** As it declares it, or its folder's; what `@name` and `--skill` pick. */
  readonly name: string;
  readonly description: string;
  readonly folder: string;
  readonly elsewhere?: Source;
  /** What must come from there: a commit or a digest that the marketplace pins. */
  readonly pin?: string;
  /** Hidden from lists unless asked for by name. */
  readonly internal: boolean;
  readonly plugin?: string;
}
