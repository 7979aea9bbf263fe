import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { callNode } from '../infra/node/call-node.ts'
import { writePrivateFile } from '../infra/private-files.ts'
import type { NodeAnswer } from '../kernel/ports.ts'
import { findLedger } from './find-ledger.ts'

export interface ControlFlags {
  url?: string
  json?: boolean
}

/** Puts a control to a running ledger and prints what it says. */
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

/** Puts the ledger of a file in the place of the running one. */
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
  // The parent command knows --json too and takes it first.
  if (flags.json ?? command.optsWithGlobals<ControlFlags>().json) return console.log(JSON.stringify(answer))
  const lines = Object.entries(answer).map(([name, value]) =>
    name === 'success' ? 'Done.' : `${name}: ${Array.isArray(value) ? value.join('\n  ') : String(value)}`,
  )
  console.log(lines.join('\n'))
}
