import { expect, test } from "vitest";
import { makeProfile } from "../testing/make-fact.ts";
import { judgeDestination } from "./judge-destination.ts";

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
