import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "./measure/median.ts";
import { renderTable } from "./report/render-table.ts";
import { createTextGenerator } from "./select/generate-texts.ts";
import { latencyOf, snapshotOf } from "./select/latency.ts";
import { createSelector, parseSkill, type Skill } from "./select/product.ts";

const { values } = parseArgs({ options: { skills: { type: "string", default: "10000" } } });
const count = Number(values.skills);
const MESSAGES = 1000;
const PATHOLOGICAL: Readonly<Record<string, (names: readonly string[]) => string>> = {
  "1 MB paste": (names) => `${names.join(" lorem ipsum the of and ")} `.repeat(40).slice(0, 1_000_000),
  "10,000 names": (names) => names.slice(0, 10_000).join(" "),
  "control characters": () => "\u0000\u0007\u001b[31m\u202e".repeat(2_000),
  "one letter": () => "a",
};

const folder = mkdtempSync(join(tmpdir(), "skillet-select-"));
try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const generator = createTextGenerator(11);
  const paths: string[] = [];
  const skills: { readonly skill: Skill; readonly body: string }[] = [];
  const messages: string[] = [];
  let bytes = 0;
  for (let index = 0; index < count; index += 1) {
    const text = generator.next();
    const directory = join(folder, String(index % 500), String(index));
    mkdirSync(directory, { recursive: true });
    const path = join(directory, "SKILL.md");
    const whole = `---\nname: ${text.name}\ndescription: ${JSON.stringify(text.description)}\n---\n${text.body}`;
    writeFileSync(path, whole);
    bytes += whole.length;
    paths.push(path);
    skills.push({ skill: toSkill(path, text), body: "" });
    if (index % Math.ceil(count / MESSAGES) === 0) messages.push(generator.message(text));
  }
  const readAll = (): number => timeOf(() => paths.map((path) => readFileSync(path, "utf8").length));
  readAll();
  const plainMs = readAll();
  const readBody = (skill: Skill): string => {
    const text = readFileSync(skill.path, "utf8");
    return text.slice(text.indexOf("\n---\n") + 5);
  };
  const snapshot = snapshotOf(skills);
  const cacheFile = join(folder, "selection.idx");
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let start = performance.now();
  await createSelector(snapshot, { readBody, cacheFile });
  const buildMs = performance.now() - start;
  const peak = process.memoryUsage().rss - before;
  globalThis.gc?.();
  start = performance.now();
  const selector = await createSelector(snapshot, { readBody, cacheFile });
  const loadMs = performance.now() - start;
  for (const message of messages.slice(0, 200)) selector.select(message);
  const latency = latencyOf(messages.map((message) => timeOf(() => selector.select(message))));
  globalThis.gc?.();
  const resident = process.memoryUsage().rss - before;
  const names = skills.map(({ skill }) => skill.name);
  console.log(
    renderTable([
      ["skills", String(count)],
      ["SKILL.md, MB", (bytes / 1e6).toFixed(0)],
      ["plain read, ms", plainMs.toFixed(0)],
      ["index built, ms", buildMs.toFixed(0)],
      ["  in plain reads", (buildMs / plainMs).toFixed(2)],
      ["loaded from cache, ms", loadMs.toFixed(0)],
      ["  in plain reads", (loadMs / plainMs).toFixed(2)],
      ["resident growth after build, MB", (peak / 1e6).toFixed(0)],
      ["resident growth after messages, MB", (resident / 1e6).toFixed(0)],
      ["a message p50, ms", latency.p50.toFixed(2)],
      ["a message p99, ms", latency.p99.toFixed(2)],
      ...Object.entries(PATHOLOGICAL).map(([name, make]) => {
        // As it comes from a host: one flat string, not the pieces that it was put together from.
        const message = Buffer.from(make(names)).toString();
        const times = Array.from({ length: 21 }, () => timeOf(() => selector.select(message)));
        return [`${name}, ms`, median(times).toFixed(2)];
      }),
    ]),
  );
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function toSkill(path: string, text: { readonly name: string; readonly description: string }): Skill {
  const { manifest } = parseSkill(`---\nname: x\ndescription: x\n---\n`);
  if (manifest === undefined) throw new Error("The template of a skill does not parse.");
  return {
    name: text.name,
    qualifiedName: text.name,
    scope: "user",
    origin: "local",
    kind: "skill",
    path,
    directory: path,
    directoryName: text.name,
    source: { id: "scale", folder: path, file: "SKILL.md" },
    digest: `sha256:${text.name}`,
    manifest: { ...manifest, name: text.name, description: text.description },
    state: "enabled",
    missing: [],
    bodyCharacters: 0,
    alsoAt: [],
    diagnostics: [],
  };
}
