import { KNOWN_SEED, openAccounts } from '../devnet/accounts.ts'
import { genesisOf } from '../devnet/genesis.ts'
import { startDevnet } from '../devnet/index.ts'
import { loadState } from '../devnet/state.ts'
import { systemClock } from '../infra/clock.ts'
import { systemRandom } from '../infra/random.ts'
import { useFastestCurve } from '../infra/sodium-curve.ts'
import { toAddress } from '../kernel/nano/address.ts'
import { parseHex } from '../kernel/nano/block.ts'
import { parseRequest } from '../kernel/nano/request-tree.ts'
import { WORK_THRESHOLDS, type WorkThresholds } from '../kernel/nano/work.ts'
import type { Closable, LedgerOptions } from './options.ts'

const ACCOUNTS = 10
const ACCOUNTS_MAX = 1_000

/** Opens the ledger in this process. Loaded only where it runs, because it needs `node:sqlite`. */
export async function openLedger(options: LedgerOptions): Promise<Closable> {
  const seed = parseHex(options.seed ?? KNOWN_SEED, 64)
  if (seed === undefined) throw new TypeError('A seed has 64 hexadecimal digits.')
  const count = options.accounts ?? (options.state === undefined ? ACCOUNTS : 0)
  if (!Number.isInteger(count) || count < 0 || count > ACCOUNTS_MAX) {
    throw new TypeError(`accounts is a whole number up to ${ACCOUNTS_MAX}.`)
  }
  // The package is optional: without it everything works, only slower.
  useFastestCurve()
  const devnet = await startDevnet({
    file: options.file ?? ':memory:',
    clock: systemClock,
    random: systemRandom,
    port: options.port ?? 0,
    wsPort: options.wsPort ?? 0,
    confirmAfterMilliseconds: options.confirmMs ?? 0,
    thresholds: toThresholds(options.work),
    ...(options.network !== undefined && { network: options.network }),
    ...(options.genesis !== undefined && { genesis: genesisOf(options.genesis) }),
  })
  try {
    if (options.state !== undefined) await loadState(devnet.node, parseRequest(JSON.stringify(options.state)))
    const accounts = await openAccounts(devnet.node, seed, count)
    const { genesis } = devnet.node.ledger
    return {
      rpcUrl: devnet.rpcUrl,
      wsUrl: devnet.wsUrl,
      seed,
      accounts,
      genesis: { address: toAddress(genesis.account), hash: genesis.hash },
      close: () => devnet.close(),
    }
  } catch (error) {
    await devnet.close()
    throw error
  }
}

function toThresholds(work: LedgerOptions['work'] = 'dev'): WorkThresholds {
  if (!['dev', 'live', 'none'].includes(work)) throw new TypeError('work is dev, live or none.')
  return WORK_THRESHOLDS[work]
}
