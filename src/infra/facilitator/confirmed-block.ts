import type { Failures } from '../../kernel/failures.ts'
import type { LedgerSend } from '../../kernel/nano/ledger-send.ts'
import type { Clock, ConfirmationBus, NodePort } from '../../kernel/ports.ts'

const FIRST_LOOK = 500
const LOOK_EVERY = 1_000
/** A block without votes is brought to the voters' attention, once. */
const ASK_VOTERS_AFTER = 5_000

interface Ledger {
  node: NodePort
  clock: Clock
  confirmations: ConfirmationBus
  failures: Failures
}

interface Wait {
  /** In milliseconds since 1970; at least one look is taken, however late it is. */
  deadline: number
  /** Whether a block that is not there is waited for. */
  expected: boolean
}

/**
 * Waits until a block is confirmed. The confirmation stream wakes it at once, looks at the ledger find what the stream
 * has lost; a node that fails for a moment is asked again.
 */
export async function confirmedBlock(
  { node, clock, confirmations, failures }: Ledger,
  hash: string,
  { deadline, expected }: Wait,
): Promise<LedgerSend | 'unconfirmed' | 'absent'> {
  const startedAt = clock.now()
  let heard = false
  let wake: () => void = () => undefined
  // Listening begins before the first look, or what is confirmed between the two would not be heard.
  const stop = confirmations.listen((confirmation) => {
    if (confirmation.hash !== hash) return
    heard = true
    wake()
  })
  try {
    let asked = false
    for (let pause = FIRST_LOOK; ; pause = LOOK_EVERY) {
      heard = false
      const seen = await look(node, hash)
      if (seen === 'absent' && !expected) return 'absent'
      if (typeof seen === 'object' && seen.isFinal) return seen
      const now = clock.now()
      if (now >= deadline) return seen === 'absent' ? 'absent' : 'unconfirmed'
      if (!asked && now - startedAt >= ASK_VOTERS_AFTER) {
        asked = true
        node.read('block_confirm', { hash }).catch(failures.lost('x402.voters'))
      }
      if (!heard) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(Math.min(pause, deadline - now), resolve)
          wake = () => {
            cancel()
            resolve()
          }
        })
      }
    }
  } finally {
    stop()
  }
}

async function look(node: NodePort, hash: string): Promise<LedgerSend | 'absent' | 'unknown'> {
  try {
    return (await node.readSends([hash])).get(hash) ?? 'absent'
  } catch {
    return 'unknown'
  }
}
