import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../config.ts'
import { callNode } from '../infra/node/call-node.ts'
import { parseNano } from '../kernel/money.ts'
import { isAddress } from '../kernel/nano/address.ts'

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
