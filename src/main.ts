import { startApp } from './app.ts'
import { checkStart } from './check-start.ts'
import { onUncaught } from './cli/last-resort.ts'
import { onStop } from './cli/stop.ts'
import { tellAll } from './config.ts'
import {
  forgetAdministratorKey,
  keepAdministratorKey,
  keyFileOfAdministrator,
  tellAdministratorKey,
} from './data-folder.ts'
import { FollowingClock } from './infra/clock.ts'
import { openLog } from './infra/log.ts'
import { systemRandom } from './infra/random.ts'
import { useFastestCurve } from './infra/sodium-curve.ts'
import { VERSION } from './version.ts'
import { tellFasterWork } from './infra/work/card/find.ts'
import { describeSources } from './infra/work/open.ts'

/** The process: starts the gateway, says where it is, and stops it when asked. */
export async function runGateway(): Promise<void> {
  const clock = new FollowingClock()
  const { config, problems, warnings } = checkStart(clock)
  if (!config) throw new Error(tellAll(problems))
  const log = openLog(config.logLevel)
  for (const reason of warnings) {
    log.warn({ event: 'setting_misspelt', reason })
    process.stderr.write(`nano-gateway: ${reason}\n`)
  }
  const keepKey = (key: string) => keepAdministratorKey(config, key)
  const app = await startApp(config, { clock, random: systemRandom, log, keepKey })
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
    ...tellAdministratorKey(config, { createdKey, isTerminal }),
    ...(metricsUrl === undefined ? [] : [`  Metrics    ${metricsUrl}`]),
    `  Data       ${config.dataDir}`,
    ...(walletKeyFile === undefined
      ? []
      : [`  Wallets    ${walletKeyFile}   (back it up: without it every wallet is lost)`]),
    devnet
      ? `  Node       development ledger, ${devnet.rpcUrl}`
      : `  Nodes      ${nodes.pool.upstreams.map(({ options }) => options.name).join(', ')}`,
    `  Work       ${describeSources(app.work.engines)}`,
    ...tellFasterWork(config).map((line) => `             ${line}`),
    ...tellSlowSignatures(),
    '',
    '  Try it:',
    `  curl -d '{"action":"block_count"}' ${url}`,
    '',
  ]
  await new Promise<unknown>((written) => process.stdout.write(`${lines.join('\n')}\n`, written))
  if (createdKey !== undefined && isTerminal) forgetAdministratorKey(config)
}

function tellSlowSignatures(): string[] {
  const { reason } = useFastestCurve()
  return reason === undefined ? [] : [`  Signatures in JavaScript, ten times slower: ${reason}`]
}
