import { boundedText } from "../discover/bounded-text.ts";
import type { CapabilityChange } from "./version-changes.ts";

// A person reads a screen or two; whoever fills more hides something in it.
const MAX_ASKED = 50;
const MAX_GAIN_CHARACTERS = 200;

/** What a person is asked about a version that can do more; undefined where it cannot. */
export function askAboutGains(gained: readonly CapabilityChange[]): string | undefined {
  if (gained.length === 0) return undefined;
  const texts = gained.slice(0, MAX_ASKED).map(({ text }) => boundedText(text, MAX_GAIN_CHARACTERS));
  const more = gained.length - texts.length;
  return `the new version ${texts.join("; ")}${more > 0 ? `; and can do ${more} more things that it could not` : ""}`;
}
