import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bubblewrap } from "../sandbox/bubblewrap/bubblewrap.ts";
import { missingSandbox, SandboxBench } from "../sandbox/bubblewrap/testing/sandbox-bench.ts";

const reason = await missingSandbox();

describe.skipIf(reason !== undefined)("in bubblewrap", () => {
  let bench: SandboxBench;
  let home: string;
  const realHome = process.env.HOME;

  beforeEach(() => {
    bench = new SandboxBench();
    home = join(bench.root, "people", "ada");
    mkdirSync(home, { recursive: true });
    process.env.HOME = home;
  });
  afterEach(() => {
    process.env.HOME = realHome;
    bench.close();
  });

  const put = (path: string, text = "HIDDEN-TOKEN\n"): string => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };

  const seenIn = async (folder: string, paths: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await bench.run(
      `for f in ${paths.map((path) => `'${path}'`).join(" ")}; do grep -l HIDDEN "$f" 2>/dev/null; done; :`,
      {
        workspace: folder,
      },
    );
    return stdout.split("\n").filter((line) => line !== "");
  };

  test("credentials stay hidden when the workspace is a folder of the home that holds them", async () => {
    const config = ["gh/hosts.yml", "gcloud/credentials.db", "op/config", "rclone/rclone.conf", "hub"];
    for (const path of config) put(`.config/${path}`);
    put(".cargo/credentials.toml");
    put(".local/share/keyrings/login.keyring");
    expect.soft(await seenIn(join(home, ".config"), config)).toEqual([]);
    expect.soft(await seenIn(join(home, ".cargo"), ["credentials.toml"])).toEqual([]);
    expect.soft(await seenIn(join(home, ".local"), ["share/keyrings/login.keyring"])).toEqual([]);
  });

  test("credentials stay hidden when the home is known by a link, as /home is one to /var/home", async () => {
    const secrets = [
      ".npmrc",
      ".docker/config.json",
      ".bash_history",
      ".password-store/mail.gpg",
      ".cargo/credentials.toml",
    ];
    for (const path of secrets) put(path);
    const link = join(bench.root, "link-to-people");
    symlinkSync(join(bench.root, "people"), link);
    process.env.HOME = join(link, "ada");
    expect(await seenIn(home, secrets)).toEqual([]);
  });

  test("a home as workspace shows no credentials of common tools", async () => {
    const secrets = [
      ".m2/settings.xml",
      ".gradle/gradle.properties",
      ".config/pip/pip.conf",
      ".pip/pip.conf",
      ".config/pypoetry/auth.toml",
      ".composer/auth.json",
      ".config/composer/auth.json",
      ".nuget/NuGet/NuGet.Config",
      ".bundle/config",
      ".local/share/gem/credentials",
      ".config/sops/age/keys.txt",
      ".config/doctl/config.yaml",
      ".config/heroku/config.json",
      ".fly/config.yml",
      ".config/github-copilot/hosts.json",
      ".config/glab-cli/config.yml",
      ".config/hcloud/cli.toml",
      ".config/stripe/config.toml",
      ".databrickscfg",
      ".snowsql/config",
      ".s3cfg",
      ".boto",
      ".oci/config",
      ".aliyun/config.json",
      ".mc/config.json",
      ".config/helm/registry/config.json",
      ".terraformrc",
      ".config/solana/id.json",
      ".electrum/wallets/default_wallet",
      ".bitcoin/wallet.dat",
      ".Xauthority",
      ".ICEauthority",
      ".mysql_history",
      ".sqlite_history",
      ".lesshst",
      ".viminfo",
      ".irb_history",
      ".config/microsoft-edge/Default/Login Data",
      ".config/vivaldi/Default/Cookies",
      "snap/firefox/common/.mozilla/firefox/key4.db",
      ".var/app/org.mozilla.firefox/.mozilla/firefox/key4.db",
      ".config/Signal/config.json",
      ".config/Slack/Cookies",
      ".config/Bitwarden CLI/data.json",
      ".config/keepassxc/keepassxc.ini",
      ".local/share/kwalletd/kdewallet.kwl",
      ".gemini/oauth_creds.json",
      ".local/share/opencode/auth.json",
      ".config/Code/User/globalStorage/state.vscdb",
      ".config/Cursor/User/globalStorage/state.vscdb",
      ".ipython/profile_default/history.sqlite",
      ".jupyter/jupyter_server_config.json",
      ".condarc",
      ".huggingface/token",
      ".cache/huggingface/token",
      ".kaggle/kaggle.json",
      ".config/wandb/settings",
      ".smbcredentials",
      ".muttrc",
      ".msmtprc",
      ".authinfo",
      ".authinfo.gpg",
      ".config/neomutt/account",
      ".ansible/vault_pass",
      ".env",
      ".config/syncthing/key.pem",
      ".local/state/bash/history",
      ".zhistory",
      ".config/configstore/firebase-tools.json",
      ".config/netlify/config.json",
      ".vercel/auth.json",
      ".local/share/com.vercel.cli/auth.json",
      ".wrangler/config/default.toml",
      ".config/.wrangler/config/default.toml",
      ".pulumi/credentials.json",
      ".config/hub",
      ".config/filezilla/sitemanager.xml",
      ".remmina/a.remmina",
      ".local/share/remmina/a.remmina",
      ".purple/accounts.xml",
      ".config/age/key.txt",
      ".minikube/profiles/a/client.key",
    ];
    for (const path of secrets) put(path);
    expect(await seenIn(home, secrets)).toEqual([]);
  });

  test("an interpreter in a home brings no credentials along", async () => {
    const secret = put(".cargo/credentials.toml");
    const path = join(home, ".cargo", "bin", "uv");
    mkdirSync(dirname(path));
    copyFileSync("/bin/bash", path);
    const interpreter = { name: "uv", path, home: join(home, ".cargo") };
    const own = new SandboxBench({ ...bubblewrap(), findInterpreter: async () => interpreter });
    try {
      const outcome = await own.run(`cat '${secret}' 2>/dev/null; echo "$?"`);
      expect(outcome.stdout).toBe("1\n");
    } finally {
      own.close();
    }
  });

  test("a home, or a folder that holds one, cannot be made writable", async () => {
    for (const folder of [home, dirname(home)])
      await expect(bench.run("true", { workspace: folder, writable: [folder] })).rejects.toMatchObject({
        code: "sandbox-folder-refused",
        message: expect.stringContaining("a user's home; grant the folder of a project instead"),
      });
    const project = join(home, "project");
    mkdirSync(project);
    expect((await bench.run("pwd", { workspace: project, writable: [project] })).stdout).toBe(`${project}\n`);
  });

  test("a program in a home that is hidden otherwise can still be used, and its credentials are hidden in it", async () => {
    put(".cargo/credentials.toml");
    put(".cargo/registry/token");
    const tool = put(".local/share/tool/run", "TOOL");
    put(".local/share/tool/.netrc");
    const interpreter = { name: "bash", path: "/bin/bash", home: dirname(tool) };
    const own = new SandboxBench({ ...bubblewrap(), findInterpreter: async () => interpreter });
    try {
      const outcome = await own.run(
        `cat '${tool}'; cd '${home}'; ls -A .local/share; grep -rl HIDDEN . 2>/dev/null; :`,
        {
          workspace: home,
        },
      );
      expect(outcome.stdout).toBe("TOOLtool\n");
    } finally {
      own.close();
    }
  });

  test("a pipe and links whose names begin with a dot are hidden in a home like files, and so is what they lead to", async () => {
    spawnSync("mkfifo", [join(home, ".agent")]);
    put("dotfiles/token");
    symlinkSync("dotfiles/token", join(home, ".token"));
    symlinkSync("nowhere", join(home, ".dangling"));
    symlinkSync(".", join(home, ".self"));
    put("notes.txt", "notes\n");
    const { stdout } = await bench.run(
      'cat notes.txt; [ -p .agent ] && echo pipe; cat .token dotfiles/token 2>/dev/null; echo "$?"',
      { workspace: home },
    );
    expect(stdout).toBe("notes\n1\n");
  });
});
