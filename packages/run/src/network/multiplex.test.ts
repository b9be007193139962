import { once } from "node:events";
import { Duplex, PassThrough, Readable } from "node:stream";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { createByteQueue, type Frame, MULTIPLEX_LIMITS, readFrames, writeFrame } from "./frames.ts";
import { type Multiplexer, type MultiplexOptions, multiplex } from "./multiplex.ts";
import { channelPair } from "./testing/channel-pair.ts";

const parts = { readFrames, writeFrame, createByteQueue };
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function carry(
  channel: Duplex,
  options: Partial<MultiplexOptions> = {},
): Multiplexer & { ended: Promise<unknown> } {
  let onEnd: (violation?: string) => void = () => undefined;
  const ended = new Promise((resolve) => {
    onEnd = (violation) => resolve(violation ?? "gone");
  });
  const made = multiplex(channel, { limits: MULTIPLEX_LIMITS, parts, onEnd, ...options });
  closing.push(() => made.close());
  return { ...made, ended };
}

/** Two sides that speak to each other; the outer one gives its connections to `onConnection`. */
async function joined(onConnection: (connection: Duplex) => void): Promise<Multiplexer> {
  const [inner, outer] = await channelPair();
  carry(outer, { onConnection });
  return carry(inner);
}

describe("connections over a channel", () => {
  test("carry what each side says, in any pieces, all at once, to its end", async () => {
    const piece = fc.nat(40_000);
    const talk = fc.record({
      there: fc.array(piece, { maxLength: 6 }),
      back: fc.array(piece, { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(talk, { minLength: 1, maxLength: 8 }), async (talks) => {
        const heard: Promise<Buffer>[] = [];
        const inner = await joined((connection) => {
          const back = talks[heard.length]?.back ?? [];
          heard.push(readBytes(connection));
          Readable.from(pieces(back, heard.length)).pipe(connection);
        });
        const answers = talks.map(({ there }, index) => {
          const connection = inner.open()!;
          Readable.from(pieces(there, index + 100)).pipe(connection);
          return readBytes(connection);
        });
        const back = await Promise.all(answers);
        const there = await Promise.all(heard);
        expect(back.map((bytes, index) => bytes.equals(whole(talks[index]!.back, index + 1)))).toEqual(
          talks.map(() => true),
        );
        expect(there.map((bytes, index) => bytes.equals(whole(talks[index]!.there, index + 100)))).toEqual(
          talks.map(() => true),
        );
        inner.close();
      }),
      { numRuns: 20 },
    );
  });

  test("can be ended one way while the other way goes on", async () => {
    const inner = await joined(async (connection) => {
      const heard = await readBytes(connection);
      connection.end(`heard ${heard}`);
    });
    const connection = inner.open()!;
    connection.end("all");
    expect(String(await readBytes(connection))).toBe("heard all");
  });

  test("that are not read take one window and no more, and hold up no other", async () => {
    const connections: Duplex[] = [];
    let bothThere: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      bothThere = resolve;
    });
    const inner = await joined((connection) => {
      if (connections.push(connection) === 2) bothThere();
    });
    const stuck = inner.open()!;
    let taken = 0;
    const block = Buffer.alloc(8192);
    const fill = (): void => {
      stuck.write(block, () => {
        taken += block.length;
        fill();
      });
    };
    fill();
    const free = inner.open()!;
    free.end(Buffer.alloc(2_000_000));
    await both;
    expect((await readBytes(connections[1]!)).length).toBe(2_000_000);
    expect(taken).toBe(MULTIPLEX_LIMITS.windowBytes);
    // And go on as soon as they are read.
    connections[0]!.resume();
    while (taken < 3 * MULTIPLEX_LIMITS.windowBytes) await once(connections[0]!, "data");
  });

  test("that one side drops end on the other", async () => {
    const inner = await joined((connection) => connection.destroy());
    const connection = inner.open()!;
    await once(connection, "close");
    expect(connection.readableEnded).toBe(false);
  });

  test("that are ended and then dropped are still read to their end", async () => {
    const inner = await joined((connection) => {
      connection.end(Buffer.alloc(50_000), () => connection.destroy());
    });
    const connection = inner.open()!;
    connection.write("never read");
    // The second one is answered after the first one, so by then both its end and its drop have come.
    const second = inner.open()!;
    await readBytes(second);
    expect((await readBytes(connection)).length).toBe(50_000);
    if (!connection.closed) await once(connection, "close");
  });

  test("are bounded in number, and free their place when they end", async () => {
    const inner = await joined((connection) => connection.resume().once("end", () => connection.end()));
    const all = Array.from({ length: MULTIPLEX_LIMITS.maxConnections }, () => inner.open()!);
    expect(inner.open()).toBeUndefined();
    all[5]!.resume().end();
    await once(all[5]!, "close");
    expect(inner.open()).toBeDefined();
  });

  test("end with the channel", async () => {
    const [inner, outer] = await channelPair();
    const side = carry(inner);
    const connection = side.open()!;
    outer.destroy();
    await once(connection, "close");
    expect(await side.ended).toBe("gone");
    expect(side.open()).toBeUndefined();
  });
});

