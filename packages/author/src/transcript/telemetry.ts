import { createHash } from "node:crypto";
import { asObject, fieldOf, isJsonObject, type JsonObject, parseJson, textOf } from "@skillet/kit/json";
import { takeMessage, textIn } from "./messages.ts";
import { readTime, type TranscriptBuilder, type TranscriptFormat } from "./transcript.ts";

/** Messages that were seen already: every model call is recorded with all messages before it. */
const MAX_SEEN = 50_000;
const GROUPS = ["resourceSpans", "scopeSpans", "spans", "resourceLogs", "scopeLogs", "logRecords"];
const KEY = "gen_ai.";

/** Spans and log records of OpenTelemetry with GenAI attributes, individually or in OTLP documents. */
export const telemetry: TranscriptFormat = {
  name: "opentelemetry",
  recognises: (record) =>
    record.resourceSpans !== undefined ||
    record.resourceLogs !== undefined ||
    [...attributesOf(record).keys()].some((key) => key.startsWith(KEY)),
  open: (to) => {
    const seen = new Map<string, number>();
    return (record) => {
      const spans = spansIn(record).sort((left, right) => startOf(left) - startOf(right));
      for (const span of spans) takeSpan(to, span, seen);
      return spans.length > 0;
    };
  },
};

function spansIn(record: JsonObject): JsonObject[] {
  const inner = GROUPS.flatMap((key) => {
    const list = record[key];
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  });
  return inner.length > 0 ? inner.flatMap(spansIn) : record.attributes === undefined ? [] : [record];
}

const startOf = (span: JsonObject): number => {
  const nanoseconds = span.startTimeUnixNano ?? span.timeUnixNano;
  // The JavaScript exporters of OpenTelemetry write `[seconds, nanoseconds]`.
  const given = nanoseconds === undefined ? (span.startTime ?? span.timestamp) : Number(nanoseconds) / 1e6;
  const [seconds, rest] = Array.isArray(given) ? given : [];
  const milliseconds = seconds === undefined ? given : Number(seconds) * 1000 + Number(rest ?? 0) / 1e6;
  const time = readTime(milliseconds);
  return time === undefined ? 0 : Date.parse(time);
};

/** By name, from an object or from OTLP's list of keys and typed values. */
function attributesOf(record: JsonObject): ReadonlyMap<string, unknown> {
  const { attributes } = record;
  if (!Array.isArray(attributes)) return new Map(Object.entries(asObject(attributes) ?? {}));
  return new Map(
    attributes.map((one) => [
      textOf(one, "key") ?? "",
      Object.values(asObject(fieldOf(one, "value")) ?? {})[0],
    ]),
  );
}

function takeSpan(to: TranscriptBuilder, span: JsonObject, seen: Map<string, number>): void {
  const attributes = attributesOf(span);
  const text = (key: string): string | undefined => {
    const value = attributes.get(KEY + key);
    return typeof value === "string" ? value : undefined;
  };
  const time = startOf(span);
  if (time > 0) to.time = new Date(time).toISOString();
  to.id ??= text("conversation.id");
  if (seen.size > MAX_SEEN) seen.clear();
  const here = new Map<string, number>();
  for (const key of ["input.messages", "output.messages"]) {
    const given = attributes.get(KEY + key);
    const list = typeof given === "string" ? parseJson(given) : given;
    for (const message of Array.isArray(list) ? list.filter(isJsonObject) : []) {
      const print = createHash("sha256")
        .update(JSON.stringify([message.role, message.parts]))
        .digest("base64");
      const times = (here.get(print) ?? 0) + 1;
      here.set(print, times);
      // A message that occurs twice in the same list was said twice.
      if (times <= (seen.get(print) ?? 0)) continue;
      seen.set(print, times);
      takeMessage(to, message);
    }
  }
  if (text("operation.name") !== "execute_tool") return;
  const id = text("tool.call.id") ?? textOf(span, "spanId");
  const result = attributes.get(`${KEY}tool.call.result`);
  const isFailed = [2, "ERROR", "STATUS_CODE_ERROR"].includes(fieldOf(span.status, "code") as never);
  to.call(id, text("tool.name") ?? "", attributes.get(`${KEY}tool.call.arguments`));
  to.result(id, { outcome: isFailed ? "failed" : "ok", output: textIn(result) });
}
