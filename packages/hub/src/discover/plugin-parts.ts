/** What a plugin brings, by its manifest and its folders. */
export interface PluginParts {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  /** Every folder with a SKILL.md, relative to the plugin. */
  readonly skills: readonly { readonly name: string; readonly folder: string }[];
  /** Files of slash commands, relative to the plugin, and those that its manifest holds. */
  readonly commands: readonly string[];
  /** Files of agents, relative to the plugin, and those that its manifest holds. */
  readonly agents: readonly string[];
  /** Files that tell an agent something at all times, such as output styles and rules, and those that its manifest holds. */
  readonly instructions: readonly string[];
  /** What else it sets, each as it stands: settings, apps, plugins that it needs, and keys that nobody here knows. */
  readonly settings: readonly string[];
  /** Commands that would run on events or all the time, with all that is said of them; off until allowed. */
  readonly hooks: readonly { readonly event: string; readonly command: string }[];
  /** Servers that would be started or contacted; off until allowed. */
  readonly mcpServers: readonly { readonly name: string; readonly command?: string; readonly url?: string }[];
}
