import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../config.ts'
import { startDevnet } from '../devnet/index.ts'
import { systemClock } from '../infra/clock.ts'
import { callNode } from '../infra/node/call-node.ts'
import { systemRandom } from '../infra/random.ts'
import { parseNano } from '../kernel/money.ts'
import { isAddress } from '../kernel/nano/address.ts'
import { WORK_THRESHOLDS } from '../kernel/nano/work.ts'
import { onStop } from '../main.ts'

interface DevnetFlags {
  host: string
  port: string
  wsPort: string
  data: string
  work: string
  confirmMs: string
  control: boolean
  json?: boolean
}

/** Runs the development ledger in the foreground until it is told to stop. */
export async function runDevnet(flags: DevnetFlags): Promise<void> {
  if (flags.work !== 'dev' && flags.work !== 'live') throw new Error('--work is dev or live.')
  if (flags.data !== ':memory:') mkdirSync(dirname(flags.data), { recursive: true })
  const devnet = await startDevnet({
    file: flags.data,
    clock: systemClock,
    random: systemRandom,
    host: flags.host,
    port: toNumber('--port', flags.port, 65_535),
    wsPort: toNumber('--ws-port', flags.wsPort, 65_535),
    thresholds: WORK_THRESHOLDS[flags.work],
    confirmAfterMilliseconds: toNumber('--confirm-ms', flags.confirmMs, 3_600_000),
    control: flags.control,
  })
  const { rpcUrl, wsUrl } = devnet
  if (flags.json) console.log(JSON.stringify({ rpc: rpcUrl, websocket: wsUrl, data: flags.data }))
  else {
    console.log(
      [
        'Nano development ledger',
        '',
        `  RPC        ${rpcUrl}`,
        `  Websocket  ${wsUrl}`,
        `  Data       ${flags.data}`,
        '',
        '  Try it:',
        `  curl -d '{"action":"block_count"}' ${rpcUrl}`,
        '',
      ].join('\n'),
    )
  }
  onStop(() => devnet.close())
}

/** Asks a running ledger to send from its genesis account. */
export async function fundAccount(
  address: string,
  nano: string,
  flags: { url?: string; json?: boolean },
  command: Command,
): Promise<void> {
  // The parent command knows --json too and takes it first.
  const json = flags.json ?? command.optsWithGlobals<{ json?: boolean }>().json ?? false
  if (!isAddress(address)) throw new Error(`${address} is no Nano address.`)
  if (parseNano(nano) === undefined) throw new Error(`${nano} is no amount of nano.`)
  const url = flags.url ?? findLedger()
  const answer = await callNode(url, { action: 'devnet_fund', account: address, amount_nano: nano })
  if (typeof answer.error === 'string') throw new Error(answer.error)
  if (json) console.log(JSON.stringify({ address, amount_nano: nano, hash: answer.hash, ledger: url }))
  else console.log(`Sent ${nano} nano to ${address}\nBlock ${String(answer.hash)}`)
}

/** The ledger inside the gateway of DATA_DIR, else one on the usual port. */
function findLedger(): string {
  const file = join(loadConfig().dataDir, 'devnet.json')
  if (!existsSync(file)) return 'http://127.0.0.1:7076'
  return (JSON.parse(readFileSync(file, 'utf8')) as { rpc: string }).rpc
}

export function toNumber(name: string, text: string, max: number): number {
  const value = Number(text)
  if (!/^[0-9]+$/.test(text) || value > max) throw new Error(`${name} is a number from 0 to ${max}.`)
  return value
}
