import { expect, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import { findEvidence, findExtensions } from "./find-evidence.ts";

test("commands come from the header's needs and from shell blocks, extensions from the header", () => {
  const { manifest } = makeSkill("---\nname: a\ndescription: b\nallowed-tools: Bash(gh:*)\n---\n");
  const evidence = findEvidence(manifest, {
    header: "Reads *.pdf and report.docx, see example.com/x.",
    shell: "pdftotext in.pdf -\ncd /tmp\n$ qpdf --check a.pdf",
  });
  expect(evidence).toEqual([
    "\u0001c:gh",
    "\u0001c:pdftotext",
    "\u0001c:qpdf",
    "\u0001e:pdf",
    "\u0001e:docx",
  ]);
});

test("an extension is what follows a dot at the end of a name", () => {
  expect(findExtensions("open Report.PDF and .env, v1.2 and e.g. this")).toEqual(["pdf", "env", "g"]);
});
