import type { Plan } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { HubWork } from "./with-hub.ts";

/** Adds to a plan which of its new names are also those of skills that a person, or the project, has already. */
export function tellShared({ hub, holderElsewhere }: HubWork, plan: Plan): Plan {
  const shared = plan.items
    .filter(({ action, before }) => action === "install" && before === undefined)
    .flatMap(({ name }): readonly Diagnostic[] => {
      const holder = holderElsewhere(name);
      if (holder === undefined) return [];
      return [
        {
          code: "name-shared",
          severity: "warning",
          message: `${name} is also the name of ${holder}; only one of them has the bare name here.`,
          file: hub.lockFile,
          hint: `\`skillet explain ${name}\` says which; to have both by name, pass --name OTHER.`,
        },
      ];
    });
  return { ...plan, diagnostics: [...plan.diagnostics, ...shared] };
}
