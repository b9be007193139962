// Builds the package in the current folder, and says only what matters. The command of tsdown would also warn about Node 20,
// which tsdown itself is about to leave; what it builds here runs there.
import { build } from "tsdown";

// The command is CommonJS on purpose, and one bundle need not split what the packages in it split for others.
const checks = { ineffectiveDynamicImport: false, legacyCjs: false, pluginTimings: false };

await build({ logLevel: "warn", checks });
