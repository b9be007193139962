import type { Colours } from "./terminal.ts";

/** What every piece of a screen needs to know. */
export interface Layout {
  readonly width: number;
  readonly colours: Colours;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
