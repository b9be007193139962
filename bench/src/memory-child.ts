import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { time } from "./measure/interleave.ts";
import type { MemoryReport } from "./measure/measure-memory.ts";
import { discover } from "./measure/product.ts";

const root = process.argv[2];
if (root === undefined) throw new TypeError("The library's folder is missing.");

const cacheDirectory = mkdtempSync(join(tmpdir(), "skillet-bench-memory-"));
try {
  let found = 0;
  const run = async (): Promise<void> => {
    found = (await discover(root, cacheDirectory)).skills.length;
  };
  const coldMs = await time(run);
  const warmMs = await time(run);
  const report: MemoryReport = { found, coldMs, warmMs, peakBytes: process.resourceUsage().maxRSS * 1024 };
  process.send?.(report);
} finally {
  rmSync(cacheDirectory, { recursive: true, force: true });
}
