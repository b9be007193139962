import { expect, test } from "vitest";
import type { Answer, Question } from "../../ask.ts";
import { openPlace } from "./testing/open-toolbox.ts";

function needing(name: string, description: string, variable: string): Readonly<Record<string, string>> {
  const header = `required-environment-variables:\n  - name: ${variable}\n`;
  return { [`${name}/SKILL.md`]: `---\nname: ${name}\ndescription: ${description}\n${header}---\nDo it.\n` };
}

const tree = {
  ...needing(
    "invoices",
    "Sends invoices to customers. Use when a person wants an invoice sent.",
    "INVOICE_KEY",
  ),
  ...needing(
    "weather",
    "Tells the weather forecast of a city. Use for questions about the weather.",
    "SKY_KEY",
  ),
};
const CONVERSATION = ["Send the invoice to the customer with $invoices"];

test("a prompt asks once for what the skills lack that the conversation is about, and then offers them", async () => {
  const asked: Question[] = [];
  const ask = async (question: Question): Promise<Answer> => {
    asked.push(question);
    return { choice: "provide", secrets: { INVOICE_KEY: "given", SKY_KEY: "unasked" } };
  };
  const { session } = await openPlace({ tree, ask });
  expect((await session.prompt(CONVERSATION)).text).not.toContain("invoices");
  expect(asked).toEqual([]);
  const { text, toolbox } = await session.prompt(CONVERSATION, { dependencies: "ask" });
  expect(asked).toMatchObject([
    { kind: "dependencies", skill: "invoices", secrets: [{ name: "INVOICE_KEY" }] },
  ]);
  expect(text).toContain("invoices");
  expect(JSON.stringify(toolbox.tools)).not.toContain("weather");
  await session.prompt(CONVERSATION, { dependencies: "ask" });
  await session.prompt(["Hello"], { dependencies: "ask" });
  expect(asked).toHaveLength(1);
});

test("a prompt whose question is not answered ends when the host gives up, and nothing was given", async () => {
  const over = new AbortController();
  const ask = (): Promise<undefined> => {
    setImmediate(() => over.abort(new Error("enough")));
    return new Promise(() => undefined);
  };
  const { session } = await openPlace({ tree, ask });
  const options = { dependencies: "ask", signal: over.signal } as const;
  await expect(session.prompt(CONVERSATION, options)).rejects.toThrow("enough");
  expect((await session.prompt(CONVERSATION)).text).not.toContain("invoices");
});
