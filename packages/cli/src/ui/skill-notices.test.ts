import { expect, test } from "vitest";
import { trustCommand } from "./skill-notices.ts";

test("the command names the folder as a shell reads it", () => {
  expect(trustCommand("/srv/my app", "--yes")).toBe("skillet trust '/srv/my app' --yes");
});

test("a folder that cannot be shown as it is called is not named", () => {
  expect(trustCommand("/srv/a\nb", "--yes")).toBe("skillet trust --yes");
});
