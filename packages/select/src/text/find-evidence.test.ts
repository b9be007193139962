import { expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import { findEvidence, findExtensions } from "./find-evidence.ts";

test("extensions come from the header and from the paths of a skill, verbs as it declares them", () => {
  const header = 'paths: ["**/*.{ts,tsx}"]\ntriggers:\n  verbs: [Merge]';
  const { manifest } = makeSkill(`---\nname: a\ndescription: b\n${header}\n---\n`);
  const evidence = findEvidence(manifest, "Reads *.pdf and report.docx, see example.com/x.");
  expect(evidence).toEqual(["\u0001e:pdf", "\u0001e:docx", "\u0001e:ts", "\u0001e:tsx", "\u0001v:merge"]);
});

test("an extension is what follows a dot at the end of a name", () => {
  expect(findExtensions("open Report.PDF and .env, v1.2 and e.g. this")).toEqual(["pdf", "env", "g"]);
});
