import { type Command, Option } from 'commander'
import type { ControlFlags } from './devnet-control.ts'

interface Flags extends ControlFlags {
  unix?: string
  advance?: string
  end?: boolean
  winsAfterMs?: string
  ms?: string
  count?: string
}

const controls = () => import('./devnet-control.ts')

export function addDevnetCommands(devnet: Command): void {
  const add = (name: string, description: string) =>
    devnet
      .command(name)
      .description(description)
      .option('--url <url>', 'RPC address of the ledger; by default that of the gateway in DATA_DIR, else port 7076')
      .option('--json', 'print JSON')
  const run = async (action: string, fields: object, flags: Flags, command: Command) =>
    (await controls()).runControl(action, fields as Record<string, string>, flags, command)
  /** A control without fields. */
  const plain = (name: string, description: string) =>
    add(name, description).action((flags: Flags, command: Command) => run(name, {}, flags, command))
  /** A control of one block. */
  const ofBlock = (name: string, description: string) =>
    add(name, description)
      .argument('<hash>', 'hash of the block')
      .action((hash: string, flags: Flags, command: Command) => run(name, { hash }, flags, command))

  plain('snapshot', 'save the state of the ledger; prints the id of the snapshot')
  add('revert', 'return the ledger to a snapshot')
    .argument('<id>', 'id printed by snapshot')
    .option('--end', 'discard the snapshot afterwards')
    .action((id: string, { end, ...flags }: Flags, command: Command) =>
      run('revert', { id, ...(end && { end: 'true' }) }, flags, command),
    )
  plain('reset', 'return to the genesis; removes every block, snapshot and setting')
  add('set-time', 'set or advance the clock of the ledger')
    .addOption(new Option('--unix <seconds>', 'seconds since 1970').conflicts('advance'))
    .option('--advance <seconds>', 'seconds to move forward')
    .action(({ unix, advance, ...flags }: Flags, command: Command) =>
      run('set_time', { unix, advance }, flags, command),
    )
  add('impersonate', 'accept blocks of an account without a valid signature')
    .argument('<address>', 'the account')
    .option('--end', 'require signatures again')
    .action((account: string, { end, ...flags }: Flags, command: Command) =>
      run('impersonate', { account, ...(end && { end: 'true' }) }, flags, command),
    )
  plain('hold', 'leave new blocks unconfirmed')
  plain('release', 'confirm all waiting blocks, and new blocks as usual')
  ofBlock('confirm', 'confirm a block and its dependencies')
  ofBlock('drop', 'remove an unconfirmed block and everything built on it')
  ofBlock('rollback', 'undo a block, confirmed or not, and everything built on it')
  add('fork-block', 'create a rival of an unconfirmed block; the rival is confirmed')
    .argument('<hash>', 'hash of the block')
    .option('--wins-after-ms <milliseconds>', 'when it wins (default: immediately)')
    .action((hash: string, { winsAfterMs, ...flags }: Flags, command: Command) =>
      run('fork_block', { hash, wins_after_ms: winsAfterMs }, flags, command),
    )
  add('fault', 'make an action fail; --count 0 ends the fault')
    .argument('<target>', 'an action, * for all of them, or websocket')
    .argument('[kind]', 'delay, error, drop (done, but never answered) or lag (answered from the past)')
    .option('--ms <milliseconds>', 'delay or lag in milliseconds')
    .option('--count <number>', 'how many times (default: until ended)')
    .action((target: string, kind: string | undefined, { ms, count, ...flags }: Flags, command: Command) =>
      run('fault', { target, kind, ms, count }, flags, command),
    )
  add('resync', 'give every block the same time, as on a node that has just fetched the ledger')
    .argument('[timestamp]', 'unix seconds (default: now)')
    .action((timestamp: string | undefined, flags: Flags, command: Command) =>
      run('resync', { timestamp }, flags, command),
    )
  add('dump', 'write the whole ledger as text, for load and --state')
    .argument('[file]', 'target file (default: print it)')
    .action(async (file: string | undefined, flags: Flags, command: Command) =>
      (await controls()).dumpLedger(file, flags, command),
    )
  add('load', 'replace the running ledger with a dumped one')
    .argument('<file>', 'file written by dump')
    .action(async (file: string, flags: Flags, command: Command) => (await controls()).loadLedger(file, flags, command))
}
