import { AppError } from './errors.ts'

/**
 * Where something can fail without a caller that waits for its outcome, and what is at stake. Each is a label of a metric and a
 * line in docs/operating.md.
 */
export const FAILURES = {
  process: 'money',
  'jobs.money': 'money',
  'jobs.other': 'service',
  'jobs.queue': 'money',
  'wallets.pass': 'money',
  'checkout.monitor': 'money',
  'checkout.rate': 'money',
  'checkout.refunds': 'money',
  'links.subscriptions': 'service',
  'checkout.stream': 'service',
  'credits.spend': 'money',
  'email.follow': 'money',
  'webhooks.secret': 'money',
  'watches.monitor': 'money',
  'watches.floor': 'money',
  'x402.state': 'money',
  'once.answer': 'money',
  'swap.provider': 'service',
  'names.book': 'service',
  'accounts.usage': 'service',
  'confirmations.listener': 'money',
  'notices.listener': 'money',
  'node.contest': 'service',
  'ledger.embedded': 'service',
  'store.ledger': 'money',
  'traces.export': 'service',
} as const satisfies Record<string, 'money' | 'service'>

/** What may get lost, and why that does no harm. It is counted all the same: many of them are a sign. */
export const LOSSES = {
  'wallets.lease': 'A lease that is not renewed or given back runs out by itself, and nothing is signed without it.',
  'x402.lease': 'A lease that is not renewed or given back runs out by itself.',
  'x402.offer': 'A price that is not kept can be paid only until it changes.',
  'x402.remote': 'Our own node is asked, whatever the facilitator has said.',
  'x402.voters': 'Voters who were not asked may confirm a block all the same; we go on looking.',
  'webhooks.previous-secret': 'The secret that took its place signs.',
  'credits.release': 'Credits that stay set aside return by themselves.',
  'credits.free': 'A free use that stays counted is forgotten with its stretch of time.',
  'once.key': 'A key that stays taken is free again after a while.',
  'jobs.lease': 'A claim that is not renewed runs out, and the job is taken again.',
  'accounts.requests': 'It only says what was asked; every answer was given.',
  'accounts.last-used': 'It only says when a key was last used.',
  'accounts.session-secret': 'A secret that cannot be read is made anew; whoever it has signed in signs in again.',
  'work.ready': 'Work that is not kept can be found again.',
  'work.ahead': 'Work that is not found beforehand is searched for when somebody needs it.',
  'work.cancel': 'A peer that was not told searches on for nobody, and ends by itself.',
  'node.republish': 'One node has taken the block; what the others say changes nothing.',
  'node.lookup': 'A node that does not answer counts as not having the block.',
  'confirmations.catch-up': 'Whoever listens also looks for itself.',
  'live.tell':
    'A page of the dashboard that was not told shows what is new when something else changes, or when it is read.',
  'notices.send': 'Whoever does not hear of something finds it by looking.',
  'notices.strange': 'Somebody else uses the channel.',
  'store.connection': 'A connection that breaks is replaced; what was under way on it fails by itself.',
  'processes.link':
    'While a front does not hear the owner it remembers nothing, and says 503 to what only the owner can do.',
  'limits.connection': 'While Redis is away each gateway grants its share, and says so.',
  'clock.follow': 'Until the clock we follow is back, ours goes on counting.',
  'metrics.gauge': 'A number that cannot be read is left out, and the others are shown.',
} as const satisfies Record<string, string>

export type FailurePlace = keyof typeof FAILURES
export type LossPlace = keyof typeof LOSSES

/** What an operator needs to find it again; never anything secret. */
export interface FailureIds {
  walletId?: string
  paymentId?: string
  checkoutId?: string
  refundId?: string
  subscriptionId?: string
  eventId?: string
  endpointId?: string
  hash?: string
  job?: string
  jobId?: string
  doing?: string
}

/**
 * The one mouth of failure: what fails in the background is told here, once. Both answer what a `catch` takes, so that
 * no error can be dropped on the way.
 */
export interface Failures {
  /** Told and counted. Where money is at stake and nothing outside is to blame, the operator is alarmed. */
  failed(place: FailurePlace, ids?: FailureIds): (error: unknown) => undefined
  /** Does no harm, for the reason in the table. */
  lost(place: LossPlace): (error: unknown) => undefined
}

const CAUSES_MAX = 5
/** Of sockets, and of PostgreSQL when it goes, is gone, is full of connections or lets one of two wait for the other. */
const AWAY_CODES = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08|40P?0|53300|57P)/
const AWAY_WORDS = /^(Connection terminated|The store does not answer|database is locked)/

/** Whether another service is away: a node, the store, a source of work. It passes by itself and has alarms of its own. */
export function isOutage(error: unknown): boolean {
  let at = error
  for (let depth = 0; at instanceof Error && depth < CAUSES_MAX; depth++, at = at.cause) {
    if (at instanceof AppError && at.status >= 502) return true
    if ('code' in at && AWAY_CODES.test(String(at.code))) return true
    if (AWAY_WORDS.test(at.message)) return true
  }
  return false
}
