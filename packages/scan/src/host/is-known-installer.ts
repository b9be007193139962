import { wordSet } from "../word-list.ts";
import { hostOf, registeredDomain } from "./classify-host.ts";
import { VENDORS } from "./vendors.ts";

export function isKnownInstaller(url: string): boolean {
  if (/^http:/i.test(url)) return false;
  const plain = url
    .replace(/^https:\/\//i, "")
    .replace(/[?#].*$/, "")
    .replace(/\/$/, "");
  return KNOWN_INSTALLERS.has(plain) || VERSIONED_INSTALLERS.some((pattern) => pattern.test(plain));
}

const KNOWN_INSTALLERS: ReadonlySet<string> = wordSet(`
  sh.rustup.rs astral.sh/uv/install.sh astral.sh/uv/install.ps1 astral.sh/ruff/install.sh bun.sh/install
  bun.sh/install.ps1 bun.com/install deno.land/install.sh deno.land/x/install/install.sh
  deno.land/install.ps1 get.docker.com get.pnpm.io/install.sh get.pnpm.io/install.ps1 get.volta.sh
  fnm.vercel.app/install foundry.paradigm.xyz raw.githubusercontent.com/Homebrew/install/HEAD/install.sh
  raw.githubusercontent.com/Homebrew/install/master/install.sh
  raw.githubusercontent.com/ohmyzsh/ohmyzsh/master/tools/install.sh
  raw.githubusercontent.com/helm/helm/main/scripts/get-helm-3
  raw.githubusercontent.com/helm/helm/master/scripts/get-helm-3 get.helm.sh get.k3s.io ollama.com/install.sh
  ollama.ai/install.sh tailscale.com/install.sh install.python-poetry.org pyenv.run mise.run
  mise.jdx.dev/install.sh starship.rs/install.sh nixos.org/nix/install install.determinate.systems/nix
  get.sdkman.io sdk.cloud.google.com aka.ms/InstallAzureCLIDeb claude.ai/install.sh claude.ai/install.ps1
  cursor.com/install opencode.ai/install cli.github.com/install.sh fly.io/install.sh
  cli.doppler.com/install.sh railway.com/install.sh railway.app/install.sh get.pulumi.com
  dl.dagger.io/dagger/install.sh cli.run.pstmn.io/install/linux64.sh bootstrap.pypa.io/get-pip.py
  get.scoop.sh community.chocolatey.org/install.ps1 chocolatey.org/install.ps1 getfoundry.sh get.wasmer.io
  wasmtime.dev/install.sh rustwasm.github.io/wasm-pack/installer/init.sh get-ghcup.haskell.org
  cli.inference.sh install.duckdb.org just.systems/install.sh pixi.sh/install.sh
  dotnet.microsoft.com/download/dotnet/scripts/v1/dotnet-install.sh dot.net/v1/dotnet-install.sh
  get.starknet.io sh.starkup.dev cli.moonrepo.dev/install.sh proto.moonrepo.dev/install.sh
  moonrepo.dev/install/proto.sh get.dprint.dev dprint.dev/install.sh zed.dev/install.sh
  install.citusdata.com/community/deb.sh setup.ohmyposh.dev/install.sh ohmyposh.dev/install.sh
  raw.githubusercontent.com/golangci/golangci-lint/HEAD/install.sh
  raw.githubusercontent.com/golangci/golangci-lint/master/install.sh
  raw.githubusercontent.com/aquasecurity/trivy/main/contrib/install.sh
  raw.githubusercontent.com/anchore/syft/main/install.sh
  raw.githubusercontent.com/anchore/grype/main/install.sh
  raw.githubusercontent.com/rhysd/actionlint/main/scripts/download-actionlint.bash
`);

const VERSIONED_INSTALLERS: readonly RegExp[] = [
  /^raw\.githubusercontent\.com\/nvm-sh\/nvm\/v\d+\.\d+\.\d+\/install\.sh$/,
  /^raw\.githubusercontent\.com\/creationix\/nvm\/v\d+\.\d+\.\d+\/install\.sh$/,
  /^deb\.nodesource\.com\/setup_(?:\d{1,2}|lts|current)\.x$/,
  /^rpm\.nodesource\.com\/setup_(?:\d{1,2}|lts|current)\.x$/,
  /^release\.(?:solana\.com|anza\.xyz)\/(?:stable|edge|beta|v\d+\.\d+\.\d+)\/install$/,
  /^astral\.sh\/uv\/\d+\.\d+\.\d+\/install\.(?:sh|ps1)$/,
];

/**
 * Whether a host is the secret's own vendor's (`OPENAI_API_KEY` and api.openai.com, `FOO_TOKEN` and
 * api.foo.test) or is declared by the skill. For single named keys, never for a whole environment.
 */
export function isAligned(secretName: string, host: string, declaredHosts: ReadonlySet<string>): boolean {
  const plain = hostOf(host);
  if (plain === undefined) return false;
  const domain = registeredDomain(plain);
  const words = wordsOf(secretName);
  const vendors = words.flatMap((word) => VENDORS.get(word) ?? []);
  if (vendors.includes(domain)) return true;
  // A known vendor's key belongs only to that vendor; a similar host name does not help.
  if (vendors.length > 0) return false;
  const label = (domain.split(".")[0] ?? "").toUpperCase().replaceAll("-", "");
  const joined = words.join("");
  return (
    words.some(
      (word) => word.length >= 3 && (label === word || (word.length >= 5 && label.includes(word))),
    ) ||
    (label.length >= 4 && joined.includes(label)) ||
    declaredHosts.has(plain) ||
    declaredHosts.has(domain)
  );
}

export function isVendorKey(secretName: string): boolean {
  return wordsOf(secretName).some((word) => word.length > 1 && VENDORS.has(word));
}

function wordsOf(secretName: string): readonly string[] {
  const words = secretName.toUpperCase().split(/[^A-Z0-9]+/);
  return words.filter((word) => word !== "" && !GENERIC_WORDS.has(word));
}

const GENERIC_WORDS: ReadonlySet<string> = wordSet(`
  API KEY KEYS TOKEN SECRET ACCESS AUTH CLIENT ID PASSWORD PASS USER BEARER BOT APP URL BASE HOST PRIVATE
  PUBLIC SERVICE ACCOUNT PROD DEV TEST MY THE
`);
