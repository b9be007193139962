import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type HubSandbox, hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";

function twoSkills(): HubSandbox {
  const box = hubSandbox();
  writeFiles(box.folder, {
    "src/skills/x/SKILL.md": skillText("x"),
    "src/skills/My_Skill/SKILL.md": skillText("my-skill"),
  });
  return box;
}

describe("one skill that is named twice", () => {
  test.each([
    ["x", "x"],
    ["my-skill", "My_Skill"],
  ])("as %s by the source and as %s beside it, is one skill", async (picked, name) => {
    const box = twoSkills();
    const hub = await box.openUser();
    const { items, refusals } = await hub.planInstall(
      wanted(`${join(box.folder, "src")}@${picked}`, { names: [name] }),
    );
    expect([items.map((item) => item.name), refusals]).toEqual([[picked], []]);
  });

  test("can be given another name, which two cannot", async () => {
    const box = twoSkills();
    const hub = await box.openUser();
    const source = `${join(box.folder, "src")}@x`;
    const { items } = await hub.planInstall(wanted(source, { names: ["x"], as: "z" }));
    expect(items).toMatchObject([{ name: "z" }]);
    await expect(hub.planInstall(wanted(source, { names: ["my-skill"], as: "z" }))).rejects.toMatchObject({
      code: "name-needs-one",
    });
  });
});

describe("a ref beside the source", () => {
  test.each([
    ["npm:tool", "^1.0", "source-invalid"],
    ["oci://registry.example.com/tool", "no tag", "source-invalid"],
    ["oci://registry.example.com/tool", "sha256:abc", "source-invalid"],
    ["https://github.com/acme/tools/tree/main/skills", "v2", "ref-invalid"],
  ])("that could not stand in %s is refused before anything is asked: %s", async (source, ref, code) => {
    const hub = await hubSandbox().openUser();
    await expect(hub.planInstall(wanted(source, { ref }))).rejects.toMatchObject({ code });
  });

  test("takes the place of the digest that the source names", async () => {
    const source = `oci://localhost:1/tool@sha256:${"0".repeat(64)}`;
    const steps: string[] = [];
    const hub = await hubSandbox().openUser({ onStep: ({ what }) => steps.push(what) });
    await expect(hub.planInstall(wanted(source, { ref: "2.0" }))).rejects.toMatchObject({
      code: "address-refused",
    });
    expect(steps).toEqual(["oci://localhost:1/tool:2.0"]);
  });
});
