export interface HelloExtension {
  readonly type: number;
  readonly content: Buffer;
}

/** A TLS ClientHello with the given extensions, in records of at most `recordBytes` bytes. */
export function clientHelloBytes(
  extensions: readonly HelloExtension[],
  recordBytes: number = 16_384,
): Buffer {
  const all = Buffer.concat(
    extensions.map(({ type, content }) => Buffer.concat([number(type, 2), vector(content, 2)])),
  );
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    vector(Buffer.alloc(32, 9), 1),
    vector(Buffer.from([0x13, 0x01]), 2),
    vector(Buffer.from([0]), 1),
    vector(all, 2),
  ]);
  const message = Buffer.concat([Buffer.from([1]), vector(body, 3)]);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += recordBytes)
    records.push(Buffer.from([22, 3, 1]), vector(message.subarray(at, at + recordBytes), 2));
  return Buffer.concat(records);
}

export function serverNameExtension(...names: readonly string[]): HelloExtension {
  const list = names.map((name) => Buffer.concat([Buffer.from([0]), vector(Buffer.from(name), 2)]));
  return { type: 0, content: vector(Buffer.concat(list), 2) };
}

function vector(content: Buffer, lengthBytes: number): Buffer {
  return Buffer.concat([number(content.length, lengthBytes), content]);
}

function number(value: number, bytes: number): Buffer {
  const written = Buffer.alloc(bytes);
  written.writeUIntBE(value, 0, bytes);
  return written;
}
