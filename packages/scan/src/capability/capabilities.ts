/** The abilities of a skill, judged or not; sorted, for people and for differences between versions. */
export interface Capabilities {
  readonly network: readonly string[];
  readonly commands: readonly string[];
  readonly paths: readonly string[];
  readonly secrets: readonly string[];
  readonly persistence: readonly string[];
  readonly agentConfig: readonly string[];
  readonly packages: readonly string[];
  readonly remoteInstructions: readonly string[];
}
