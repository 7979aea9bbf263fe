/** Commands of the documents that no test runs unchanged, with the reason and what is tested instead. */
export const EXCEPTIONS: { command: RegExp; reason: string }[] = [
  {
    command: /^npm test$/,
    reason: 'runs this test; .ci/run begins with it, in a clone without packages',
  },
  {
    command: /^curl -s \S+\/checkout\/\$ID\/proof |^npx nano-gateway proof verify /,
    reason:
      'needs a payment that is proved; part4-proof.test.ts fetches one, and test/start/proof.test.ts verifies files',
  },
  {
    command: /^npm (pack --workspace packages\/client|install \S+\/nano-gateway-client-\*\.tgz( @x402\/fetch)?)$/,
    reason:
      'leaves a file in the repository; test/client installs a packed file in an empty folder, and checks the programs below it',
  },
  {
    command: /^npm (pack --workspace packages\/devnet|install --save-dev \S+-devnet-\*\.tgz)$/,
    reason: 'leaves a file in the repository; test/testing does both with a packed file and checks the programs below',
  },
  {
    command: /^sh deploy\/secrets\.sh && kubectl |^(touch|rm) nginx\/out\/gateway-a$/,
    reason:
      'needs a cluster, or containers behind nginx; helm.test.ts renders the chart, nginx.test.ts takes gateways out by the file',
  },
  {
    command: /^npx nano-gateway migrate-check /,
    reason: 'needs another service and its key; test/start/migrate-check.test.ts has both',
  },
  {
    command: /^npm install openapi-fetch |^npx openapi-typescript /,
    reason: 'fetches packages; generated-client.test.ts generates with ours, then checks and runs the program below it',
  },
  {
    command: /^npm run zip:woocommerce$/,
    reason: 'leaves a file in the repository; test/integrations makes it elsewhere, unpacks it and runs a shop with it',
  },
  {
    command:
      /^npm init -y$|^npm install (--save-dev typescript@5 )?@medusajs\/|^cp node_modules\/@nano-gateway\/|^npm pack --workspace packages\/medusa|^mkdir \.\.\/shop|^createdb |^(SHOP|TOKEN|PAYMENT)=|^json\(\)|^curl -s \$SHOP|^export (DATABASE|NANO)_|^(ADMIN_PAGES=true )?npx medusa |^cd \.medusa\/server |^EMAIL=/,
    reason: 'needs a PostgreSQL and packages from npm; test/medusa/framework.test.ts runs all of it under --thorough',
  },
  {
    command: /^npx nano-gateway webhook listen /,
    reason: 'needs a receiver and never ends; test/start/webhook-listen runs it beside both',
  },
  {
    command: /\bdocker (compose|build|run) |^helm |^kubectl /,
    reason:
      'needs a container engine; what takes a gateway out is tried on the files (scripts.test.ts), rolling restarts by test/cluster',
  },
  {
    command:
      /^npm pack$|^rm -f nano-gateway-|^nano-gateway |^(useradd|install|systemctl|journalctl) |^npm install --prefix \/opt\//,
    reason: 'changes the machine as root; test/package holds that every path of the unit is where npm installs it',
  },
  {
    command: /^npx nano-gateway nodes check /,
    reason: 'asks nodes that do not exist; test/node/nodes-check.test.ts asks real ones',
  },
  {
    command: /^npm run bench -- /,
    reason: 'takes minutes and a quiet machine; its command line is read by the suite itself (scripts.test.ts)',
  },
  {
    command: /^npm run (power-loss|soak|fuzz) -- /,
    reason:
      'takes minutes to an hour; their command lines are read (scripts.test.ts), and test/power and test/hostile run shorter ones',
  },
  {
    command: /^npm run chaos -- /,
    reason: 'takes ten minutes; its command line is read (scripts.test.ts), and test/chaos runs it for a shorter time',
  },
]

export const exceptionFor = (command: string) => EXCEPTIONS.find((exception) => exception.command.test(command))
