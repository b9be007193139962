import { createPause } from "@skillet/kit/async";
import { openState } from "./open-session.ts";
import { namedSkills, narrowedSelector, selectSkills, usualSkills } from "./search/session-search.ts";
import { viewOf } from "./skill-view.ts";
import type { SessionParts } from "./state.ts";

/**
 * Computes, in slices, what sessions over a snapshot share: verdicts, the skills that the rules offer with
 * and without a user to ask, cleaned descriptions and the index for selection. Never asks the user.
 */
export async function warmSnapshot(parts: SessionParts, signal?: AbortSignal): Promise<void> {
  const pause = createPause(signal);
  for (const interactive of [true, false]) {
    const state = await openState(parts, { interactive, ...(signal && { signal }) });
    await narrowedSelector(state);
    await pause();
    namedSkills(state);
    await pause();
    // The first message builds the tables of misspelt words.
    await selectSkills(state, "warming up", {});
    await pause();
    usualSkills(viewOf(state));
    await pause();
  }
}
