import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Skills } from "@skillet/core";
import { undefinedOn } from "@skillet/kit/errors";
import { parseJson } from "@skillet/kit/json";
import { FAULT, faultAnswer, ProtocolFault } from "../protocol/json-rpc.ts";
import { readLines } from "../protocol/read-lines.ts";
import { createSkillServer, type ServeOptions } from "./skill-server.ts";

/** The streams for messages; default: the standard streams, to which nothing else may write. */
export interface StdioOptions extends ServeOptions {
  readonly input?: Readable | undefined;
  readonly output?: Writable | undefined;
}

/**
 * Serves skills over the standard streams until the input ends.
 *
 * @example
 * await serveStdio(await openSkills());
 */
export async function serveStdio(skills: Skills, options: StdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout, ...given } = options;
  const server = await createSkillServer(skills, given);
  const write = (message: object): void => {
    if (output.writable) output.write(`${JSON.stringify(message)}\n`);
  };
  // A client that closed its end is not a fault: the input ends too.
  output.on("error", () => undefined);
  const connection = server.connect(write);
  const underWay = new Set<Promise<void>>();
  const answer = async (line: Uint8Array): Promise<void> => {
    const message = parseJson(line);
    const fault = new ProtocolFault(FAULT.parse, "A line is not JSON.");
    const given = message === undefined ? faultAnswer(null, fault) : await connection.handle(message);
    if (given !== undefined) write(given);
  };
  const answerAll = async (): Promise<void> => {
    for await (const line of readLines(input)) {
      if (line.length === 0) continue;
      const answering = answer(line).finally(() => underWay.delete(answering));
      underWay.add(answering);
      // Do not buffer answers for a client that does not read them.
      if (output.writableNeedDrain) await Promise.race([once(output, "drain"), once(output, "close")]);
    }
  };
  try {
    // A host that destroys the input ends the server.
    await answerAll().catch(undefinedOn("ERR_STREAM_PREMATURE_CLOSE"));
    await Promise.all(underWay);
  } finally {
    await server.close();
  }
}
