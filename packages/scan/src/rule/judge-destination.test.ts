import { expect, test } from "vitest";
import { makeProfile } from "../testing/make-fact.ts";
import { isOwnStore, isUserContent, judgeDestination, withoutRedirect } from "./judge-destination.ts";

const profile = makeProfile({ name: "tuner", description: "Switches the OakLeaf Radio on and off" });

test.each([
  ["https://get.oakleafradio.test/install.sh", "own"],
  ["https://get.oak-leaf-radio.test/install.sh", "own"],
  ["https://get.oakradio.test/install.sh", "foreign"],
  ["https://get.leafradioon.test/install.sh", "foreign"],
  ["https://get.oakleafradio-mirror.test/install.sh", "foreign"],
])("%s is %s: whole words one after the other make a name", (url, expected) => {
  expect(judgeDestination(url, profile)).toBe(expected);
});

test.each<[string, string, string, boolean]>([
  ["~/.config/weatherkit/credentials.json", "api.weatherkit.test", "forecast", true],
  ["~/.weatherkit.json", "api.weatherkit.test", "forecast", true],
  ["~/.config/forecast-cli/token", "api.other.test", "forecast-cli", true],
  ["~/.config/forecasts.toml", "api.other.test", "forecast-cli", true],
  ["~/.config/hosts.toml", "api.other.test", "hosts-list", false],
  ["~/.ssh/weatherkit", "api.weatherkit.test", "weatherkit", false],
  ["~/.docker/config.json", "take.test", "config", false],
  ["~/.config/gh/hosts.yml", "config.test", "credentials", false],
  ["~/.config/vault/credentials.json", "take.test", "credentials", false],
  ["~/.config/prism/settings.json", "api.pris.test", "weather", false],
])("%s for %s and a skill named %s: %s", (path, host, name, expected) => {
  expect(isOwnStore(path, host, makeProfile({ name }))).toBe(expected);
});

test.each([
  ["https://b-77.s3.amazonaws.com/x", true],
  ["https://s3-eu-west-1.amazonaws.com/b/x", true],
  ["https://huggingface.co/datasets/a/b/resolve/main/x.sh", true],
  ["https://a.supabase.co/storage/v1/object/public/b/x", true],
  ["https://api.github.com/gists", true],
  ["https://sts.amazonaws.com/", false],
  ["https://huggingface.co/api/models", false],
  ["https://en.wikipedia.org/wiki/Shell", false],
  ["https://api.github.com/repos/a/b", false],
])("whether %s is what anybody put there: %s", (url, expected) => {
  expect(isUserContent(url)).toBe(expected);
});

test.each([
  ["https://www.google.com/url?sa=t&q=https%3A%2F%2Frelay.test/x", "https://relay.test/x"],
  ["https://r.jina.ai/https://relay.test/x", "https://relay.test/x"],
  ["https://www.google.com/search?q=x", "https://www.google.com/search?q=x"],
])("%s leads to %s", (url, expected) => {
  expect(withoutRedirect(url)).toBe(expected);
});
