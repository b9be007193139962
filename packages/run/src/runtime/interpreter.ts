/** A program that runs scripts, where the sandbox runs them. */
export interface Interpreter {
  /** As it was asked for: `python3`. */
  readonly name: string;
  /** Absolute, links resolved. */
  readonly path: string;
  /** The folder that it needs besides the system's, such as a version manager's; absent for system programs. */
  readonly home?: string;
  /** `22.18.0`; of node alone, where it could be found out. */
  readonly version?: string;
}
