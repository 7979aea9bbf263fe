import type { Command } from 'commander'
import { systemClock } from '../infra/clock.ts'
import { callNode } from '../infra/node/call-node.ts'
import { parseNano } from '../kernel/money.ts'
import { isAddress } from '../kernel/nano/address.ts'
import { findLedger } from './find-ledger.ts'

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
  if (parseNano(nano) === undefined) throw new Error(`“${nano}” is not a valid amount of nano.`)
  const url = flags.url ?? findLedger()
  const answer = await callNode(url, { action: 'devnet_fund', account: address, amount_nano: nano })
  if (typeof answer.error === 'string') throw new Error(answer.error)
  const hash = String(answer.hash)
  const confirmed = await waitForConfirmation(url, hash)
  if (json) console.log(JSON.stringify({ address, amount_nano: nano, hash, confirmed, ledger: url }))
  else console.log(`Sent ${nano} nano to ${address}\nBlock ${hash}${confirmed ? '' : ', not confirmed yet'}`)
}

/** A developer who reads that it was sent goes on to use it. A ledger that holds its blocks back is not waited for longer than this. */
const CONFIRMED_WITHIN = 10_000
const LOOK_EVERY = 50

async function waitForConfirmation(url: string, hash: string): Promise<boolean> {
  const until = systemClock.now() + CONFIRMED_WITHIN
  while (systemClock.now() < until) {
    const { confirmed } = await callNode(url, { action: 'block_info', hash, json_block: 'true' })
    if (confirmed === 'true') return true
    await new Promise<void>((resolve) => void systemClock.after(LOOK_EVERY, resolve))
  }
  return false
}
