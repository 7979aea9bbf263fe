import { loadConfig } from '../config/config.ts'
import { askNode } from '../infra/http/post-json.ts'
import { isEmbedded } from '../infra/node/upstreams.ts'
import { useFastestCurve } from '../infra/sodium-curve.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import { formatNano } from '../kernel/money.ts'
import { type AskLedger, listOldKeys, listSeeds, lookAhead } from '../modules/wallets/index.ts'
import { type Disagreement, verifyStore } from '../store/verify.ts'
import { findLedger } from './devnet-control.ts'
import { show } from './show-answer.ts'
import { type Flags, print, withStore } from './store.ts'
import { withVault } from './wallet-words.ts'

const AHEAD = 1_000
const OLD_MAX = 10_000

/** Compares the store with the ledger and prints the differences. With any difference the exit code is 1. */
export function verify({ json, node }: Flags & { node?: string }): Promise<void> {
  useFastestCurve()
  return withStore(async (ctx) => {
    const { url, ask } = openAsk(node)
    const verified = await verifyStore(ctx.db, ask)
    const { looked, more } = verified
    const disagreements = [...verified.disagreements, ...(await verifyAhead(ctx, ask))]
    const counts = Object.entries(looked).map(([about, count]) => `${count} ${NAMES[about]}`)
    const lines = disagreements.map(({ about, id, what }) => `${about} ${show(id)}: ${show(what)}`)
    const end =
      disagreements.length === 0 ? 'everything agrees' : `${disagreements.length}${more ? ' and more' : ''} disagree`
    const old = await listOldKeys(ctx.db, OLD_MAX)
    print(json, { node: url.origin, looked, disagreements, more, only_in_backups: old.length }, [
      ...lines,
      ...(old.length === 0
        ? []
        : [`The keys of ${old.length} wallets are only in backups: nano-gateway wallets migrate-keys`]),
      `Looked at ${counts.join(', ')} against ${url.origin}: ${end}.`,
    ])
    if (disagreements.length > 0) process.exitCode = 1
  })
}

/** The node that a command asks: the named one, otherwise the first of the settings or the development ledger. */
export function openAsk(node: string | undefined): { url: URL; ask: AskLedger } {
  const config = loadConfig()
  if (node !== undefined || !isEmbedded(config)) {
    const url = new URL(node ?? config.nodeUrls[0]!)
    return { url, ask: (action, fields) => askNode(url, action, fields) }
  }
  const url = new URL(findLedger())
  const cure = 'The development ledger runs with its gateway: start it, or name a node with --node.'
  const ask: AskLedger = (action, fields) =>
    askNode(url, action, fields).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}. ${cure}`, { cause: error })
    })
  return { url, ask }
}

/** Looks on the ledger for wallets of the seed that are newer than the newest wallet in the store. */
async function verifyAhead(store: StoreCtx, ask: AskLedger): Promise<Disagreement[]> {
  const seeds = await listSeeds(store.db)
  if (seeds.length === 0) return []
  const ctx = await withVault(store)
  const ahead = await Promise.all(seeds.map((seed) => lookAhead(ctx, seed, { ask, ahead: AHEAD })))
  return ahead.flatMap(({ found }) =>
    found.map(({ address, amount }) => ({
      about: 'wallet' as const,
      id: address,
      what: `the ledger has this address of the wallet seed with ${formatNano(amount)} nano, and the store does not know it: nano-gateway wallets recover`,
    })),
  )
}

const NAMES: Readonly<Record<string, string>> = {
  credits: 'accounts with credits',
  checkout: 'checkouts',
  payment: 'payments',
  wallet: 'wallets',
  block: 'blocks of wallets',
}
