import { NOTHING_LEARNED } from "@skillet/select/parts";
import { expect, test } from "vitest";
import { learnFromRuns } from "./learn-from-runs.ts";
import { readRuns } from "./read-runs.ts";
import { makePlace } from "./testing/record-run.ts";

const SKILLS = {
  "pdf-forms": "Fills in PDF forms. Use when asked to fill in a form.",
  podcast: "Edits podcasts and cuts silence out of audio.",
};

async function learnWanted(recordMessages: boolean): Promise<readonly string[] | undefined> {
  const place = makePlace(SKILLS);
  for (let run = 0; run < 6; run += 1) {
    const session = await place.session(`run-${run}`, { recordMessages });
    const { action } = await session.decide(`my landlord sent paperwork number ${run}`);
    expect(action).toBe("nothing");
    await session.activate("pdf-forms", { source: "user" });
    await session.turn().end();
  }
  const { runs } = await readRuns([place.runs]);
  const skills = (await place.open()).snapshot.skills;
  return learnFromRuns(runs, { skills, before: NOTHING_LEARNED }).learned.skills.get("pdf-forms")?.wanted;
}

test("messages that selection missed are learned as what the skill is wanted for", async () => {
  const wanted = await learnWanted(true);
  expect(wanted).toHaveLength(6);
  expect(wanted).toContain("my landlord sent paperwork number 3");
});

test("without texts the uses count, and no message is learned", async () => {
  expect(await learnWanted(false)).toEqual([]);
});
