/** Something that a script asked the network for and did not get. */
export interface NetworkRefusal {
  readonly host: string;
  readonly port: number;
  readonly reason:
    | "not-granted"
    /** The name is granted, but leads to this machine or its network, which its grant does not name. */
    | "address-not-granted"
    /** On port 443 only TLS is spoken. */
    | "not-tls"
    /** The TLS hello names another host than the tunnel was asked for, or hides which. */
    | "tls-name-differs"
    /** On port 80 only HTTP is spoken. */
    | "not-http"
    /** The request in a tunnel is for another host than the tunnel was asked for. */
    | "http-host-differs";
  /** How often. */
  readonly count: number;
}
