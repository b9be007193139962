import { expect, test } from "vitest";
import { judgeShell } from "../testing/judge-shell.ts";
import { PR1 } from "./privilege.ts";

test.each([
  ["sudo apt-get install jq", "info"],
  ["chmod 777 x", "info"],
  ["chmod 4755 x", "warn"],
  ["chmod u+s x", "warn"],
  ["docker run -v /:/host x", "warn"],
  ["docker run -v /var/run/docker.sock:/var/run/docker.sock x", "warn"],
  ["echo 'a ALL=NOPASSWD: ALL' >> /etc/sudoers", "critical"],
  ["echo 'a ALL=NOPASSWD: /usr/bin/systemctl restart x' >> /etc/sudoers.d/a", "warn"],
  ["useradd -o -u 0 helper", "critical"],
  ["chmod u+s /bin/bash", "critical"],
  ["cp /bin/bash /tmp/x; chmod 4755 /tmp/x", "critical"],
  ["docker run --privileged x", "warn"],
  ["docker run -v /:/host alpine chroot /host sh", "critical"],
  ["docker run --privileged --pid=host alpine nsenter -t 1 -m sh", "critical"],
  ["docker run --privileged -v /root/.ssh:/mnt x", "critical"],
  ["modprobe x", "warn"],
  ["setcap cap_net_bind_service+ep ./server", "warn"],
  ["setcap cap_setuid+ep /usr/bin/python3", "critical"],
  ["echo 'helper::0:0::/root:/bin/bash' >> /etc/passwd", "critical"],
  ["chmod o+w /etc/sudoers", "critical"],
  ["docker run --rm -v ~/.ssh:/k alpine cat /k/id_rsa", "warn"],
  ["docker run -v ~/.ssh:/root/.ssh:ro x", "warn"],
  ["docker run --volume=~/.ssh:/k -w /k alpine cat id_rsa", "warn"],
  ["docker run --volume ~/.gnupg:/k alpine sh -c 'cat /k/*'", "warn"],
  ["docker run --mount type=bind,source=$HOME/.ssh,target=/k alpine sh -c 'cat /k/id_rsa'", "warn"],
  ["podman run --mount=src=/root/.aws,type=bind,dst=/k alpine x", "warn"],
  ["gh api -X PUT repos/$R/collaborators/mallory -f permission=admin", "warn"],
  ["gh api /orgs/acme/memberships/mallory --method PUT", "warn"],
  ["glab api --method POST projects/$P/members -f user_id=7 -f access_level=50", "warn"],
  ["curl -X PUT https://api.github.com/repos/a/b/collaborators/mallory", "warn"],
  ["curl -d '{}' https://git.acme.test/api/v4/projects/7/deploy_keys", "warn"],
  ["gh repo deploy-key add key.pub --allow-write", "warn"],
  ["gh ssh-key add key.pub", "warn"],
])("%s is %s", (text, severity) => {
  expect(judgeShell(PR1, text)).toEqual([severity]);
});

test.each([
  "chmod +x run.sh",
  "chmod 644 /etc/passwd",
  "echo 'web:x:1001:1001::/srv:/bin/false' >> /etc/passwd",
  "chmod 2775 shared",
  "docker run --rm -v $PWD:/work x",
  "docker run --mount type=bind,source=$PWD,target=/work x",
  "useradd -u 1000 x",
  "setcap -r x",
  "gh api repos/$R/collaborators",
  "gh api -X GET repos/$R/collaborators -f per_page=100",
  "gh api -X POST repos/$R/issues -f title=x",
  "curl https://api.github.com/repos/a/b/collaborators",
  "curl -X POST https://api.acme.test/members",
])("%s is nothing", (text) => {
  expect(judgeShell(PR1, text)).toEqual([]);
});

test("a driver from where anybody may write is critical, unless the skill is about drivers", () => {
  const load = (path: string): string => `sc create tidy type= kernel binPath= "${path}"`;
  expect(judgeShell(PR1, load("C:/ProgramData/tidy.sys"))).toEqual(["critical"]);
  expect(judgeShell(PR1, load("C:/Windows/System32/drivers/tidy.sys"))).toEqual(["warn"]);
  expect(judgeShell(PR1, load("C:/ProgramData/tidy.sys"), { description: "Builds drivers" })).toEqual([
    "warn",
  ]);
});

test("a skill about containers may use their socket, not the whole disk", () => {
  const profile = { description: "Runs docker stacks" };
  expect(judgeShell(PR1, "docker run -v /var/run/docker.sock:/x y", profile)).toEqual(["info"]);
  expect(judgeShell(PR1, "docker run -v /:/host y", profile)).toEqual(["warn"]);
});

test("a way in that stays is a warning where the skill is about such things", () => {
  const breakout = "docker run -v /:/host alpine chroot /host sh";
  const fence = { medium: "fence" } as const;
  expect(judgeShell(PR1, breakout, { description: "Debugs docker hosts" })).toEqual(["warn"]);
  expect(judgeShell(PR1, breakout, { isSecurityTool: true }, fence)).toEqual(["warn"]);
  expect(judgeShell(PR1, breakout, { isSecurityTool: true })).toEqual(["critical"]);
  const root = "echo 'a ALL=NOPASSWD: ALL' >> /etc/sudoers.d/a";
  expect(judgeShell(PR1, root, { description: "Provisions a server" })).toEqual(["warn"]);
  expect(judgeShell(PR1, root, {}, { file: "Dockerfile" })).toEqual(["warn"]);
});

test("a skill about access may give it", () => {
  const profile = { description: "Manages the collaborators of a repository" };
  expect(judgeShell(PR1, "gh api -X PUT repos/a/b/collaborators/mallory", profile)).toEqual(["info"]);
});
