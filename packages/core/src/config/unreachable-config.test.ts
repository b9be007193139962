import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { setSkillEnabled } from "./set-skill-enabled.ts";
import { createPlace, failureOf } from "./testing/config-place.ts";

// Longer than a file system lets a name be: the link can be made, and following it fails.
const LONG = "a".repeat(300);

const UNREACHABLE: [string, "file" | "folder", string][] = [
  ["a folder that is a link to itself", "folder", ".skillet"],
  ["a folder that is a link to too long a name", "folder", LONG],
  ["a folder that is a link to nowhere", "folder", "nowhere"],
  ["a file that is a link to itself", "file", "config.yaml"],
  ["a file that is a link to too long a name", "file", LONG],
];

/** A project whose config, or the folder of it, is a link. */
function createLinked(what: "file" | "folder", target: string): ReturnType<typeof createPlace> {
  const place = createPlace();
  const path = what === "file" ? place.projectFile : dirname(place.projectFile);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  return place;
}

describe("a project's config that cannot be reached", () => {
  test.each(UNREACHABLE)(
    "behind %s ends no command while nobody trusts the project",
    (_title, what, target) => {
      const place = createLinked(what, target);
      const { diagnostics, layers } = place.load();
      expect(layers).toEqual([]);
      expect(diagnostics.map(({ code }) => code)).toEqual(what === "file" ? ["config-untrusted"] : []);
    },
  );

  test.each(UNREACHABLE.filter(([, , target]) => target !== "nowhere"))(
    "behind %s is a fault with a code once the project is trusted",
    (_title, what, target) => {
      const place = createLinked(what, target);
      const error = failureOf(() => place.load({ projectTrusted: true }));
      expect(error.code).toBe("config-invalid");
      expect(error.data.problems).toEqual([
        {
          file: place.projectFile,
          message: expect.stringMatching(/ELOOP|ENAMETOOLONG/),
          hint: expect.any(String),
        },
      ]);
    },
  );

  test("behind a folder that is a link to nowhere is no config, also when the project is trusted", () => {
    expect(createLinked("folder", "nowhere").load({ projectTrusted: true }).layers).toEqual([]);
  });

  test.each(UNREACHABLE)("behind %s is not written either, with a code", async (_title, what, target) => {
    const { home, projectRoot } = createLinked(what, target);
    const options = {
      home,
      projectRoot,
      layer: "project",
      name: "a",
      scope: "user",
      enabled: false,
    } as const;
    await expect(setSkillEnabled(options)).rejects.toMatchObject({
      code: what === "file" ? "config-invalid" : "file-unwritable",
    });
  });
});
