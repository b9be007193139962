import { join } from "node:path";
import { scanSkill } from "@skillet/scan";
import { expect, test } from "vitest";
import { hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";

test.each(["Pdf", "PDF", "рdf", "pdf.", "ｐdf"])("%s is not a name beside an installed pdf", async (name) => {
  const box = hubSandbox();
  writeFiles(box.project, { "one/SKILL.md": skillText("pdf"), "two/SKILL.md": skillText(name) });
  const hub = await box.open();
  await hub.apply(await hub.planInstall(wanted("./one")));
  const { refusals } = await hub.planInstall(wanted("./two"));
  expect(refusals).toMatchObject([{ code: "name-taken" }]);
  expect(refusals[0]?.reason).toMatch(/pdf.*--name/);
  expect((await hub.planInstall(wanted("./two", { as: "other" }))).refusals).toEqual([]);
});

test.each(["ｇh", "GH"])("%s is not given away beside a held gh", async (name) => {
  const box = hubSandbox();
  writeFiles(box.project, { "two/SKILL.md": skillText(name) });
  const hub = await box.open({ holders: new Map([["gh", "the bundled skill gh"]]) });
  const { refusals } = await hub.planInstall(wanted("./two"));
  expect(refusals).toMatchObject([{ code: "name-taken" }]);
  expect(refusals[0]?.reason).toContain("the bundled skill gh");
});

test.each([
  ["pdf_tools", "pdf-tools"],
  ["PDF", "pdf"],
])(
  "the name %s that someone holds is not given away as %s, though that is how it looks plainest",
  async (held, name) => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/SKILL.md": skillText(name) });
    const hub = await box.openUser({ holders: new Map([[held, `the user skill ${held}`]]) });
    const { refusals } = await hub.planInstall(wanted("./src"));
    expect(refusals).toMatchObject([{ code: "name-taken" }]);
    expect(refusals[0]?.reason).toContain(`the user skill ${held}`);
  },
);

test("look-alikes do not come together either, of a source or by a need", async () => {
  const box = hubSandbox();
  const needing = skillText("pdf", "Do.", 'metadata:\n  requires:\n    skills: ["рdf"]\n');
  writeFiles(box.project, { "src/skills/a/SKILL.md": needing, "src/skills/b/SKILL.md": skillText("рdf") });
  const hub = await box.open();
  for (const request of [wanted("./src", { all: true }), wanted("./src", { names: ["pdf"] })]) {
    const { refusals } = await hub.planInstall(request);
    expect(refusals.map(({ name, code }) => [name, code])).toContainEqual(["рdf", "name-taken"]);
  }
});

test("what is blocked because the scan could not read it all says which file that is", async () => {
  const machine = hubSandbox();
  writeFiles(machine.folder, { "source/a/SKILL.md": skillText("a") });
  const unread = { kind: "binary", size: 1, state: "unread", reason: "it is too large" } as const;
  const hub = await machine.openUser({
    untrustedAround: () => machine.folder,
    scan: async (files) => ({
      ...(await scanSkill(files)),
      verdict: "caution",
      coverage: [
        { file: "big.bin", ...unread },
        { file: "other.bin", ...unread },
      ],
    }),
  });
  const { refusals } = await hub.planInstall(wanted(join(machine.folder, "source")));
  expect(refusals[0]?.reason).toContain(
    "The scan could not read all of it: big.bin and 1 more (it is too large).",
  );
});
