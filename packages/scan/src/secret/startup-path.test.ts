import { expect, test } from "vitest";
import { startupPath } from "./startup-path.ts";

test.each([
  ["~/.config/systemd/user/a.service", "systemd"],
  ["/etc/systemd/system/a.service.d/override.conf", "systemd"],
  ["/etc/systemd/system/a.timer", "systemd"],
  ["~/.config/systemd/user/a.conf", undefined],
  ["~/.config/systemd/user/tokens.env", undefined],
])("%s: %s", (path, expected) => {
  expect(startupPath(path)).toBe(expected);
});
