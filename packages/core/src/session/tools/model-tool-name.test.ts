import fc from "fast-check";
import { expect, test } from "vitest";
import { modelToolName } from "./model-tool-name.ts";

test("a plain name of a skill stands before the tool's", () => {
  expect(modelToolName("pdf-forms", "fill")).toBe("pdf-forms__fill");
  expect(modelToolName("a".repeat(21), "b".repeat(41))).toBe(`${"a".repeat(21)}__${"b".repeat(41)}`);
});

test("other names are made safe and kept apart by a digest of the whole", () => {
  expect(modelToolName("user:pdf", "fill")).toMatch(/^user_pdf_[0-9a-f]{10}__fill$/);
  expect(modelToolName("user/pdf", "fill")).not.toBe(modelToolName("user:pdf", "fill"));
  expect(modelToolName("формы", "fill")).toMatch(/^_[0-9a-f]{10}__fill$/);
  expect(modelToolName("PDF", "fill")).toMatch(/^PDF_[0-9a-f]{10}__fill$/);
  expect(modelToolName("a".repeat(64), "fill")).toMatch(/^a{47}_[0-9a-f]{10}__fill$/);
});

test("a skill cannot pass for a server of tools", () => {
  for (const skill of ["mcp", "MCP"])
    expect(modelToolName(skill, "github__create_issue")).toMatch(/^mcp_[0-9a-f]{10}__github__create_issue$/i);
});

const skills = fc.oneof(
  fc.stringMatching(/^[a-zA-Z_-]{1,70}$/),
  fc.constantFrom("a", "A", "a_", "a__b", "a-b", "a:b", "mcp"),
  fc.string({ minLength: 1, unit: "grapheme" }),
);
const tools = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,40}$/);

test("every name is one that models take, and no two tools share one", () => {
  fc.assert(
    fc.property(skills, tools, skills, tools, (skill, tool, otherSkill, otherTool) => {
      const name = modelToolName(skill, tool);
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      // Hosts compare them without regard to case; two tools of one skill that differ only in it are left out.
      const other = modelToolName(otherSkill, otherTool);
      expect(name.toLowerCase() === other.toLowerCase()).toBe(
        skill === otherSkill && tool.toLowerCase() === otherTool.toLowerCase(),
      );
    }),
  );
});
