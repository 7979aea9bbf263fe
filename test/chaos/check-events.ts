import type { ChaosWorld } from './world.ts'

/** Checks that each checkout has the expected number of events of a type, in the store and at the shop, and that no others have any. */
export async function checkEvents(
  { store: { db }, receiver, accountId }: Pick<ChaosWorld, 'store' | 'receiver' | 'accountId'>,
  type: string,
  expected: ReadonlyMap<string, number>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('subject')
    .where('account_id', '=', accountId)
    .where('type', '=', type)
    .execute()
  const recorded = Map.groupBy(rows, ({ subject }) => subject)
  const told = receiver.told(type)
  const wrong: string[] = []
  for (const id of new Set([...expected.keys(), ...recorded.keys(), ...told.keys()])) {
    const due = expected.get(id) ?? 0
    const count = recorded.get(id)?.length ?? 0
    if (count !== due) wrong.push(`checkout ${id} has ${count} events of ${type} and not ${due}`)
    const heard = told.get(id)?.length ?? 0
    if (heard !== due) wrong.push(`the shop was told ${heard} events of ${type} of checkout ${id} and not ${due}`)
  }
  return wrong
}

/** How often each id occurs. */
export function countEach(ids: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
