import type { Agent } from "@skillet/core/internal";

/** Brings the rows of agents up to date with the table of agents; which agents have a row, and what was tried, is the page's. */
export function agentsPage(page: string, agents: readonly Agent[]): string {
  return page.replace(
    /^\| [^|`]* \| `([a-z][a-z-]*)` \|[^|]*\|[^|]*\|[^|]*\|(.*)$/gm,
    (_, id: string, rest: string) => {
      const agent = agents.find((one) => one.id === id);
      if (agent === undefined) return "";
      const user = agent.userReads({ userHome: "~", environment: {} });
      const links = agent.followsLinks === undefined ? "not known" : agent.followsLinks ? "yes" : "no";
      const cells = [agent.title, `\`${id}\``, listed(user), listed(agent.projectReads), links];
      return `| ${cells.join(" | ")} |${rest}`;
    },
  );
}

function listed(folders: readonly string[]): string {
  return folders.map((folder) => `\`${folder}\``).join(", ");
}
