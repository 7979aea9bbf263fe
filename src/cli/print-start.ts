import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { forgetAdministratorKey, keyFileOfAdministrator, reportAdministratorKey } from '../store/data-folder.ts'
import type { Log } from '../infra/log.ts'
import { useFastestCurve } from '../infra/sodium-curve.ts'
import { reportFasterWork } from '../infra/work/card/find.ts'
import { describeSources } from '../infra/work/open.ts'
import { VERSION } from '../version.ts'

/** Reports the addresses of a started gateway: as a page for people, as log events for programs. */
export async function printStart(config: Config, { app, log }: { app: App; log: Log }) {
  const { url, metricsUrl, createdKey, walletKeyFile, devnet, nodes } = app
  const isTerminal = process.stdout.isTTY
  if (createdKey !== undefined && !isTerminal) {
    log.info({ event: 'administrator_key_made', file: keyFileOfAdministrator(config) })
  }
  const lines = [
    `nano-gateway ${VERSION}`,
    '',
    `  RPC        ${url}`,
    `  Docs       ${url}/docs`,
    `  Dashboard  ${url}/dashboard`,
    ...reportAdministratorKey(config, { createdKey, isTerminal }),
    ...(metricsUrl === undefined ? [] : [`  Metrics    ${metricsUrl}`]),
    `  Data       ${config.dataDir}`,
    ...(walletKeyFile === undefined
      ? []
      : [`  Wallets    ${walletKeyFile}   (back it up: without it every wallet is lost)`]),
    devnet
      ? `  Node       development ledger, ${devnet.rpcUrl}`
      : `  Nodes      ${nodes.pool.upstreams.map(({ options }) => options.name).join(', ')}`,
    `  Work       ${describeSources(app.work.engines)}`,
    ...reportFasterWork(config).map((line) => `             ${line}`),
    ...describeSlowSignatures(),
    '',
    '  Try it:',
    `  curl -d '{"action":"block_count"}' ${url}`,
    '',
  ]
  await new Promise<unknown>((written) => process.stdout.write(`${lines.join('\n')}\n`, written))
  if (createdKey !== undefined && isTerminal) forgetAdministratorKey(config)
}

function describeSlowSignatures(): string[] {
  const { reason } = useFastestCurve()
  return reason === undefined ? [] : [`  Signatures in JavaScript, ten times slower: ${reason}`]
}
