import { boundedText } from "../discover/bounded-text.ts";
import type { CapabilityChange } from "./version-changes.ts";

// A person reads a screen or two; whoever fills more hides something in it.
const MAX_ASKED = 50;
const MAX_GAIN_CHARACTERS = 200;

// What acts by itself, is used without asking or is handed over comes first, and none of it is left out: fifty harmless
// hosts must not push a hook out of the question.
const NEVER_CUT: readonly CapabilityChange["kind"][] = [
  "hooks",
  "mcpServers",
  "allowedTools",
  "limits",
  "secrets",
  "settings",
  "instructions",
];

/** What a person is asked about a version that can do more; undefined where it cannot. */
export function askAboutGains(gained: readonly CapabilityChange[]): string | undefined {
  if (gained.length === 0) return undefined;
  const first = NEVER_CUT.flatMap((kind) => gained.filter((change) => change.kind === kind));
  const rest = gained.filter(({ kind }) => !NEVER_CUT.includes(kind));
  const asked = [...first, ...rest.slice(0, Math.max(0, MAX_ASKED - first.length))];
  const texts = asked.map(({ text }) => boundedText(text, MAX_GAIN_CHARACTERS));
  const more = gained.length - texts.length;
  return `the new version ${texts.join("; ")}${more > 0 ? `; and can do ${more} more things that it could not` : ""}`;
}
