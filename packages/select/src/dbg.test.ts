import { test } from "vitest";
import { createSelector } from "./create-selector.ts";
import { makeLibrary, makeSkill, writeHeader } from "./testing/make-skill.ts";
test("x", async () => {
  const wanted = "write the notes for 3.1, changed entries first";
  const examples = ["who writes the changelog here", "explain this changelog", "is the changelog long"];
  const ex = new Map([["write-changelog",[{ message: wanted, shouldTrigger: true },...examples.map((message) => ({ message, shouldTrigger: false }))]]]);
  const b = {...makeSkill(writeHeader("write-changelog","Writes the changelog of a release from its commits.")), origin: "builtin" as const};
  const lib = makeLibrary(40);
  for (const list of [lib, [...lib, b], [...lib, {...b, origin: "local" as const}]]) { const s = await createSelector(list,{examples: ex}); const d = s.decide("write the changelog"); console.log(JSON.stringify([...d.activate,...d.suggest].map(x=>[x.skill.name,x.score, x.skill.manifest.description]))); }
});
