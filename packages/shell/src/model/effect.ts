/** The words of a text, as a type: `OneOf<"a b">` is `"a" | "b"`. */
type OneOf<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | OneOf<Rest> : Text;

/** Something that a program does. Paths keep `~` and `$HOME` as `~`; unknown parts of a text are `*`. */
export type Effect =
  | { readonly type: "fetch"; readonly url: string; readonly host: string; readonly to?: string | undefined }
  | { readonly type: "send"; readonly url: string; readonly host: string }
  | { readonly type: "run"; readonly program: string; readonly arguments: readonly string[] }
  /** Code from a text that is not constant: eval, Function, exec, import. */
  | {
      readonly type: "dynamic-code";
      readonly by: string;
      /** How it is hidden which function runs the code, such as `its name is put together`. */
      readonly disguise?: string | undefined;
      /** Set if the code is not the program's own text: a named module, a serialised object, an argument. */
      readonly from?: "module" | "serialised" | "parameter" | undefined;
    }
  | { readonly type: "read"; readonly path: string }
  | { readonly type: "environment"; readonly name: string }
  | ({ readonly type: "write"; readonly append: boolean } & WrittenFile)
  | { readonly type: "delete"; readonly path: string; readonly recursive: boolean }
  | { readonly type: "listen"; readonly address: string }
  | { readonly type: "remote-shell"; readonly host: string; readonly how: string }
  | ({ readonly type: "persist"; readonly where: StartupPlace } & WrittenFile)
  /** The agent's own control plane: memory, identity, settings, MCP servers, other skills, endpoints. */
  | ({ readonly type: "agent-config"; readonly what: AgentSetting } & WrittenFile)
  | {
      readonly type: "install-package";
      readonly manager: string;
      readonly name: string;
      readonly from: OneOf<"registry index git url local runner">;
      readonly pinned: boolean;
      readonly url?: string | undefined;
    }
  | { readonly type: "install-skill"; readonly name: string; readonly background: boolean }
  | { readonly type: "privilege"; readonly how: Privilege; readonly detail: string }
  | { readonly type: "disable-protection"; readonly what: Protection; readonly detail: string }
  | { readonly type: "destroy"; readonly what: Victim; readonly detail: string }
  | {
      readonly type: "abuse";
      readonly what: OneOf<"miner fork-bomb beacon-loop flood">;
      readonly detail: string;
    };

interface WrittenFile {
  readonly path: string;
  readonly text?: string | undefined;
}

type StartupPlace =
  OneOf<"cron launchd systemd shell-startup git-hook editor-hook agent-hook python-startup login-item registry-run authorized-keys service">;
type AgentSetting = OneOf<"memory settings mcp-server skill endpoint auto-approve hook">;
export type Protection =
  OneOf<"gatekeeper antivirus firewall certificate-check approval sandbox hooks history logging review">;
export type Victim = OneOf<"home root disk files database repository backups cloud encrypt">;
/**
 * `setuid-shell`: a shell or interpreter that runs as its owner for every user. `container-escape`: a
 * container that acts on the machine around it. `root-for-all`: an account may act as root without a
 * password. `account`: a user who may act as root. `login-tunnel`: this machine's login, exposed on another
 * machine. `shared-access`: another person gets access to a repository or an account.
 */
export type Privilege =
  OneOf<"sudo setuid setuid-shell docker-socket privileged-container container-escape host-mount driver sudoers root-for-all open-mode account login-tunnel shared-access capability">;

export type Source =
  | { readonly type: "network"; readonly url?: string | undefined; readonly host?: string | undefined }
  /** `text` is the result, if it could be decoded. */
  | { readonly type: "decoded"; readonly encoding: string; readonly text?: string | undefined }
  /** `name` is the path or the variable. */
  | { readonly type: "secret"; readonly secret: SecretKind; readonly name: string }
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "capture"; readonly what: OneOf<"clipboard screen keys microphone camera location"> }
  /** Machine facts: user name, host name, addresses, installed software. */
  | { readonly type: "system" }
  /** Arguments, standard input, user input. */
  | { readonly type: "input" };

/**
 * `own-key` is one named variable for an API, usually sent to its vendor. `home` is a whole home folder or
 * one of its folders, `private` a file that another program keeps there.
 */
export type SecretKind =
  OneOf<"own-key whole-environment environment-file ssh cloud package-registry netrc git keychain browser wallet agent messenger kubernetes gpg shell-history system-accounts password-store generic home private">;

export type Destination =
  /** `by` is a program such as `bash` or `python`. */
  | { readonly type: "execute"; readonly how: OneOf<"shell eval interpreter file">; readonly by: string }
  | {
      readonly type: "network";
      readonly how: OneOf<"http dns mail copy bucket git socket unknown">;
      readonly url?: string | undefined;
      readonly host?: string | undefined;
    }
  | { readonly type: "write"; readonly path: string };

/** Languages that a command line can contain; `code` is Ruby, Perl, PHP, Lua, AppleScript and the like. */
export type CodeLanguage = OneOf<"shell powershell batch python javascript typescript makefile code">;

/** The lower-case host of a URL or a host name; understands defanged spellings such as `hxxp` and `[.]`. */
export function hostOf(urlOrHost: string): string | undefined {
  const plain = urlOrHost
    .slice(0, MAX_URL_CHARACTERS)
    .replace(/^hxxp/i, "http")
    .replaceAll(/\[\.\]|\(\.\)|\[dot\]/gi, ".");
  const match =
    /^(?:[a-z][a-z0-9+.-]*:(?=\/\/)|[a-z][a-z0-9+-]*:(?!\d{1,5}(?:[/?#]|$)))?(?:\/\/)?(?:[^/?#@\s\\]*@)?(\[[0-9a-f:.]+\]|[^/?#:\s\\"'<>`,;()]+)/i.exec(
      plain,
    );
  return match?.[1]?.toLowerCase().replace(/\.+$/, "");
}

const MAX_URL_CHARACTERS = 2048;

/** The first place in a text that data can be sent to: a URL, a mailbox, a machine or an account on one. */
export function addressIn(text: string): string | undefined {
  const found = ADDRESS.exec(text.slice(0, MAX_SEARCHED_CHARACTERS));
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** The same in program code, where names of two parts are fields and modules. */
export function addressInCode(text: string): string | undefined {
  const address = addressIn(text);
  return address !== undefined && /:\/\/|@|:\d+$|(?:\.[\w-]+){2}$/.test(address) ? address : undefined;
}

const MAX_SEARCHED_CHARACTERS = 4_096;
// A URL, a mailbox or an account on a machine, or a machine's name that is not a file name.
const ADDRESS =
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/(?!\/)[^\s"'<>|]{3,400})|([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6})|(?<![\w./~-])((?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?|(?:[a-z0-9-]{1,63}\.){1,6}(?!(?:txt|md|json|jsonl|ya?ml|toml|ini|cfg|conf|cnf|py|[cm]?[jt]sx?|sh|rb|pl|php|lua|go|rs|java|c|h|cpp|html?|css|xml|[ct]sv|log|png|jpe?g|gif|svg|webp|ico|pdf|zip|tar|t?gz|bz2|xz|7z|zst|pem|key|pub|crt|cer|csr|p12|pfx|gpg|asc|age|enc|bak|old|orig|tmp|lock|env|local|internal|sql|db|sqlite3?|docx?|xlsx?|pptx?|mp[34]|wav|mov|plist|service|ipynb|tf|tfvars|tfstate|kdbx|bin|exe|dll|so|jar|whl|deb|rpm|dmg|pkg|app)\b)[a-z]{2,24}(?::\d{1,5})?)(?![\w(])/i;
