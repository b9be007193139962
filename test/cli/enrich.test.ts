import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox, type Sandbox, skillText } from "./sandbox.ts";

/** A user with two skills, and a model that writes these messages for each. */
async function prepare(messages: readonly string[]): Promise<{ sandbox: Sandbox; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.push(Buffer.concat(chunks).toString("utf8"));
      const content = JSON.stringify({ messages });
      response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content } }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const sandbox = createSandbox();
  sandbox.write("home/.skillet/skills/pdf-forms/SKILL.md", skillText("pdf-forms", "Fills in PDF forms."));
  sandbox.write("home/.skillet/skills/podcast/SKILL.md", skillText("podcast", "Edits podcasts."));
  sandbox.write(
    "home/.skillet/config.yaml",
    `eval:\n  model: { endpoint: "${endpoint}", model: writer-1 }\n`,
  );
  return { sandbox, asked };
}

const fileOf = (sandbox: Sandbox): string => join(sandbox.home, ".skillet", "selection.yaml");

test("sample messages are shown, written on a yes, found by, and not asked for again", async () => {
  const { sandbox, asked } = await prepare([
    "the landlord wants his forms back by noon",
    "use podcast-tools",
  ]);
  const looked = await sandbox.skillet(["enrich", "pdf-forms", "--dry-run"]);
  expect(looked).toMatchObject({ exitCode: 0, stderr: "" });
  expect(looked.stdout).toMatch(/^pdf-forms\n {2}\+ origin: local\n/m);
  expect(looked.stdout).toContain('+ - "the landlord wants his forms back by noon"'.slice(2));
  expect(existsSync(fileOf(sandbox))).toBe(false);
  const written = await sandbox.skillet(["enrich", "pdf-forms", "--yes"]);
  expect(written.exitCode).toBe(0);
  expect(readFileSync(fileOf(sandbox), "utf8")).toMatch(
    /generatedFrom: "?sha256:[0-9a-f]{16}"?\n {4}generated:\n/,
  );
  const { document } = await sandbox.json(["search", "the landlord is here, by noon he wants them back"]);
  expect(document.results[0]).toMatchObject({ name: "pdf-forms" });
  const before = asked.length;
  const again = await sandbox.skillet(["enrich", "pdf-forms", "--yes"]);
  expect(again.stdout).toContain("0 skills with new sample messages");
  expect(asked.length).toBe(before);
});

test("nothing is written without a yes, without a model, or where no message is usable", async () => {
  const { sandbox } = await prepare([]);
  const none = await sandbox.json(["enrich", "pdf-forms", "--yes"]);
  expect(none).toMatchObject({ exitCode: 1, document: { written: false, failed: [{ skill: "pdf-forms" }] } });
  expect((await sandbox.skillet(["enrich"])).exitCode).toBe(2);
  sandbox.write("home/.skillet/config.yaml", "");
  const without = await sandbox.json(["enrich", "--all"]);
  expect(without.document.error.code).toBe("eval-model-not-configured");
  expect(existsSync(fileOf(sandbox))).toBe(false);
});
