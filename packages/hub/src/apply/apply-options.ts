/** What was said before anything is done. */
export interface ApplyOptions {
  /** Replace files although somebody edited them. */
  readonly discardEdits: boolean;
  /** Yes to what new versions can do that old ones could not. */
  readonly acceptCapabilities: boolean;
  /** Go on with the others where one is declined; default: all or nothing. */
  readonly keepGoing?: boolean;
}
