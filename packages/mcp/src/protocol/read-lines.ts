import { SkilletError } from "@skillet/kit/errors";
import { MAX_MESSAGE_BYTES } from "./json-rpc.ts";

/** The lines of a stream without line ends, empty ones too; throws if one is longer than a message may be. */
export async function* readLines(
  stream: AsyncIterable<Uint8Array | string>,
  maxBytes: number = MAX_MESSAGE_BYTES,
): AsyncGenerator<Uint8Array, void, undefined> {
  let kept: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let rest: Uint8Array = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([...kept, rest.subarray(0, end)]);
      if (line.length > maxBytes) throw tooLarge(maxBytes);
      yield line;
      kept = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    length += rest.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    kept.push(rest);
  }
  if (length > 0) yield Buffer.concat(kept);
}

const NEWLINE = 10;

export function tooLarge(maxBytes: number): SkilletError {
  return new SkilletError("mcp-message-too-large", `A message has more than ${maxBytes} bytes.`);
}
