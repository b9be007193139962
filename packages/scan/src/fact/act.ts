/** What is done, one shape a deed. Paths keep `~` and `$HOME` as `~`; unknown parts of a text are `*`. */
export type Act =
  | { readonly type: "fetch"; readonly url: string; readonly host: string; readonly to?: string | undefined }
  | { readonly type: "send"; readonly url: string; readonly host: string }
  /** A program by its base name, with what is known of its arguments. */
  | { readonly type: "run"; readonly program: string; readonly arguments: readonly string[] }
  /** Code from a text that is not constant: eval, Function, exec, import. */
  | {
      readonly type: "dynamic-code";
      readonly by: string;
      /** How it is hidden what runs the code, where it is: `its name is put together`. */
      readonly disguise?: string | undefined;
      /** What becomes code, where it is not a text of the program's own: a module by a name, a serialised object, an argument. */
      readonly from?: "module" | "serialised" | "parameter" | undefined;
    }
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
  /** A shell handed to somebody over a socket. */
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
  /** A command that a manifest runs when it is installed or opened. */
  | { readonly type: "install-hook"; readonly hook: string; readonly command: string }
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
        /** Somebody may act as root in everything, without a password. */
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
    }
  | {
      readonly type: "literal-secret";
      readonly provider: string;
      readonly isPlaceholder: boolean;
      readonly isPrivateKey: boolean;
    };
