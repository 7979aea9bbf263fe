import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../config/config.ts'
import { systemClock } from '../infra/clock.ts'
import { callNode } from '../infra/node/call-node.ts'
import { writePrivateFile } from '../infra/private-files.ts'
import { parseNano } from '../kernel/money.ts'
import { isAddress } from '../kernel/nano/address.ts'
import type { NodeAnswer } from '../kernel/ports.ts'

export interface ControlFlags {
  url?: string
  json?: boolean
}

/** Sends a control to a running ledger and prints the answer. */
export async function runControl(
  action: string,
  fields: Record<string, string | undefined>,
  flags: ControlFlags,
  command: Command,
): Promise<void> {
  print(await ask(flags, { action: `devnet_${action}`, ...fields }), flags, command)
}

/** Writes the whole ledger into a file, or prints it. */
export async function dumpLedger(file: string | undefined, flags: ControlFlags, command: Command): Promise<void> {
  const { state } = await ask(flags, { action: 'devnet_dump' })
  const text = `${JSON.stringify(state, null, 2)}\n`
  if (file === undefined) return void process.stdout.write(text)
  writePrivateFile(file, text)
  print({ file }, flags, command)
}

/** Replaces the running ledger by the one in a file. */
export async function loadLedger(file: string, flags: ControlFlags, command: Command): Promise<void> {
  const state: unknown = JSON.parse(readFileSync(file, 'utf8'))
  print(await ask(flags, { action: 'devnet_load', state }), flags, command)
}

async function ask({ url = findLedger() }: ControlFlags, body: Record<string, unknown>): Promise<NodeAnswer> {
  const answer = await callNode(url, body)
  if (typeof answer.error === 'string') throw new Error(answer.error)
  return answer
}

function print(answer: NodeAnswer, flags: ControlFlags, command: Command): void {
  // The parent command also has --json and takes it first.
  if (flags.json ?? command.optsWithGlobals<ControlFlags>().json) return console.log(JSON.stringify(answer))
  const lines = Object.entries(answer).map(([name, value]) =>
    name === 'success' ? 'Done.' : `${name}: ${Array.isArray(value) ? value.join('\n  ') : String(value)}`,
  )
  console.log(lines.join('\n'))
}

/** Asks a running ledger to send from its genesis account. */
export async function fundAccount(
  address: string,
  nano: string,
  flags: { url?: string; json?: boolean },
  command: Command,
): Promise<void> {
  // The parent command also has --json and takes it first.
  const json = flags.json ?? command.optsWithGlobals<{ json?: boolean }>().json ?? false
  if (!isAddress(address)) throw new Error(`${address} is not a Nano address.`)
  if (parseNano(nano) === undefined) throw new Error(`“${nano}” is not a valid amount of nano.`)
  const url = flags.url ?? findLedger()
  const answer = await callNode(url, { action: 'devnet_fund', account: address, amount_nano: nano })
  if (typeof answer.error === 'string') throw new Error(refusedFund(url, answer.error))
  const hash = String(answer.hash)
  const confirmed = await waitForConfirmation(url, hash)
  if (json) console.log(JSON.stringify({ address, amount_nano: nano, hash, confirmed, ledger: url }))
  else console.log(`Sent ${nano} nano to ${address}\nBlock ${hash}${confirmed ? '' : ', not confirmed yet'}`)
}

/** Only a development ledger knows this action, so something else answers at `url`. */
const refusedFund = (url: string, error: string) =>
  /^(Bad action|Unknown command)/.test(error)
    ? `${url} is not a development ledger. Its own address is printed at the start as “Node”; without --url that of DATA_DIR is used.`
    : error

/**
 * Waits this long for the confirmation, so that the developer can use the money at once. It may never come: the ledger
 * may be holding blocks back.
 */
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

/** The ledger of the gateway that uses DATA_DIR, else the one on the usual port. */
export function findLedger(): string {
  const file = join(loadConfig().dataDir, 'devnet.json')
  if (!existsSync(file)) return 'http://127.0.0.1:7076'
  return (JSON.parse(readFileSync(file, 'utf8')) as { rpc: string }).rpc
}
