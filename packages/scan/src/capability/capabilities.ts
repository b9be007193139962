/** What a skill can do, judged or not; sorted, for people and for differences between versions. */
export interface Capabilities {
  /** Hosts that its code or its instructions contact. */
  readonly network: readonly string[];
  /** Programs that it runs. */
  readonly commands: readonly string[];
  /** Paths outside the skill that it reads or writes. */
  readonly paths: readonly string[];
  /** Variables and secrets that it uses. */
  readonly secrets: readonly string[];
  readonly persistence: readonly string[];
  readonly agentConfig: readonly string[];
  /** Packages that it installs. */
  readonly packages: readonly string[];
  /** Documents from elsewhere that it tells the model to follow. */
  readonly remoteInstructions: readonly string[];
}
