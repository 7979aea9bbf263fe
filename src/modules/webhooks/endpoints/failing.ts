import { actorOf } from '../../../kernel/actor.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import type { Mail } from '../../../kernel/ports.ts'
import { findAccount, insertAudit, listDevelopers } from '../../accounts/index.ts'
import type { DueDelivery } from '../due-store.ts'
import { PING, withoutQuery } from '../store.ts'
import type { Endpoint } from './endpoint.ts'
import { markDisabled, markFailing, markReached } from './store.ts'

const FAILING_MAX = 5 * 86_400_000

interface Outcome {
  due: DueDelivery
  /** What went wrong; null after a success. */
  error: string | null
  /** Whether anything was sent: a failure before that says nothing about the receiver. */
  isSent: boolean
}

/**
 * Records what attempts show about their endpoints, in the transaction that settles them. An endpoint whose deliveries have all failed for
 * five days, or that answers 410 Gone, is disabled, and its developers are notified once. A test can prove that an endpoint works, but
 * not that it does not.
 */
export async function noteOutcomes(tx: StoreCtx, outcomes: readonly Outcome[]): Promise<void> {
  const byEndpoint = Map.groupBy(
    outcomes.filter(({ due, isSent }) => isSent && due.endpoint !== undefined),
    ({ due }) => due.endpoint!.id,
  )
  // Always in the same order, so that two transactions cannot deadlock.
  for (const id of [...byEndpoint.keys()].sort()) await noteOne(tx, id, byEndpoint.get(id)!)
}

async function noteOne(tx: StoreCtx, id: string, outcomes: readonly Outcome[]): Promise<void> {
  const now = tx.clock.now()
  if (outcomes.some(({ error }) => error === null)) return markReached(tx.db, [id])
  const real = outcomes.filter(({ due }) => due.type !== PING)
  const [first] = real
  if (!first) return
  if (real.some(({ error }) => error === 'gone')) return notify(tx, await markDisabled(tx.db, { id, reason: 'gone' }))
  const { failingSince } = first.due.endpoint!
  if (failingSince === null) return markFailing(tx.db, id, now)
  const failingBefore = now - FAILING_MAX
  if (failingSince <= failingBefore) {
    await notify(tx, await markDisabled(tx.db, { id, reason: 'failing', failingBefore }))
  }
}

async function notify(tx: StoreCtx, endpoint: Endpoint | undefined): Promise<void> {
  if (!endpoint) return
  const { id, accountId, disabledReason: reason } = endpoint
  await insertAudit(tx, {
    actor: actorOf.service('service'),
    accountId,
    what: 'endpoint.disabled',
    detail: { id, reason },
  })
  for (const recipient of await recipientsOf(tx, accountId)) {
    const mail: Mail = { id: tx.ids.next('mail'), recipient, ...toLetter(endpoint) }
    await enqueue(tx, { kind: 'mail.send', payload: mail, key: mail.id })
  }
}

/** The account's developers, otherwise its owners, otherwise its own address. */
async function recipientsOf({ db }: StoreCtx, accountId: string): Promise<Set<string>> {
  const people = await listDevelopers(db, accountId)
  if (people.length > 0) return new Set(people.map(({ email }) => email))
  const account = await findAccount(db, accountId)
  const email = account?.email ?? null
  return new Set(email === null ? [] : [email])
}

function toLetter({ id, url, disabledReason }: Endpoint): Pick<Mail, 'subject' | 'text'> {
  const why = disabledReason === 'gone' ? 'It answered 410 Gone.' : 'All deliveries to it failed for five days.'
  return {
    subject: 'A webhook endpoint was disabled',
    text: [
      `We stopped sending events to ${withoutQuery(url)} (${id}).`,
      why,
      'Your events are kept. Once the endpoint works again, enable it under Webhooks in the dashboard and replay what it missed.',
    ].join('\n\n'),
  }
}
