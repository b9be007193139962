import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "./measure/median.ts";
import { renderTable } from "./report/render-table.ts";
import { createTextGenerator } from "./select/generate-texts.ts";
import { latencyOf } from "./select/latency.ts";
import { createSelector, parseSkill, type Skill } from "./select/product.ts";

const { values } = parseArgs({ options: { skills: { type: "string", default: "10000" } } });
const count = Number(values.skills);
const MESSAGES = 1000;
const PATHOLOGICAL: Readonly<Record<string, (names: readonly string[]) => string>> = {
  "1 MB paste": (names) => `${names.join(" lorem ipsum the of and ")} `.repeat(40).slice(0, 1_000_000),
  "10,000 names": (names) => names.slice(0, 10_000).join(" "),
  "control characters": () => "\u0000\u0007\u001b[31m\u202e".repeat(2_000),
  "one letter": () => "a",
  "one word without a space": () => "x".repeat(100_000),
  "file names": () => Array.from({ length: 5_000 }, (_, index) => `src/f${index}.ts`).join(" "),
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
  const readAll = (): Spent => spend(() => paths.map((path) => readFileSync(path, "utf8").length));
  readAll();
  const plain = readAll();
  const readBody = (skill: Skill): string => {
    const text = readFileSync(skill.path, "utf8");
    return text.slice(text.indexOf("\n---\n") + 5);
  };
  const indexed = skills.map(({ skill }) => skill);
  const cacheFile = join(folder, "selection.idx");
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const build = await spendAsync(() => createSelector(indexed, { readBody, cacheFile }));
  const peak = process.memoryUsage().rss - before;
  globalThis.gc?.();
  const load = await spendAsync(() => createSelector(indexed, { readBody, cacheFile }));
  const selector = load.result;
  for (const message of messages.slice(0, 200)) selector.select(message);
  const selecting = spend(() => messages.map((message) => selector.select(message)));
  const latency = latencyOf(messages.map((message) => timeOf(() => selector.select(message))));
  globalThis.gc?.();
  const resident = process.memoryUsage().rss - before;
  const names = skills.map(({ skill }) => skill.name);
  console.log(
    renderTable([
      ["skills", String(count)],
      ["SKILL.md, MB", (bytes / 1e6).toFixed(0)],
      ["plain read, ms", plain.ms.toFixed(0)],
      ["index built, ms", build.ms.toFixed(0)],
      ["  in plain reads", (build.ms / plain.ms).toFixed(2)],
      ["  in plain reads, by processor time", (build.cpuMs / plain.cpuMs).toFixed(2)],
      ["loaded from cache, ms", load.ms.toFixed(0)],
      ["  in plain reads", (load.ms / plain.ms).toFixed(2)],
      ["  in plain reads, by processor time", (load.cpuMs / plain.cpuMs).toFixed(2)],
      ["resident growth after build, MB", (peak / 1e6).toFixed(0)],
      ["resident growth after messages, MB", (resident / 1e6).toFixed(0)],
      ["a message, mean processor time, ms", (selecting.cpuMs / messages.length).toFixed(2)],
      ["a message p50, ms", latency.p50.toFixed(2)],
      ["a message p99, ms", latency.p99.toFixed(2)],
      ...Object.entries(PATHOLOGICAL).map(([name, make]) => {
        // As it comes from a host: one flat string, not the pieces that it was put together from.
        const message = Buffer.from(make(names)).toString();
        const times = Array.from({ length: 21 }, () => timeOf(() => selector.select(message)));
        return [
          `${name}, median and most, ms`,
          `${median(times).toFixed(2)}, ${Math.max(...times).toFixed(2)}`,
        ];
      }),
    ]),
  );
}

/** What work took: by the clock, and of the processors, which a busy machine does not change. */
interface Spent {
  readonly ms: number;
  readonly cpuMs: number;
}

function spend(work: () => unknown): Spent {
  const cpu = process.cpuUsage();
  const ms = timeOf(work);
  return { ms, cpuMs: cpuMsSince(cpu) };
}

async function spendAsync<Result>(work: () => Promise<Result>): Promise<Spent & { readonly result: Result }> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const result = await work();
  return { ms: performance.now() - start, cpuMs: cpuMsSince(cpu), result };
}

function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
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
