import type { ScriptOutputListener } from "@skillet/core";
import { OutputCapture } from "@skillet/kit/process";
import type { Redactor } from "./create-redactor.ts";
import { showOutput } from "./show-output.ts";

type StreamName = Parameters<ScriptOutputListener>[0];

/** What a script wrote, without secrets. */
export interface WatchedOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
}

/** Passes on what a script writes and keeps head and tail of it. */
export interface OutputWatch {
  readonly listener: ScriptOutputListener;
  finish(): WatchedOutput;
}

/** Takes secrets out first, then shows the rest to the host and keeps what fits: a secret on the edge stays out too. */
export function watchOutput(options: {
  readonly redactor: Redactor;
  readonly maxBytes: number;
  readonly onOutput?: ScriptOutputListener | undefined;
}): OutputWatch {
  const { redactor, maxBytes, onOutput } = options;
  const create = () => ({ redacted: redactor.stream(), capture: new OutputCapture(maxBytes) });
  const streams = { stdout: create(), stderr: create() };
  const pass = (name: StreamName, bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    streams[name].capture.add(bytes);
    onOutput?.(name, bytes);
  };
  const finish = (name: StreamName): { readonly text: string; readonly truncated: boolean } => {
    pass(name, streams[name].redacted.end());
    const captured = streams[name].capture.finish();
    // Once more: a secret with an escape sequence in it is one again when the sequence is gone.
    return { text: redactor.text(showOutput(captured)), truncated: captured.omittedBytes > 0 };
  };
  return {
    listener: (name, bytes) => pass(name, streams[name].redacted.push(bytes)),
    finish: () => {
      const stdout = finish("stdout");
      const stderr = finish("stderr");
      return {
        stdout: stdout.text,
        stderr: stderr.text,
        truncated: { stdout: stdout.truncated, stderr: stderr.truncated },
      };
    },
  };
}
