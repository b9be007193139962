import type { Duplex } from "node:stream";
import type { ByteQueue, FRAMING, Frame, MultiplexLimits } from "./frames.ts";

export interface Multiplexer {
  /** Undefined if the maximum number of connections is open, or the channel is closed. */
  open(): Duplex | undefined;
  close(): void;
}

export interface MultiplexOptions {
  readonly limits: MultiplexLimits;
  readonly parts: typeof FRAMING;
  /** Without it, the other side may not open connections. */
  readonly onConnection?: (connection: Duplex) => void;
  /** Called once when the channel closes; with a violation if the other side broke the protocol. */
  readonly onEnd: (violation?: string) => void;
}

interface Link {
  readonly id: number;
  readonly stream: Duplex;
  readonly received: ByteQueue;
  /** `sendCredit`: how much the other side still accepts; `allowance`: how much it may still send. */
  sendCredit: number;
  allowance: number;
  consumed: number;
  wanted: boolean;
  unsent: { readonly bytes: Uint8Array; readonly done: () => void } | undefined;
  sentEnd: boolean;
  receivedEnd: boolean;
  /** The other side has dropped the connection: no more frames are sent for it. */
  dropped: boolean;
}

/**
 * Carries connections over a channel, each with a window, so that a slow reader neither blocks others nor
 * makes memory grow. Any breach of the protocol closes the channel, since the other side may be hostile.
 *
 * Both sides run this function, one from its text: it may use only globals, arguments and built-in modules.
 */
