import { inTx } from '../../../kernel/in-tx.ts'
import { formatNano } from '../../../kernel/money.ts'
import type { LedgerSend } from '../../../kernel/nano/ledger-send.ts'
import { recordEvent } from '../domain/record-event.ts'
import { wantsKind } from '../endpoints/fan-out.ts'
import { endpoints } from '../endpoints/endpoint.ts'
import type { AddressKind } from './event-kinds.ts'
import { dedupeKeyOf, markStep } from './looks-store.ts'
import type { WatchContext } from './context.ts'
import type { Floor, Watch } from './watch.ts'

export interface Happening {
  type: AddressKind
  send: LedgerSend
}

/**
 * Records the events of an address, in this order, together with the floor that follows: a crash undoes both, and an instance whose lease has
 * ended records neither. Returns the watch as it is now; undefined when another instance has it, or it is gone.
 */
export async function reportAll(
  context: WatchContext,
  watch: Watch,
  { happenings, floor }: { happenings: readonly Happening[]; floor: Floor },
): Promise<Watch | undefined> {
  return inTx(context, async (tx) => {
    const endpoint = await endpoints.find(tx.db, watch.endpointId)
    const wanted = endpoint ? happenings.filter(({ type }) => wantsKind(endpoint, type)) : []
    const activeAt = happenings.length > 0 ? tx.clock.now() : watch.activeAt
    const after = { ...watch, ...floor, told: watch.told + wanted.length, activeAt }
    if (!(await markStep(tx.db, watch, after))) return undefined
    for (const [at, { type, send }] of wanted.entries()) {
      const id = tx.ids.next('evt')
      const { accountId, endpointId, address } = watch
      const sequence = watch.told + at + 1
      await recordEvent(tx, {
        id,
        accountId,
        subject: address,
        type,
        dedupeKey: dedupeKeyOf(endpointId, send.hash),
        body: JSON.stringify({
          id,
          type,
          created_unix: Math.floor(tx.clock.now() / 1000),
          endpoint: endpointId,
          hash: send.hash,
          account: address,
          source: send.from,
          destination: send.to,
          amount: formatNano(send.amountRaw),
          amount_raw: send.amountRaw.toString(),
          confirmed: 'true',
          sequence,
        }),
        url: null,
        secret: null,
        endpointId,
      })
    }
    return after
  })
}
