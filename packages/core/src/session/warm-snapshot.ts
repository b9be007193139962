import { createPause } from "@skillet/kit/async";
import { XML_FORM } from "../catalog/catalog-forms.ts";
import { measureDescription } from "../catalog/fit-catalog.ts";
import { openState } from "./open-session.ts";
import { narrowedSelector } from "./search/session-search.ts";
import type { SessionParts } from "./state.ts";

/**
 * Works out in slices what sessions over a snapshot share: verdicts, the skills that the rules offer with and without a
 * person to ask, cleaned descriptions and the index for selection. No person is asked anything.
 */
export async function warmSnapshot(parts: SessionParts, signal?: AbortSignal): Promise<void> {
  const pause = createPause(signal);
  for (const skill of parts.snapshot.skills) {
    measureDescription(skill, XML_FORM);
    await pause();
  }
  for (const interactive of [true, false]) {
    const state = await openState(parts, { interactive, ...(signal && { signal }) });
    await narrowedSelector(state);
    await pause();
  }
}
