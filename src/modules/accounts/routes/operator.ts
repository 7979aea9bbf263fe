import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { type Actor } from '../../../kernel/actor.ts'
import { type AccountRequest, type Reply, canBeId } from '../../../kernel/route.ts'
import { type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { requireUnbound } from '../../../kernel/rights.ts'
import { adjustCredits, readCredits } from '../domain/credits.ts'
import {
  readAdjustment,
  readReason,
  readStanding,
  resumeAccount,
  setStanding,
  signOutPeople,
  suspendAccount,
} from '../domain/change-standing.ts'
import { key as keyView, knownAccount, listedAccount } from '../answers.ts'
import { accountNotFound } from '../errors.ts'
import { findAccount, listAccounts, listKeys } from '../store.ts'

const { text, bool, integer, list, record, words, optional, orNull } = answer
const LISTED_MAX = 200
const SEARCH_LENGTH_MAX = 100

interface OperatorPorts {
  store: StoreCtx
  announceStanding(accountId: string): void
}

const KNOWN = record({
  account: knownAccount.schema,
  credits: integer,
  plan: words('free', 'prepaid'),
  keys: list(keyView.schema),
})
const place = { tag: 'admin', scope: 'keys', who: 'administrator' } as const
const reasoned = (reason: string) => ({ schema: record({ reason: text }), example: { reason } })

async function find({ store }: OperatorPorts, id: string) {
  const account = canBeId(id) ? await findAccount(store.db, id) : undefined
  if (!account) throw accountNotFound()
  return account
}

async function show(ports: OperatorPorts, id: string): Promise<Reply> {
  const { store } = ports
  const account = knownAccount.show(await find(ports, id))
  const { credits, plan } = await readCredits(store, id)
  const keys = await listKeys(store.db, id, LISTED_MAX)
  return { json: { account, credits, plan, keys: keys.map((key) => keyView.show(key, store.clock.now())) } }
}

/** A route that changes an account and then returns it. */
const change = (
  described: Pick<Described, 'method' | 'path' | 'id' | 'summary' | 'body' | 'once' | 'refuses'>,
  run: (store: StoreCtx, who: { accountId: string; actor: Actor }, request: AccountRequest) => Promise<unknown>,
): ApiRoute<OperatorPorts> => ({
  ...place,
  ...described,
  proof: true,
  answer: KNOWN,
  async run(ports, request) {
    // Otherwise a limited key could lift its own limits.
    requireUnbound(request.caller)
    const { id: accountId } = await find(ports, request.params.id!)
    await run(ports.store, { accountId, actor: request.caller.actor }, request)
    ports.announceStanding(accountId)
    return show(ports, accountId)
  },
})

const routes: readonly ApiRoute<OperatorPorts>[] = [
  {
    ...place,
    method: 'get',
    path: '/api/accounts',
    id: 'listAccounts',
    summary: 'The newest accounts.',
    query: [{ name: 'search', schema: text, description: 'An id, or part of an email address.' }],
    answer: record({ accounts: list(listedAccount.schema) }),
    async run({ store }, { query }) {
      const search = typeof query.search === 'string' ? query.search.trim().slice(0, SEARCH_LENGTH_MAX) : ''
      const accounts = await listAccounts(store.db, LISTED_MAX, search)
      return { json: { accounts: accounts.map(listedAccount.show) } }
    },
  },
  {
    ...place,
    method: 'get',
    path: '/api/accounts/{id}',
    id: 'getKnownAccount',
    summary: 'One account: its state, credits and keys.',
    answer: KNOWN,
    run: (ports, { params }) => show(ports, params.id!),
  },
  change(
    {
      method: 'post',
      path: '/api/accounts/{id}/suspend',
      id: 'suspendAccount',
      summary:
        'Suspend an account: its keys and sessions stop working. Payments to its checkouts are still recorded and reported.',
      body: reasoned('The invoice of May is open.'),
      refuses: [409],
    },
    (store, who, { body }) => suspendAccount(store, { ...who, reason: readReason(body()) }),
  ),
  change(
    {
      method: 'post',
      path: '/api/accounts/{id}/resume',
      id: 'resumeAccount',
      summary: 'Resume a suspended account.',
      body: reasoned('Paid.'),
      refuses: [409],
    },
    (store, who, { body }) => resumeAccount(store, { ...who, reason: readReason(body()) }),
  ),
  change(
    {
      method: 'post',
      path: '/api/accounts/{id}/sign-out',
      id: 'signOutAccount',
      summary: 'End every session of an account. Its keys stay.',
    },
    signOutPeople,
  ),
  change(
    {
      method: 'put',
      path: '/api/accounts/{id}/standing',
      id: 'setStanding',
      summary:
        'Set limits and features of one account; null restores the default of the settings, and omitted fields stay.',
      body: {
        schema: record({
          per_minute: optional(orNull(integer)),
          concurrency: optional(orNull(integer)),
          features: optional(
            record({ generated_wallets: optional(orNull(bool)), wallet_sends: optional(orNull(bool)) }),
          ),
        }),
        example: { per_minute: 6000, features: { generated_wallets: true } },
      },
    },
    (store, who, { body }) => setStanding(store, { ...who, wanted: readStanding(body()) }),
  ),
  change(
    {
      method: 'post',
      path: '/api/accounts/{id}/credits',
      id: 'adjustCredits',
      summary: 'Grant credits, or take them with a negative amount.',
      body: {
        schema: record({ amount: integer, reason: text }),
        example: { amount: 1000, reason: 'An outage in May.' },
      },
      once: true,
      refuses: [409],
    },
    (store, who, { body, once }) => {
      const adjustment = readAdjustment(body())
      return once('account_credits', async (idempotency) => ({
        credits: await adjustCredits(store, { ...adjustment, ...who, idempotency }),
      }))
    },
  ),
]

/** What an administrator sees and does about other accounts. */
export const operatorRoutes = (ports: OperatorPorts) => routesOf(routes, ports)
export const describedOperatorRoutes = describedOf(routes)