describe("a hostile side", () => {
  const data = (id: number, length: number): Frame => ({ kind: "data", id, bytes: Buffer.alloc(length) });
  const open = (id: number): Frame => ({ kind: "open", id });
  const windowFull = Array.from({ length: 8 }, () => data(1, MULTIPLEX_LIMITS.maxPayloadBytes));

  test.each<[string, readonly Frame[], string]>([
    ["skips a number", [open(2)], "a connection opened out of turn"],
    ["opens one twice", [open(1), open(1)], "a connection opened out of turn"],
    ["speaks on what is not open", [data(1, 1)], "a frame of a connection that was never opened"],
    ["speaks on number zero", [{ kind: "end", id: 0 }], "a frame of a connection that was never opened"],
    [
      "sends more than the window",
      [open(1), ...windowFull, data(1, 1)],
      "more data than the window of a connection",
    ],
    [
      "gives credit for nothing",
      [open(1), { kind: "credit", id: 1, amount: 1 }],
      "more credit than the window has",
    ],
    [
      "speaks after its end",
      [open(1), { kind: "end", id: 1 }, data(1, 1)],
      "data after the end of a connection",
    ],
    ["ends twice", [open(1), { kind: "end", id: 1 }, { kind: "end", id: 1 }], "a second end of a connection"],
  ])("that %s loses the channel", async (_what, frames, violation) => {
    const [hostile, outer] = await channelPair();
    const side = carry(outer, { onConnection: () => undefined });
    hostile.write(Buffer.concat(frames.map(writeFrame)));
    expect(await side.ended).toBe(violation);
  });

  test("that opens where only the other side may loses the channel", async () => {
    const [hostile, inner] = await channelPair();
    const side = carry(inner);
    hostile.write(writeFrame(open(1)));
    expect(await side.ended).toBe("it opens a connection where it may not");
  });

  test("that sends noise loses the channel, and nothing is thrown", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (noise) => {
        const channel = new PassThrough();
        const side = carry(channel, { onConnection: (connection) => connection.resume() });
        channel.emit("data", Buffer.from(noise));
        channel.destroy();
        expect(typeof (await side.ended)).toBe("string");
      }),
    );
  });

  test("that opens more connections than a run may loses the channel", async () => {
    const [hostile, outer] = await channelPair();
    const limits = { ...MULTIPLEX_LIMITS, maxOpened: 100 };
    const side = carry(outer, { limits, onConnection: (connection) => connection.destroy() });
    hostile.write(Buffer.concat(Array.from({ length: 101 }, (_, index) => writeFrame(open(index + 1)))));
    expect(await side.ended).toBe("it opened more connections than one run may");
  });

  test("that asks without reading the answers loses the channel", async () => {
    const neverRead = new Duplex({ read: () => undefined, write: () => undefined });
    const limits = { ...MULTIPLEX_LIMITS, maxBacklogBytes: 900 };
    const side = carry(neverRead, { limits, onConnection: (connection) => connection.destroy() });
    neverRead.push(Buffer.concat(Array.from({ length: 101 }, (_, index) => writeFrame(open(index + 1)))));
    expect(await side.ended).toBe("it asks, but does not read the answers");
  });

  test("that opens more than there may be has the rest dropped, and the others go on", async () => {
    const [hostile, outer] = await channelPair();
    const connections: Duplex[] = [];
    carry(outer, { onConnection: (connection) => connections.push(connection) });
    const heard: Frame[] = [];
    const read = readFrames(MULTIPLEX_LIMITS, (frame) => {
      heard.push(frame);
      return undefined;
    });
    const count = MULTIPLEX_LIMITS.maxConnections + 2;
    hostile.write(Buffer.concat(Array.from({ length: count }, (_, index) => writeFrame(open(index + 1)))));
    hostile.on("data", (bytes: Buffer) => read(bytes));
    while (heard.length < 2) await once(hostile, "data");
    expect(heard).toEqual([
      { kind: "reset", id: count - 1 },
      { kind: "reset", id: count },
    ]);
    expect(connections.length).toBe(MULTIPLEX_LIMITS.maxConnections);
  });
});

/** Everything to the end; unlike the readers of node:stream it leaves the other direction open. */
async function readBytes(connection: Duplex): Promise<Buffer> {
  const read: Buffer[] = [];
  connection.on("data", (bytes: Buffer) => read.push(bytes));
  await new Promise<void>((resolve, reject) => {
    connection.once("end", resolve);
    connection.once("close", () => reject(new Error("closed before its end")));
  });
  return Buffer.concat(read);
}

function* pieces(lengths: readonly number[], seed: number): Generator<Buffer> {
  for (const [index, length] of lengths.entries())
    if (length > 0) yield Buffer.alloc(length, `${seed} ${index} ${length};`);
}

function whole(lengths: readonly number[], seed: number): Buffer {
  return Buffer.concat([...pieces(lengths, seed)]);
}
