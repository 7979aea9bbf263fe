import type { Clock, Confirmation, ConfirmationBus, Notices } from '../../kernel/ports.ts'

const DEAF = 'deaf'
const CONFIRMATION = 'confirmation'
/** How often an instance without its own stream announces that, and for how long the others believe it. */
const SAY_EVERY = 5_000
const BELIEVED_FOR = 15_000
/** Most shared confirmations per second, to protect the store; pollers find the rest. */
const PER_SECOND_MAX = 200
/** PostgreSQL refuses notices of 8000 bytes or more. */
const BYTES_MAX = 7_000

interface SharingOptions {
  instance: string
  bus: ConfirmationBus
  notices: Notices
  clock: Clock
  /** Handles a confirmation that another instance has received. */
  receive(confirmation: Confirmation): void
}

/**
 * Instances that receive no confirmations get them from those that do. Every instance that receives them repeats them
 * while another one announces that it receives none.
 */
export function shareConfirmations({ instance, bus, notices, clock, receive }: SharingOptions): () => void {
  let othersDeafUntil = 0
  let second = 0
  let repeated = 0
  let ended = false
  let cancel: () => void = () => undefined
  const sayDeaf = () => {
    cancel()
    if (bus.connected || ended) return
    notices.publish(DEAF, instance)
    cancel = clock.after(SAY_EVERY, sayDeaf)
  }
  const mayReport = () => {
    const now = Math.floor(clock.now() / 1_000)
    if (now !== second) {
      second = now
      repeated = 0
    }
    return ++repeated <= PER_SECOND_MAX
  }
  const endings = [
    notices.subscribe(DEAF, (who) => {
      if (who !== instance) othersDeafUntil = clock.now() + BELIEVED_FOR
    }),
    notices.subscribe(CONFIRMATION, (text) => {
      const confirmation = bus.connected ? undefined : parse(text)
      if (confirmation) receive(confirmation)
    }),
    bus.listen((confirmation) => {
      if (!bus.connected || clock.now() >= othersDeafUntil || !mayReport()) return
      const text = JSON.stringify(confirmation)
      if (Buffer.byteLength(text) <= BYTES_MAX) notices.publish(CONFIRMATION, text)
    }),
  ]
  bus.onGap(sayDeaf)
  sayDeaf()
  return () => {
    ended = true
    cancel()
    for (const end of endings) end()
  }
}

function parse(text: string): Confirmation | undefined {
  try {
    return JSON.parse(text) as Confirmation
  } catch {
    // Not JSON, perhaps from another version. The nodes will report the block as well.
    return undefined
  }
}
