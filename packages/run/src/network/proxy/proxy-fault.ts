/** A request that cannot be served; the client gets the status and the message, where it can still be told. */
export class ProxyFault extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ProxyFault";
    this.status = status;
  }
}
