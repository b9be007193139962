import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import type { SelectedSkill } from "../../selection.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { selectIn } from "../testing/inspect-session.ts";
import { openSession, type TestSession } from "../testing/open-session.ts";
import { catalogIn } from "../testing/unwrap.ts";

// The second shares every word of the first one's name.
function open(): Promise<TestSession> {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf-forms/SKILL.md": skillText("pdf-forms", "Fills in PDF forms. Use when a form has to be filled in."),
    "pdf-tools/SKILL.md": skillText("pdf-tools", "Tools for PDF forms, PDF pages and PDF files."),
    "podcast/SKILL.md": skillText("podcast", "Edits podcasts and cuts silence out of recordings."),
  });
  return openSession(folder);
}

const names = (found: readonly SelectedSkill[]): readonly string[] => found.map(({ skill }) => skill.name);

describe("a message that names a skill", () => {
  test.each(["/pdf-forms", "$pdf-forms", "  /pdf-forms!", "/pdf-forms and $pdf-forms"])(
    "calls no other by the words of the name: %s",
    async (message) => {
      const session = await open();
      const { action, activate, suggest } = await session.decide(message);
      expect([action, names(activate)]).toEqual(["activate", ["pdf-forms"]]);
      expect(names(suggest)).toEqual([]);
      expect(names(await selectIn(session, message))).toEqual(["pdf-forms"]);
    },
  );

  test("calls others by what else it says", async () => {
    const session = await open();
    const request = "edit the podcast and cut the silence";
    const others = names(await selectIn(session, request)).filter((name) => name !== "pdf-forms");
    expect(others[0]).toBe("podcast");
    expect(names(await selectIn(session, `/pdf-forms ${request}`))).toEqual(["pdf-forms", ...others]);
  });

  test("that is not there is a message like any other", async () => {
    const session = await open();
    expect(names(await selectIn(session, "/pdf-tool for pages"))).toContain("pdf-tools");
  });
});

describe("what is no message", () => {
  test.each([undefined, null, 1, {}, ["a"]])("is refused with what to pass: %j", async (odd) => {
    const session = await open();
    const invalid = { code: "call-invalid", message: expect.stringContaining("pass a text") };
    await expect(session.decide(odd as unknown as string)).rejects.toMatchObject(invalid);
    await expect(selectIn(session, odd as unknown as string)).rejects.toMatchObject(invalid);
  });

  test.each(["text", undefined, [1], {}])("is no conversation either: %j", async (odd) => {
    const session = await open();
    await expect(catalogIn(session.prompt(odd as unknown as string[]))).rejects.toMatchObject({
      code: "call-invalid",
      message: expect.stringContaining("pass a list of texts"),
    });
  });
});
