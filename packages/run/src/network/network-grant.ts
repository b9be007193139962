/** One host that a script may reach, through the proxy. */
export interface NetworkGrant {
  /** Lower case; `*.example.org` means every name below it. An address only where somebody wrote one. */
  readonly host: string;
  /** Absent: 80 and 443. */
  readonly port?: number;
}
