import { loadConfig } from '../config/config.ts'
import { askNode } from '../infra/http/post-json.ts'
import { isEmbedded } from '../infra/node/upstreams.ts'
import { verifyStore } from '../store/verify.ts'
import { findLedger } from './devnet-control.ts'
import { show } from './show-answer.ts'
import { type Flags, print, withStore } from './store.ts'

/** Verifies the store against the ledger and prints what disagrees, in which case the exit code is 1. */
export function verify({ json, node }: Flags & { node?: string }): Promise<void> {
  return withStore(async ({ db }) => {
    const config = loadConfig()
    const named = node ?? (isEmbedded(config) ? findLedger() : config.nodeUrls[0]!)
    const url = new URL(named)
    const { looked, disagreements, more } = await verifyStore(db, (action, fields) => askNode(url, action, fields))
    const counts = Object.entries(looked).map(([about, count]) => `${count} ${NAMES[about]}`)
    const lines = disagreements.map(({ about, id, what }) => `${about} ${show(id)}: ${show(what)}`)
    const end =
      disagreements.length === 0 ? 'everything agrees' : `${disagreements.length}${more ? ' and more' : ''} disagree`
    print(json, { node: url.origin, looked, disagreements, more }, [
      ...lines,
      `Looked at ${counts.join(', ')} against ${url.origin}: ${end}.`,
    ])
    if (disagreements.length > 0) process.exitCode = 1
  })
}

const NAMES: Readonly<Record<string, string>> = {
  credits: 'accounts with credits',
  checkout: 'checkouts',
  payment: 'payments',
  wallet: 'wallets',
  block: 'blocks of wallets',
}
