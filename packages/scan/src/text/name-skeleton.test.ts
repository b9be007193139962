import { expect, test } from "vitest";
import { nameSkeleton } from "./fold-text.ts";

test.each(["Pdf", "PDF", "рdf", "рԁf", "pdf.", "ｐdf", "p\u200bdf", "𝐩𝐝𝐟", "pdf-"])(
  "%s is taken for pdf",
  (name) => {
    expect(nameSkeleton(name)).toBe("pdf");
  },
);

test("separators do not tell names apart, and other names stay others", () => {
  expect(nameSkeleton("Pdf_Tools")).toBe(nameSkeleton("pdf-tools"));
  expect(new Set(["pdf", "pdfs", "pdf2", "тест", "技能"].map(nameSkeleton)).size).toBe(5);
});
