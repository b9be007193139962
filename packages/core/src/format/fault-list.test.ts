import { describe, expect, it } from "vitest";
import { locateKey } from "./fault-list.ts";

const HEADER = `name: x
"description": about name: things
metadata:
  openclaw:
    requires: { "bins": [gh] }
# comment
tags:
- name: y
license : MIT
license: BSD
`;

describe("locateKey", () => {
  it.each([
    ["name", { line: 1, column: 1 }],
    ["description", { line: 2, column: 1 }],
    ["metadata.openclaw", { line: 4, column: 3 }],
    ["metadata.openclaw.requires.bins", { line: 5, column: 17 }],
    ["metadata.openclaw.missing", { line: 4, column: 3 }],
    ["metadata.license", { line: 3, column: 1 }],
    ["tags.name", { line: 8, column: 3 }],
    ["license", { line: 10, column: 1 }],
    ["missing", { line: 1, column: 1 }],
  ])("finds %s, or the nearest key above it", (path, place) => {
    expect(locateKey(HEADER, path)).toEqual(place);
  });
});
