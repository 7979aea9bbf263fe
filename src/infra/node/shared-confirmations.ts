import type { Clock, Confirmation, ConfirmationBus, Notices } from '../../kernel/ports.ts'

const DEAF = 'deaf'
const CONFIRMATION = 'confirmation'
/** How often an instance without a node's stream announces that, and for how long others rely on it. */
const SAY_EVERY = 5_000
const BELIEVED_FOR = 15_000
/** Most confirmations that are shared in a second, to protect the store; beyond that, pollers must do. */
const PER_SECOND_MAX = 200
/** PostgreSQL refuses notices of 8000 bytes. */
const BYTES_MAX = 7_000

interface SharingOptions {
  /** Identifies this instance. */
  instance: string
  bus: ConfirmationBus
  notices: Notices
  clock: Clock
  /** Takes what another instance has received. */
  receive(confirmation: Confirmation): void
}

/**
 * Instances that receive no confirmations get them from those that do. No instance is asked in particular: each one that receives
 * them repeats them for as long as another announces that it receives none.
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
    // Not JSON: perhaps from another version. The nodes will report the block as well.
    return undefined
  }
}
