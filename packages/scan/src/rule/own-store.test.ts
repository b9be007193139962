import { expect, test } from "vitest";
import { makeProfile } from "../testing/make-fact.ts";
import { isOwnStore } from "./own-store.ts";

test.each<[string, string, string, boolean]>([
  ["~/.config/weatherkit/credentials.json", "api.weatherkit.test", "forecast", true],
  ["~/.weatherkit.json", "api.weatherkit.test", "forecast", true],
  ["~/.config/forecast-cli/token", "api.other.test", "forecast-cli", true],
  ["~/.ssh/weatherkit", "api.weatherkit.test", "weatherkit", false],
  ["~/.docker/config.json", "take.test", "config", false],
  ["~/.config/gh/hosts.yml", "config.test", "credentials", false],
  ["~/.config/vault/credentials.json", "take.test", "credentials", false],
  ["~/.config/prism/settings.json", "api.pris.test", "weather", false],
])("%s for %s and a skill named %s: %s", (path, host, name, expected) => {
  expect(isOwnStore(path, host, makeProfile({ name }))).toBe(expected);
});
