import { checkEvents, countEach } from './check-events.ts'
import { type AskedLapse, type Made, isPaid } from './made.ts'
import type { ChaosWorld } from './world.ts'

/**
 * The allowed final states of a checkout with an early end. A payment that reached the ledger before the end must count; for others both outcomes are
 * allowed.
 */
export function fatesOf({ paidBy, paidAt, endsAt, wasOver }: Omit<AskedLapse, 'id'>): ('paid' | 'late' | 'unpaid')[] {
  if (paidBy === undefined) return ['unpaid']
  if (wasOver) return ['late']
  return paidAt! <= endsAt ? ['paid'] : ['paid', 'late']
}

const ENDS = {
  paid: { status: 'complete', additional_status: 'none' },
  late: { status: 'expired', additional_status: 'paid_late' },
  unpaid: { status: 'expired', additional_status: 'none' },
} as const

type Fate = keyof typeof ENDS

/** The final state of each in the store; undefined if it is in none. */
async function readFates({ store: { db } }: Pick<ChaosWorld, 'store'>, { lapses }: Made) {
  const rows = await db.selectFrom('checkouts').select(['id', 'status', 'additional_status']).execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return lapses.map((lapse) => {
    const row = byId.get(lapse.id)
    const fits = (fate: Fate) =>
      row?.status === ENDS[fate].status && row.additional_status === ENDS[fate].additional_status
    return { lapse, row, fate: fatesOf(lapse).find(fits) }
  })
}

/** Those that were paid in time. */
export async function listPaidLapses(world: Pick<ChaosWorld, 'store'>, made: Made): Promise<AskedLapse[]> {
  return (await readFates(world, made)).flatMap(({ lapse, fate }) => (fate === 'paid' ? [lapse] : []))
}

export async function countOpenLapses(world: ChaosWorld, made: Made): Promise<number> {
  return (await readFates(world, made)).filter(({ fate }) => fate === undefined).length
}

/** Each must end once, as its payment came in time, too late or never, and its shop must be notified once. */
export async function checkLapses(world: ChaosWorld, made: Made): Promise<string[]> {
  const fates = await readFates(world, made)
  const wrong = fates.flatMap(({ lapse, row, fate }) =>
    fate === undefined
      ? [
          `checkout ${lapse.id} is ${row?.status}, ${row?.additional_status}, and must be ${fatesOf(lapse).join(' or ')}`,
        ]
      : [],
  )
  const idsOf = (wanted: readonly (Fate | undefined)[]) =>
    countEach(fates.flatMap(({ lapse, fate }) => (wanted.includes(fate) ? [lapse.id] : [])))
  const late = await world.store.db
    .selectFrom('checkout_payments')
    .select('block_hash')
    .where('owner', '=', world.accountId)
    .where('kind', '=', 'late')
    .execute()
  const paidLate = fates.flatMap(({ lapse, fate }) => (fate === 'late' && isPaid(lapse) ? [lapse.paidBy!] : []))
  const credited = late.map(({ block_hash: hash }) => hash)
  if (credited.sort().join() !== paidLate.sort().join()) {
    wrong.push(`${credited.length} payments were noted as late, not the ${paidLate.length} that were`)
  }
  return [
    ...wrong,
    ...(await checkEvents(world, 'checkout.expired', idsOf(['late', 'unpaid']))),
    ...(await checkEvents(world, 'payment.late', idsOf(['late']))),
  ]
}
