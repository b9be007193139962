/** Variables and folders that decide where agents keep their skills. */
export interface AgentPlaces {
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** An agent that reads skills from folders of its own. */
export interface Agent {
  /** As people type it. */
  readonly id: string;
  /** Its folder in a project, relative to the root; absent where it has none. */
  readonly project?: string;
  /** Its folder for a user; absent where it has none. */
  user?(places: AgentPlaces): string;
  /** It does not follow links. */
  readonly copies?: true;
  /** Folders of which one exists where the agent is in use; default: the parent of its user's folder. */
  marks?(places: AgentPlaces): readonly string[];
}
