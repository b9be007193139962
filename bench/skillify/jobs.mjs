// Twenty conversations in short, by the hand that wrote the extractor, so for development only: `> ` typed, `$ ` run, `$! ` run and failed, `e ` edited,
// `x ` denied with what the person said, `< ` said by the model. `later` holds messages of other days that should find
// the skill; no part of the product sees them.
export const JOBS = [
  {
    name: "backport",
    lines: `> Please backport commit 4f2a91c to release-2.3 and open a pull request
$ git fetch origin
$ git log --oneline -5 origin/release-2.3
$ git checkout -b backport-4f2a91c origin/release-2.3
$! git cherry-pick 4f2a91c
< There is a conflict in src/cart.ts.
e src/cart.ts
$ git add src/cart.ts
$ git cherry-pick --continue
$ npm test
> don't push to origin, use the fork remote
$ git push fork backport-4f2a91c
$ gh pr create --base release-2.3 --title "Backport 4f2a91c"
> perfect, thanks`,
    later: [
      "cherry-pick the fix 99ab01e onto release-2.1",
      "can you bring this bug fix back to the old release branch?",
      "backport PR 812 to the 1.9 line",
    ],
  },
  {
    name: "changelog",
    lines: `> write the release notes for v1.8.0 from the merged pull requests
$ git describe --tags --abbrev=0
$ git log v1.7.2..HEAD --merges --oneline
$ gh pr view 231 --json title,body
$ gh pr view 235 --json title,body
e CHANGELOG.md
> group them by feature, fix and breaking change, not by author
e CHANGELOG.md
$ npx markdownlint CHANGELOG.md
> great`,
    later: [
      "draft the changelog for version 2.0",
      "what changed since the last tag? put it into release notes",
      "summarise merged PRs for the release announcement",
    ],
  },
  {
    name: "flaky",
    lines: `> the test in checkout.test.ts is flaky, find out why and fix it
$ npx vitest run checkout.test.ts
$! for i in 1 2 3 4 5; do npx vitest run checkout.test.ts || break; done
e test/checkout.test.ts
> never use sleep to fix it, use fake timers
e test/checkout.test.ts
$ for i in 1 2 3 4 5 6 7 8 9 10; do npx vitest run checkout.test.ts || exit 1; done
$ npx vitest run
> works now`,
    later: [
      "login.test.ts fails every third time in CI",
      "stabilise the intermittent test for payments",
      "this spec passes locally but is flaky, please sort it out",
    ],
  },
  {
    name: "migration",
    lines: `> add a database migration that adds a nullable column phone to the users table
$ ls db/migrations
$ npx knex migrate:make add_phone_to_users
e db/migrations/20260101_add_phone_to_users.js
$! npx knex migrate:latest
e db/migrations/20260101_add_phone_to_users.js
$ npx knex migrate:latest
$ npx knex migrate:rollback
$ npx knex migrate:latest
> always check that the rollback works before you are done`,
    later: [
      "create a migration to rename orders.total to orders.amount",
      "we need a new index on the invoices table, write the schema change",
      "add column locale to accounts with a reversible migration",
    ],
  },
  {
    name: "rollout",
    lines: `> restart the payments deployment in staging and check that it is healthy
$ kubectl config use-context staging
$ kubectl get pods -n payments
$ kubectl rollout restart deployment/payments -n payments
$ kubectl rollout status deployment/payments -n payments
$ kubectl logs deployment/payments -n payments --tail 50
> looks good`,
    later: [
      "bounce the search service on the cluster",
      "roll the orders pods in staging, they hang",
      "do a rolling restart of the kubernetes deployment for auth",
    ],
  },
  {
    name: "translate",
    lines: `> add the missing German translations to the locale files
$ node scripts/missing-keys.js de
e locales/de.json
$ node scripts/missing-keys.js de
> use the informal du, not Sie
e locales/de.json
$ npm run i18n:check
> thanks`,
    later: [
      "fill in missing French strings in the locales",
      "which i18n keys have no Italian text? translate them",
      "complete the Spanish translation of the app",
    ],
  },
  {
    name: "chart",
    lines: `> make a bar chart of monthly revenue from data/sales-2025.csv and save it as a PNG
$ head -5 data/sales-2025.csv
e scripts/chart.py
$! python3 scripts/chart.py data/sales-2025.csv out/revenue.png
$ pip install matplotlib pandas
$ python3 scripts/chart.py data/sales-2025.csv out/revenue.png
> start the y axis at zero
e scripts/chart.py
$ python3 scripts/chart.py data/sales-2025.csv out/revenue.png
> nice`,
    later: [
      "plot signups per week from signups.csv",
      "visualise this spreadsheet of expenses as a graph image",
      "draw a line chart from the csv export",
    ],
  },
  {
    name: "gif",
    lines: `> turn demo.mov into a small gif for the README
$ ffprobe demo.mov
$ ffmpeg -i demo.mov -vf fps=10,scale=800:-1,palettegen palette.png
$ ffmpeg -i demo.mov -i palette.png -lavfi fps=10,scale=800:-1,paletteuse demo.gif
$ ls -la demo.gif
> it must stay under 5 MB
$ ffmpeg -i demo.mov -i palette.png -lavfi fps=8,scale=640:-1,paletteuse demo.gif
$ ls -la demo.gif
> ok good`,
    later: [
      "convert the screen recording to an animated gif",
      "make a gif out of intro.mp4, not too big",
      "shrink this video into a looping gif for the docs",
    ],
  },
  {
    name: "dependency",
    lines: `> upgrade express to the latest major version and fix what breaks
$ npm outdated express
$ npm install express@5
$! npm test
e src/router.js
e src/errors.js
$ npm test
$ npm run lint
> one commit per fix please
$ git commit -am "Upgrade express to 5"
> great`,
    later: [
      "bump react-router to v7 and repair the code",
      "update webpack to the newest major",
      "lodash is outdated, move us to the current release and make the tests pass",
    ],
  },
  {
    name: "triage",
    lines: `> triage the new issues: label them and ask for what is missing
$ gh issue list --label "" --state open --limit 20
$ gh issue view 88
$ gh issue edit 88 --add-label bug
$ gh issue comment 88 --body "Which version is this?"
$ gh issue view 91
$ gh issue edit 91 --add-label enhancement
> never close an issue by yourself
> thanks`,
    later: [
      "go through the untriaged GitHub issues",
      "label the open bug reports from this week",
      "sort the incoming issues and request reproduction steps",
    ],
  },
  {
    name: "image-size",
    lines: `> make the docker image of the api smaller
$ docker build -t api:before .
$ docker image ls api
$ docker history api:before
e Dockerfile
$! docker build -t api:after .
e Dockerfile
$ docker build -t api:after .
$ docker image ls api
$ docker run --rm api:after node --version
> stay on debian slim, no alpine`,
    later: [
      "our container image is 2 GB, slim it down",
      "reduce the size of the worker's Dockerfile build",
      "use a multi-stage build so the image gets smaller",
    ],
  },
  {
    name: "terraform",
    lines: `> add a new s3 bucket for reports with terraform
e infra/reports.tf
$ terraform fmt
$ terraform validate
$ terraform plan -out plan.bin
x terraform apply -auto-approve | show me the plan first, apply only after I say yes
> yes
$ terraform apply plan.bin
$ terraform output
> done`,
    later: [
      "create an sqs queue in our terraform",
      "provision another bucket with infrastructure as code",
      "add a dns record through terraform plan and apply",
    ],
  },
  {
    name: "profile",
    lines: `> the endpoint /search is slow, profile it and make it faster
$ npx autocannon -d 10 http://localhost:3000/search
$ node --cpu-prof server.js
$ node scripts/top-functions.js CPU.cpuprofile
e src/search.js
$ npx autocannon -d 10 http://localhost:3000/search
$ npm test
> measure before and after, and tell me both numbers`,
    later: [
      "why does the report page take 4 seconds? find the hot spot",
      "benchmark and speed up the import job",
      "take a CPU profile of the server under load",
    ],
  },
  {
    name: "restore",
    lines: `> restore last night's database dump into my local postgres
$ ls -t backups
$ dropdb --if-exists shop_dev
$ createdb shop_dev
$! pg_restore -d shop_dev backups/shop-2026-01-04.dump
$ pg_restore --no-owner -d shop_dev backups/shop-2026-01-04.dump
$ npm run db:anonymise
> always anonymise the customers afterwards
> thanks`,
    later: [
      "load the newest production backup into my dev database",
      "refresh local postgres from the dump",
      "import yesterday's pg_dump here and scrub personal data",
    ],
  },
  {
    name: "endpoint",
    lines: `> add a REST endpoint GET /orders/:id with validation and tests
e src/routes/orders.ts
e src/schemas/order.ts
e test/orders.test.ts
$! npm test -- orders
e src/routes/orders.ts
$ npm test -- orders
$ npm run typecheck
e docs/openapi.yaml
> no, errors must use problem+json like the other routes
e src/routes/orders.ts
$ npm test -- orders
> perfect`,
    later: [
      "write a new API route to delete invoices, with tests",
      "expose POST /customers in the REST API",
      "add an endpoint for product search and document it in openapi",
    ],
  },
  {
    name: "docx",
    lines: `> convert the handbook from markdown to a word document with our template
$ ls docs/handbook
$ pandoc docs/handbook/*.md --reference-doc assets/template.docx -o handbook.docx
$ libreoffice --headless --convert-to pdf handbook.docx
$ pdftotext handbook.pdf -
> put the table of contents in front
$ pandoc docs/handbook/*.md --toc --reference-doc assets/template.docx -o handbook.docx
> good`,
    later: [
      "make a docx from these md files in corporate style",
      "export the guide to Word",
      "turn README and the docs folder into a .docx with a table of contents",
    ],
  },
  {
    name: "branches",
    lines: `> clean up local and remote branches that are merged
$ git fetch --prune
$ git branch --merged main
$ git branch -d feature/cart
$ git branch -d fix/footer
$ git branch -r --merged origin/main
x git push origin --delete release-1.0 | never delete release branches
$ git push origin --delete feature/cart
> thanks`,
    later: [
      "delete stale git branches",
      "prune the branches which were already merged into main",
      "tidy up old feature branches on the remote",
    ],
  },
  {
    name: "client",
    lines: `> generate the typescript client from the openapi file of the billing service
$ curl -sSf https://billing.example.com/openapi.json -o specs/billing.json
$ npx openapi-typescript specs/billing.json -o src/clients/billing.d.ts
$! npm run typecheck
e src/clients/billing.ts
$ npm run typecheck
$ npm test -- clients
> don't edit the generated file by hand
> ok`,
    later: [
      "regenerate API types for the shipping service from its swagger",
      "update the generated client, the openapi spec changed",
      "create typed bindings from openapi.json",
    ],
  },
  {
    name: "report",
    lines: `> write the weekly report about support tickets from the database
$ psql "$REPORTS_URL" -f sql/tickets-by-week.sql
$ psql "$REPORTS_URL" -f sql/first-answer.sql
e reports/2026-w02.md
> compare with the week before and keep it to one page
e reports/2026-w02.md
$ npx markdownlint reports/2026-w02.md
> great, send it to nobody, I'll do that`,
    later: [
      "prepare this week's ticket summary for the support team",
      "weekly numbers for customer support, as markdown",
      "how did support do in week 7? make the usual report",
    ],
  },
  {
    name: "a11y",
    lines: `> check the landing page for accessibility problems and fix them
$ npm run build
$ npx pa11y http://localhost:4173/
e src/pages/index.html
e src/styles/colours.css
$ npx pa11y http://localhost:4173/
$ npx lighthouse http://localhost:4173/ --only-categories=accessibility
> keep the brand colour, change the text colour instead
e src/styles/colours.css
$ npx pa11y http://localhost:4173/
> good`,
    later: [
      "audit the signup form for a11y",
      "are our pages usable with a screen reader? repair contrast and labels",
      "run an accessibility check on the dashboard",
    ],
  },
];
