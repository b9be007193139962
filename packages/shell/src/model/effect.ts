/** What a program does to the world. Paths keep `~` and `$HOME` as `~`; unknown parts of a text are `*`. */
export type Effect =
  | { readonly type: "fetch"; readonly url: string; readonly host: string; readonly to?: string | undefined }
  | { readonly type: "send"; readonly url: string; readonly host: string }
  /** A program by its base name, with what is known of its arguments. */
  | { readonly type: "run"; readonly program: string; readonly arguments: readonly string[] }
  | { readonly type: "read"; readonly path: string }
  | { readonly type: "environment"; readonly name: string }
  | {
      readonly type: "write";
      readonly path: string;
      readonly append: boolean;
      readonly text?: string | undefined;
    }
  | { readonly type: "delete"; readonly path: string; readonly recursive: boolean }
  | { readonly type: "listen"; readonly address: string }
  /** A shell whose input and output go over a socket. */
  | { readonly type: "remote-shell"; readonly host: string; readonly how: string }
  | {
      readonly type: "persist";
      readonly where:
        | "cron"
        | "launchd"
        | "systemd"
        | "shell-startup"
        | "git-hook"
        | "editor-hook"
        | "agent-hook"
        | "python-startup"
        | "login-item"
        | "registry-run"
        | "authorized-keys"
        | "service";
      readonly path: string;
      readonly text?: string | undefined;
    }
  /** The agent's own control plane: memory, identity, settings, MCP servers, other skills, endpoints. */
  | {
      readonly type: "agent-config";
      readonly what: "memory" | "settings" | "mcp-server" | "skill" | "endpoint" | "auto-approve" | "hook";
      readonly path: string;
      readonly text?: string | undefined;
    }
  | {
      readonly type: "install-package";
      readonly manager: string;
      readonly name: string;
      readonly from: "registry" | "index" | "git" | "url" | "local" | "runner";
      readonly pinned: boolean;
      readonly url?: string | undefined;
    }
  | { readonly type: "install-skill"; readonly name: string; readonly background: boolean }
  | {
      readonly type: "privilege";
      readonly how:
        | "sudo"
        | "setuid"
        /** A shell or an interpreter that runs as its owner for everybody. */
        | "setuid-shell"
        | "docker-socket"
        | "privileged-container"
        /** A container that is started to act on the machine around it. */
        | "container-escape"
        | "host-mount"
        | "driver"
        | "sudoers"
        /** An account may act as root in everything, without a password. */
        | "root-for-all"
        | "open-mode"
        /** A user who may act as root. */
        | "account"
        /** The machine's own login, opened at another one. */
        | "login-tunnel"
        | "capability";
      readonly detail: string;
    }
  | {
      readonly type: "disable-protection";
      readonly what:
        | "gatekeeper"
        | "antivirus"
        | "firewall"
        | "certificate-check"
        | "approval"
        | "sandbox"
        | "hooks"
        | "history"
        | "logging";
      readonly detail: string;
    }
  | {
      readonly type: "destroy";
      readonly what:
        | "home"
        | "root"
        | "disk"
        | "files"
        | "database"
        | "repository"
        | "backups"
        | "cloud"
        | "encrypt";
      readonly detail: string;
    }
  | {
      readonly type: "abuse";
      readonly what: "miner" | "fork-bomb" | "beacon-loop" | "flood";
      readonly detail: string;
    };

export type Source =
  | { readonly type: "network"; readonly url?: string | undefined; readonly host?: string | undefined }
  /** `text` is what came out, where it could be decoded. */
  | { readonly type: "decoded"; readonly encoding: string; readonly text?: string | undefined }
  /** `name` is the path or the variable. */
  | { readonly type: "secret"; readonly secret: SecretKind; readonly name: string }
  | { readonly type: "file"; readonly path: string }
  | {
      readonly type: "capture";
      readonly what: "clipboard" | "screen" | "keys" | "microphone" | "camera" | "location";
    }
  /** Machine facts: user name, host name, addresses, installed software. */
  | { readonly type: "system" }
  /** Arguments, standard input, what a user gives. */
  | { readonly type: "input" };

/** What kind of secret; `own-key` is one named variable for an API, which goes to its vendor every day. */
export type SecretKind =
  | "own-key"
  | "whole-environment"
  | "environment-file"
  | "ssh"
  | "cloud"
  | "package-registry"
  | "netrc"
  | "git"
  | "keychain"
  | "browser"
  | "wallet"
  | "agent"
  | "messenger"
  | "kubernetes"
  | "gpg"
  | "shell-history"
  | "system-accounts"
  | "password-store"
  | "generic";

export type Destination =
  | {
      readonly type: "execute";
      readonly how: "shell" | "eval" | "interpreter" | "file";
      /** Such as `bash` or `python`. */
      readonly by: string;
    }
  | {
      readonly type: "network";
      readonly how: "http" | "dns" | "mail" | "copy" | "bucket" | "git" | "socket";
      readonly url?: string | undefined;
      readonly host?: string | undefined;
    }
  | { readonly type: "write"; readonly path: string };

/** Languages that a command line can hand a text to. */
export type CodeLanguage =
  | "shell"
  | "powershell"
  | "batch"
  | "python"
  | "javascript"
  | "typescript"
  | "makefile"
  /** Ruby, Perl, PHP, Lua, AppleScript and the like. */
  | "code";

/** The host of an address or a host name, in lower case; defanged spellings such as `hxxp` and `[.]` are read as meant. */
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
