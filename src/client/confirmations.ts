import type { Connection } from './call.ts'
import { ConfirmationSocket, type Frame, type SocketClass } from './confirmation-socket.ts'
import { GatewayError } from './gateway-error.ts'
import { type Mark, MissedConfirmations } from './missed-confirmations.ts'
import { backOff, rest } from './rest.ts'

export interface Confirmation {
  hash: string
  /** Whose block it is. */
  account: string
  /** In raw. */
  amount: bigint
  block: Record<string, unknown>
  /** Told from the ledger, because it was confirmed while there was no connection. */
  missed: boolean
}

export interface ConfirmationOptions {
  /** Blocks of these accounts, and sends to them; otherwise of all, and then nothing is caught up with. */
  accounts?: readonly string[] | undefined
  /** Ends it. */
  signal?: AbortSignal | undefined
}

const SEEN_MAX = 20_000
/** After so many the ledger is looked at again, so that there is never far to go back. */
const MARK_EVERY = 5_000

/**
 * Confirmations as they happen. A connection that breaks is made again, and what was confirmed meanwhile is read from the
 * ledger: each block of the accounts is reported once.
 */
export async function* confirmationsOf(
  connection: Connection,
  Socket: SocketClass | undefined,
  { accounts, signal }: ConfirmationOptions = {},
): AsyncGenerator<Confirmation, void, undefined> {
  if (!Socket)
    throw new GatewayError('This runtime has no WebSocket; give createGateway one.', { code: 'no_websocket' })
  const url = `${connection.url.replace(/^http/, 'ws')}/ws`
  const seen = new Seen()
  const missed = new MissedConfirmations(connection)
  const marks = new Map<string, Mark>()
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted()
    const socket = new ConfirmationSocket(Socket, url, accounts)
    const close = () => socket.close()
    signal?.addEventListener('abort', close)
    try {
      if (await socket.ready()) {
        for await (const each of catchUp(missed, marks, accounts ?? [])) if (seen.isNew(each.hash)) yield each
        failures = 0
        for (let told = 1; told <= MARK_EVERY; told++) {
          const frame = await socket.next()
          if (!frame) break
          if (seen.isNew(frame.hash)) yield fromFrame(frame)
        }
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (!isPassing(error)) throw error
    } finally {
      signal?.removeEventListener('abort', close)
      socket.close()
    }
    await rest(backOff(failures), signal)
  }
}

/** Failures that pass without a change: no server there, too much asked, a node away. */
const isPassing = (error: unknown) =>
  error instanceof GatewayError && (error.status === 0 || error.status === 429 || error.status >= 500)

/** The first time it only remembers where everything stands. */
async function* catchUp(missed: MissedConfirmations, marks: Map<string, Mark>, accounts: readonly string[]) {
  for (const account of accounts) {
    const [from, to] = [marks.get(account), await missed.mark(account)]
    const blocks = from ? await missed.between(account, from, to) : []
    for (const block of blocks) yield { ...block, missed: true }
    marks.set(account, to)
  }
}

const fromFrame = ({ hash, account, amount, block = {} }: Frame): Confirmation => ({
  hash,
  account,
  amount: BigInt(amount),
  block,
  missed: false,
})

/** The last so many hashes. */
class Seen {
  readonly #hashes = new Set<string>()

  isNew(hash: string): boolean {
    if (this.#hashes.has(hash)) return false
    this.#hashes.add(hash)
    if (this.#hashes.size > SEEN_MAX) this.#hashes.delete(this.#hashes.values().next().value!)
    return true
  }
}
