import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { MemorySource, openSkills, type Session } from "@skillet/core";
import { expect, test } from "vitest";
import { type TelemetryOptions, traceSession } from "./telemetry.ts";

const FILES = {
  "pdf/SKILL.md": "---\nname: pdf\ndescription: Fills forms.\nallowed-tools: Read\n---\nFill $0.\n",
  "pdf/references/guide.md": "A guide.\n",
};

async function open(options: TelemetryOptions = {}): Promise<{
  readonly session: Session;
  readonly spans: () => readonly {
    readonly name: string;
    readonly attributes: object;
    readonly status: object;
  }[];
  readonly durations: () => Promise<readonly unknown[]>;
}> {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 1_000_000 });
  const meter = new MeterProvider({ readers: [reader] }).getMeter("test");
  const skills = await openSkills({ config: false, roots: [], sources: [new MemorySource(FILES)] });
  return {
    session: traceSession(await skills.session(), { tracer: provider.getTracer("test"), meter, ...options }),
    spans: () =>
      exporter.getFinishedSpans().map(({ name, attributes, status }) => ({ name, attributes, status })),
    durations: async () => {
      await reader.forceFlush();
      const [found] = metrics
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
      return found?.dataPoints.map(({ attributes }) => [found.descriptor.name, attributes]) ?? [];
    },
  };
}

async function call(session: Session, name: string, input: unknown): Promise<void> {
  const { toolbox } = await session.prompt(["Fill this form."]);
  await toolbox.tools.find((tool) => tool.name === name)?.execute(input);
}

test("a skill that is loaded and a file that is read are spans by the convention, without content", async () => {
  const { session, spans, durations } = await open();
  await call(session, "load_skill", { name: "pdf", arguments: "secret.pdf" });
  await call(session, "read_skill_resource", '{"skill":"pdf","path":"references/guide.md"}');
  expect(spans()).toMatchObject([
    {
      name: "execute_tool load_skill pdf",
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "load_skill",
        "gen_ai.skill.name": "pdf",
        "skillet.skill.digest": expect.stringMatching(/^sha256:/),
        "skillet.trigger": "model",
      },
    },
    {
      name: "execute_tool read_skill_resource pdf references/guide.md",
      attributes: { "gen_ai.skill.resource.name": "references/guide.md" },
    },
  ]);
  expect(JSON.stringify(spans())).not.toMatch(/secret\.pdf|Fills forms/);
  expect(await durations()).toEqual([
    ["gen_ai.execute_tool.duration", { "gen_ai.tool.name": "load_skill" }],
    ["gen_ai.execute_tool.duration", { "gen_ai.tool.name": "read_skill_resource" }],
  ]);
});

test("a refused call is a failed span with its code, and without the names that a model made up", async () => {
  const { session, spans, durations } = await open();
  await call(session, "load_skill", { name: "/home/ann/secret" });
  await call(session, "read_skill_resource", { skill: "pdf", path: "/home/ann/key" });
  expect(spans()).toMatchObject([
    { name: "execute_tool load_skill", attributes: { "error.type": "skill-not-found" }, status: { code: 2 } },
    { name: "execute_tool read_skill_resource pdf", status: { code: 2 } },
  ]);
  expect(JSON.stringify(spans())).not.toContain("/home/ann");
  expect(await durations()).toHaveLength(2);
});

test("what a skill's own tool is called with is content, whatever its fields are called", async () => {
  const { session } = await open();
  const execute = async () => ({ text: "Sent.", isError: false });
  const toolbox = { tools: [{ name: "pdf__send", kind: "skill", execute }] };
  const own = Object.assign(Object.create(session), { prompt: async () => ({ toolbox }) });
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  await call(traceSession(own, { tracer: provider.getTracer("test") }), "pdf__send", {
    path: "/home/ann/key",
  });
  expect(exporter.getFinishedSpans()).toMatchObject([{ name: "execute_tool pdf__send pdf" }]);
});

test("what a host activates itself says who asked for it, and a tool of its own that is refused is a failed span", async () => {
  const { session, spans } = await open({ content: true });
  await session.activate("pdf", { source: "user", arguments: "tax.pdf" });
  await session.guard({ tool: "Bash", input: "cat /home/ann/key" });
  await expect(session.activate("pff", { source: "user" })).rejects.toThrow("no skill");
  expect(spans()).toMatchObject([
    { attributes: { "skillet.trigger": "user", "gen_ai.skill.description": "Fills forms." } },
    { name: "execute_tool Bash", attributes: { "error.type": "tool-deny", "skillet.decision": "deny" } },
    { name: "execute_tool load_skill", attributes: { "error.type": "skill-not-found" } },
  ]);
});

test("the traced session is the same session: its mode, its snapshot, its forks and its end", async () => {
  const { session, spans } = await open();
  expect(session.mode).toBe("default");
  await session.setMode("plan");
  expect(session.mode).toBe("plan");
  expect((await session.toolbox()).version).toMatch(/^[0-9a-f]{16}$/);
  const child = await session.fork({ skills: ["pdf"] });
  await call(child, "load_skill", { name: "pdf" });
  expect(spans()).toHaveLength(1);
  expect(await child.finish("Done.")).toContain("Done.");
  await session.close();
  await expect(session.toolbox()).rejects.toThrow("ended");
});
