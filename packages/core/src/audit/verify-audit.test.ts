import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { appendAudit, verifyAudit } from "./audit-log.ts";

describe("verifyAudit", () => {
  test("a log that does not exist is an empty, valid one", async () => {
    expect(await verifyAudit(join(temporaryDirectory(), "absent/audit.jsonl"))).toEqual({
      ok: true,
      records: 0,
      problems: [],
    });
  });

  test("any single byte changed anywhere is found", async () => {
    const { file, bytes } = await chain(4);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (index, difference) => {
          const changed = Buffer.from(bytes);
          changed[index] = (changed[index]! + difference) % 256;
          writeFileSync(file, changed);
          expect((await verifyAudit(file)).ok).toBe(false);
        },
      ),
      { numRuns: 600 },
    );
  });

  test("any byte removed or inserted is found", async () => {
    const { file, bytes } = await chain(3);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.option(fc.integer({ min: 0, max: 255 })),
        async (index, inserted) => {
          const rest = bytes.subarray(inserted === null ? index + 1 : index);
          writeFileSync(
            file,
            Buffer.concat([bytes.subarray(0, index), Buffer.from(inserted === null ? [] : [inserted]), rest]),
          );
          expect((await verifyAudit(file)).ok).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("any rearrangement of the lines other than cutting off the end is found", async () => {
    const { file, bytes } = await chain(6);
    const lines = String(bytes).split(/(?<=\n)/);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }), async (order) => {
        const untouched = order.every((line, index) => line === index);
        writeFileSync(file, order.map((line) => lines[line]).join(""));
        expect((await verifyAudit(file)).ok).toBe(untouched);
      }),
      { numRuns: 300 },
    );
  });

  test("a line of another log does not fit in", async () => {
    const { file, bytes } = await chain(3);
    const [first, , third] = String(bytes).split(/(?<=\n)/);
    const foreign = String((await chain(3, "other")).bytes).split(/(?<=\n)/)[1]!;
    writeFileSync(file, `${first}${foreign}${third}`);
    const moved = "does not follow the line before it: lines were removed, added or moved";
    expect((await verifyAudit(file)).problems).toEqual([
      { line: 2, message: `line 2 ${moved} (sequence 2, expected 2)` },
      { line: 3, message: `line 3 ${moved} (sequence 3, expected 3)` },
    ]);
  });

  test("a head kept elsewhere shows that the end was cut off", async () => {
    const { file, bytes } = await chain(3);
    writeFileSync(file, bytes);
    const { head } = await verifyAudit(file);
    writeFileSync(file, bytes.subarray(0, bytes.lastIndexOf("\n", bytes.length - 2) + 1));
    const cut = await verifyAudit(file);
    expect([cut.ok, cut.head?.sequence, head?.sequence]).toEqual([true, 2, 3]);
  });

  test("a line of many megabytes is reported in bounded memory and the rest is still checked", async () => {
    const { file, bytes } = await chain(2);
    writeFileSync(file, bytes);
    for (let part = 0; part < 50; part++) appendFileSync(file, "x".repeat(200_000));
    appendFileSync(file, "\n");
    appendFileSync(file, bytes.subarray(0, bytes.indexOf("\n") + 1));
    expect(await verifyAudit(file)).toMatchObject({
      ok: false,
      records: 3,
      problems: [{ line: 3, message: "line 3 is too long to be a record" }],
    });
  });

  test("of very many problems the first hundred are listed and the rest counted", async () => {
    const file = join(temporaryDirectory(), "audit.jsonl");
    writeFileSync(file, "nonsense\n".repeat(150));
    const { ok, records, problems } = await verifyAudit(file);
    expect([ok, records, problems.length]).toEqual([false, 0, 101]);
    expect(problems.at(-1)).toEqual({ line: 100, message: "and 50 more problems after line 100" });
  });

  test("lines that span the reader's chunks are read whole", async () => {
    const file = join(temporaryDirectory(), "audit.jsonl");
    const record = { action: "enable", decision: "allow", reason: "r".repeat(20_000) } as const;
    for (let count = 0; count < 12; count++)
      await appendAudit({ file, record, clock: () => 0, actor: "user" });
    expect(readFileSync(file).length).toBeGreaterThan(200_000);
    expect(await verifyAudit(file)).toMatchObject({ ok: true, records: 12 });
  });
});

async function chain(length: number, actor = "user"): Promise<{ file: string; bytes: Buffer }> {
  const file = join(temporaryDirectory(), "audit.jsonl");
  const record = { action: "enable", decision: "allow" } as const;
  for (let count = 0; count < length; count++) await appendAudit({ file, record, clock: () => 0, actor });
  return { file, bytes: readFileSync(file) };
}
