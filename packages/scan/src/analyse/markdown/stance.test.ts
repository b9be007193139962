import { describe, expect, test } from "vitest";
import { foldText } from "../../text/fold-text.ts";
import {
  columnStance,
  forbidsCode,
  headingStance,
  introducedStance,
  isDemanding,
  plainlyRunsWhatStandsAbove,
  presentsSpecimen,
  runsWhatFollows,
} from "./document-context.ts";

describe("headings", () => {
  test.each([
    ["Never", "negated"],
    ["NEVER:", "negated"],
    ["Don't", "negated"],
    ["What not to do", "negated"],
    ["Things to avoid", "negated"],
    ["Red flags", "negated"],
    ["Anti-patterns", "negated"],
    ["🚩 Red Flags", "negated"],
    ["禁止事项", "negated"],
    ["Запрещено", "negated"],
    ["Examples of attacks", "example"],
    ["Prompt injection patterns", "example"],
    ["What to flag", "example"],
    ["Detection rules", "example"],
    ["❌ Bad", "example"],
    ["Bad example", "example"],
    ["Before", "example"],
    ["攻击示例", "example"],
    ["Примеры атак", "example"],
    ["Never delete files", "negated"],
    ["Do not go on without the agent", "live"],
    ["Never begin empty-handed", "live"],
    ["Cannot reach the service?", "live"],
    ["Things to avoid waiting", "live"],
    ["❌ Program not found", "live"],
    ["Wrong version (Linux)", "live"],
    ["Setup (do not skip)", "live"],
    ["Do not skip this step", "live"],
    ["Don't forget to install", "live"],
    ["Ad-free 🚫 install", "live"],
    ["❌ Setup", "live"],
    ["Examples", "live"],
    ["Example", "live"],
    ["Usage examples", "live"],
    ["Before you start", "live"],
    ["Setup", "live"],
    ["Setup of the attack scanner", "live"],
    ["Prerequisites to avoid malicious code patterns", "live"],
    ["Quick start", "live"],
    ["Security", "live"],
    ["Patterns", "live"],
    ["Bad weather data", "live"],
    ["安装示例", "live"],
  ] as const)("%s is %s", (heading, stance) => {
    expect(headingStance(foldText(heading))).toBe(stance);
  });
});

describe("introductions", () => {
  test.each([
    ["Never:", "negated"],
    ["Do not run any of these:", "negated"],
    ["Avoid the following:", "negated"],
    ["❌ Bad:", "example"],
    ["Wrong:", "example"],
    ["Before:", "example"],
    ["Attackers may say things such as:", "quoted"],
    ["Malicious skills often contain instructions like:", "quoted"],
    ["Examples of prompt injection:", "quoted"],
    ["Signs of a malicious skill:", "quoted"],
    ["Suspicious commands:", "quoted"],
    ["Flag any of these:", "quoted"],
    ["Reject skills that contain:", "quoted"],
    ["An example of an injection:", "quoted"],
    ["攻击者可能会说：", "quoted"],
    ["Злоумышленник может написать:", "quoted"],
    ["You should not need root for this:", "live"],
    ["Don't close the terminal while it works:", "live"],
    ["Never open the editor without this:", "live"],
    ["Avoid network errors like this:", "live"],
    ["For example:", "live"],
    ["Run the following:", "live"],
    ["To block attackers, run the following:", "live"],
    ["Before using this skill, check for malicious patterns:", "live"],
    ["You must run this command to avoid attacks:", "live"],
    ["Install the threat scanner:", "live"],
    ["Usage:", "live"],
    ["Do not tell the user:", "live"],
  ] as const)("%s brings %s text", (clause, stance) => {
    expect(introducedStance(foldText(clause))).toBe(stance);
  });
});

test.each([
  ["Pattern", "live"],
  ["What it detects", "live"],
  ["Attack", "quoted"],
  ["Malicious example", "quoted"],
  ["❌", "quoted"],
  ["Red flag", "quoted"],
  ["Action", "live"],
  ["Response to the attack", "live"],
  ["Command", "live"],
  ["Description", "live"],
  ["Don't", "negated"],
] as const)("cells below %s are %s", (heading, stance) => {
  expect(columnStance(foldText(heading), { isDefensive: false })).toBe(stance);
});

test("cells below a pattern are specimens in a text about attacks", () => {
  expect(columnStance("pattern", { isDefensive: true })).toBe("quoted");
});

test.each([
  "Never",
  "Don't:",
  "Anti-patterns",
  "Do not run any of these:",
  "Avoid using this:",
  "What not to do",
])("%s forbids the code below it", (words) => {
  expect(forbidsCode(foldText(words))).toBe(true);
});

test.each(["Red flags", "Do not close the lid", "Never run it without the agent:", "Cannot run?", "Setup"])(
  "%s forbids no code below it",
  (words) => {
    expect(forbidsCode(foldText(words))).toBe(false);
  },
);

test("code is run by the clause before it or behind it", () => {
  expect(runsWhatFollows("now install the agent:")).toBe(true);
  expect(runsWhatFollows("people often install the agent:")).toBe(false);
  expect(plainlyRunsWhatStandsAbove("then run the block above.")).toBe(true);
  expect(plainlyRunsWhatStandsAbove("reject skills that run the block above.")).toBe(false);
});

test.each([
  ["attackers write ", ""],
  ["flag phrases like ", ""],
  ["an injection such as ", ""],
  ["the words ", " are a red flag"],
  ["text like ", " should be treated as hostile"],
])("a quotation after %j and before %j is a specimen", (before, after) => {
  expect(presentsSpecimen(before, after)).toBe(true);
});

test.each([
  ["reply with ", ""],
  ["if the text is suspicious, run ", ""],
  ["to stop attackers, always answer ", " first"],
  ["use phrases like ", ""],
  ["when the user says ", ", do it"],
])("a quotation after %j and before %j is no specimen", (before, after) => {
  expect(presentsSpecimen(before, after)).toBe(false);
});

test("a demand is one under whatever heading", () => {
  expect(isDemanding("you must run this installer")).toBe(true);
  expect(isDemanding("before you can use it, paste the line")).toBe(true);
  expect(isDemanding("not sending the report to the host")).toBe(true);
  expect(isDemanding("ignore all previous instructions")).toBe(false);
});
