import { startApp } from './app.ts'
import { onUncaught } from './cli/last-resort.ts'
import { onStop } from './cli/stop.ts'
import { loadConfig } from './config.ts'
import { FollowingClock } from './infra/clock.ts'
import { openLog } from './infra/log.ts'
import { systemRandom } from './infra/random.ts'
import { VERSION } from './version.ts'
import { describeSources } from './work.ts'

/** The process: starts the gateway, says where it is, and stops it when asked. */
export async function runGateway(): Promise<void> {
  const config = loadConfig()
  const log = openLog(config.logLevel)
  const app = await startApp(config, { clock: new FollowingClock(), random: systemRandom, log })
  const { url, metricsUrl, createdKey, walletKeyFile, devnet, nodes } = app
  const lines = [
    `nano-gateway ${VERSION}`,
    '',
    `  RPC        ${url}`,
    `  Docs       ${url}/docs`,
    `  Dashboard  ${url}/dashboard`,
    ...(createdKey === undefined ? [] : [`  Admin key  ${createdKey}   (shown only once: keep it)`]),
    ...(metricsUrl === undefined ? [] : [`  Metrics    ${metricsUrl}`]),
    `  Data       ${config.dataDir}`,
    ...(walletKeyFile === undefined
      ? []
      : [`  Wallets    ${walletKeyFile}   (back it up: without it every wallet is lost)`]),
    devnet
      ? `  Node       embedded development ledger, ${devnet.rpcUrl}`
      : `  Nodes      ${nodes.pool.upstreams.map(({ options }) => options.name).join(', ')}`,
    `  Work       ${describeSources(app.work.engines)}`,
    '',
    '  Try it:',
    `  curl -d '{"action":"block_count"}' ${url}`,
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  const end = async () => {
    log.info({ event: 'draining' })
    await app.close()
    log.info({ event: 'stopped' })
    await new Promise<void>((resolve) => log.flush(() => resolve()))
  }
  let ending: Promise<void> | undefined
  const stop = () => (ending ??= end())
  onStop(stop)
  onUncaught(app.failures, stop)
}
