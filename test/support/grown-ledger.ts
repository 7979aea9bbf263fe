import type { TestContext } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import { NO_WORK, Signer, frontierAfter, frontierOf, lay, nano, openAccount } from './blocks.ts'
import { openDevnet } from './devnet.ts'

export interface GrownLedger {
  current: Devnet
  /** The same ledger some blocks earlier: every account has changed since. */
  older: Devnet
  signers: Signer[]
  /** Hashes of all blocks; the older copy lacks the last third. */
  hashes: string[]
}

/** A ledger with some accounts that sent, received and changed representative, and an earlier copy. */
export async function growLedger(t: TestContext, accounts = 8): Promise<GrownLedger> {
  const current = await openDevnet(t, { thresholds: NO_WORK })
  const older = await openDevnet(t, { thresholds: NO_WORK })
  const signers = Array.from({ length: accounts }, (_, index) => new Signer(index))
  const hashes: string[] = []
  for (const signer of signers) {
    await openAccount(older.node, signer, nano(100))
    hashes.push(await openAccount(current.node, signer, nano(100)))
  }
  for (const [at, signer] of signers.entries()) {
    const next = signers[(at + 1) % accounts]!
    const frontier = frontierOf(current.node, signer.key)
    const received = signer.send(frontier, next.key, nano(at + 1))
    hashes.push(await lay(current.node, received))
    // The second one stays receivable.
    hashes.push(await lay(current.node, signer.send(frontierAfter(received), next.key, nano(1))))
    const receive = next.receive(frontierOf(current.node, next.key), hashes.at(-2)!, nano(at + 1))
    await lay(current.node, receive)
    await lay(current.node, next.change(frontierAfter(receive), signer.key))
  }
  return { current, older, signers, hashes }
}
