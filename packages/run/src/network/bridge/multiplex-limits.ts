/** The bounds of the protocol between bridge and proxy; both sides hold each other to them. */
export interface MultiplexLimits {
  readonly maxPayloadBytes: number;
  /** How much may be on its way in one direction of one connection. */
  readonly windowBytes: number;
  readonly maxConnections: number;
  /** Over the whole life of a channel: opening and dropping connections costs the other side time. */
  readonly maxOpened: number;
  /** Data waits for the channel to drain, so more than this is a peer that asks but does not read. */
  readonly maxBacklogBytes: number;
}

export const MULTIPLEX_LIMITS: MultiplexLimits = {
  maxPayloadBytes: 16 * 1024,
  windowBytes: 128 * 1024,
  maxConnections: 64,
  maxOpened: 16_384,
  maxBacklogBytes: 1024 * 1024,
};