export function multiplex(channel: Duplex, options: MultiplexOptions): Multiplexer {
  const stream = process.getBuiltinModule("node:stream");
  const { limits, parts, onConnection } = options;
  const links = new Map<number, Link>();
  const sendable = new Set<Link>();
  let lastId = 0;
  let ended = false;
  let sending = false;

  const finish = (violation?: string): void => {
    if (ended) return;
    ended = true;
    for (const link of [...links.values()]) link.stream.destroy();
    channel.destroy();
    options.onEnd(violation);
  };

  const send = (frame: Frame): void => {
    if (ended) return;
    channel.write(parts.writeFrame(frame));
    if (channel.writableLength > limits.maxBacklogBytes) finish("it asks, but does not read the answers");
  };

  const sendPiece = (link: Link): void => {
    const { unsent } = link;
    if (unsent === undefined || link.sendCredit === 0) return;
    const bytes = unsent.bytes.subarray(0, Math.min(limits.maxPayloadBytes, link.sendCredit));
    link.sendCredit -= bytes.length;
    send({ kind: "data", id: link.id, bytes });
    const rest = unsent.bytes.subarray(bytes.length);
    link.unsent = rest.length > 0 ? { bytes: rest, done: unsent.done } : undefined;
    // Goes to the end of the queue, so that each connection gets its turn.
    if (rest.length > 0) sendable.add(link);
    else unsent.done();
  };

  const sendAll = (): void => {
    // Finishing one write starts the next, which calls this function again.
    if (sending) return;
    sending = true;
    for (const link of sendable) {
      if (ended || channel.writableNeedDrain) break;
      sendable.delete(link);
      sendPiece(link);
    }
    sending = false;
  };

  const deliver = (link: Link): void => {
    while (link.wanted && !link.stream.destroyed) {
      const bytes = link.received.take();
      if (bytes === undefined) {
        if (!link.receivedEnd) return;
        link.wanted = false;
        link.stream.push(null);
        return;
      }
      link.wanted = false;
      link.consumed += bytes.length;
      if (!link.receivedEnd && link.consumed >= limits.windowBytes / 2) {
        link.allowance += link.consumed;
        send({ kind: "credit", id: link.id, amount: link.consumed });
        link.consumed = 0;
      }
      link.stream.push(bytes);
    }
  };

  const createLink = (id: number): Link => {
    const link: Link = {
      id,
      received: parts.createByteQueue(limits.maxPayloadBytes),
      sendCredit: limits.windowBytes,
      allowance: limits.windowBytes,
      consumed: 0,
      wanted: false,
      unsent: undefined,
      sentEnd: false,
      receivedEnd: false,
      dropped: false,
      stream: new stream.Duplex({
        // At most one piece ahead: further data waits in `received`, where it is counted.
        readableHighWaterMark: 1,
        writableHighWaterMark: limits.maxPayloadBytes,
        read: () => {
          link.wanted = true;
          deliver(link);
        },
        write: (bytes: Buffer, _encoding, done) => {
          // The protocol has no empty payloads.
          if (link.dropped || bytes.length === 0) return done();
          link.unsent = { bytes, done };
          sendable.add(link);
          sendAll();
        },
        final: (done) => {
          if (!link.dropped) send({ kind: "end", id });
          link.sentEnd = true;
          done();
        },
        destroy: (error, done) => {
          links.delete(id);
          sendable.delete(link);
          link.received.clear();
          if (!link.dropped && !(link.sentEnd && link.receivedEnd)) send({ kind: "reset", id });
          done(error);
        },
      }),
    };
    links.set(id, link);
    return link;
  };

  const accept = (id: number): string | undefined => {
    if (onConnection === undefined) return "it opens a connection where it may not";
    if (id !== lastId + 1) return "a connection opened out of turn";
    if (id > limits.maxOpened) return "it opened more connections than one run may";
    lastId = id;
    if (links.size >= limits.maxConnections) send({ kind: "reset", id });
    else onConnection(createLink(id).stream);
    return undefined;
  };

  const drop = (link: Link): void => {
    link.dropped = true;
    sendable.delete(link);
    if (!link.receivedEnd) {
      link.stream.destroy();
      return;
    }
    // The other side has sent everything, and that has yet to be read; anything we still send is discarded.
    const { unsent } = link;
    link.unsent = undefined;
    if (link.stream.readableEnded) link.stream.destroy();
    else link.stream.once("end", () => link.stream.destroy());
    unsent?.done();
  };

  const take = (link: Link, frame: Frame): string | undefined => {
    switch (frame.kind) {
      case "data":
        if (link.receivedEnd) return "data after the end of a connection";
        if (frame.bytes.length > link.allowance) return "more data than the window of a connection";
        link.allowance -= frame.bytes.length;
        link.received.append(frame.bytes);
        deliver(link);
        return undefined;
      case "credit":
        if (link.sendCredit + frame.amount > limits.windowBytes) return "more credit than the window has";
        link.sendCredit += frame.amount;
        if (link.unsent !== undefined) sendable.add(link);
        sendAll();
        return undefined;
      case "end":
        if (link.receivedEnd) return "a second end of a connection";
        link.receivedEnd = true;
        deliver(link);
        return undefined;
      default:
        drop(link);
        return undefined;
    }
  };

  const read = parts.readFrames(limits, (frame) => {
    if (ended) return undefined;
    if (frame.kind === "open") return accept(frame.id);
    if (frame.id === 0 || frame.id > lastId) return "a frame of a connection that was never opened";
    const link = links.get(frame.id);
    // The frame may have been sent before the other side heard that the connection is closed.
    return link === undefined || link.dropped ? undefined : take(link, frame);
  });

  channel.on("data", (chunk: Buffer) => {
    const before = lastId;
    const violation = ended ? undefined : read(chunk);
    if (violation !== undefined) finish(violation);
    if (ended || lastId - before <= limits.maxConnections) return;
    // Opening a connection costs more than requesting it: pause in a flood, so that other work gets a turn.
    channel.pause();
    setImmediate(() => channel.resume());
  });
  channel.on("drain", sendAll);
  // A channel breaks when the sandbox ends.
  for (const event of ["end", "close", "error"]) channel.on(event, () => finish());

  return {
    open: () => {
      if (ended || links.size >= limits.maxConnections || lastId >= limits.maxOpened) return undefined;
      lastId += 1;
      send({ kind: "open", id: lastId });
      return createLink(lastId).stream;
    },
    close: () => finish(),
  };
}
