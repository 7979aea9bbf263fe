import { type Actor } from '../../../kernel/actor.ts'
import { type AccountRequest, type Reply, type Route, canBeId } from '../../../kernel/route.ts'
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
import { accountNotFound } from '../errors.ts'
import { showKey, showKnown, showListed } from '../shape-account.ts'
import { findAccount, listAccounts, listKeys } from '../store.ts'

const LISTED_MAX = 200
const SEARCH_LENGTH_MAX = 100

interface OperatorPorts {
  store: StoreCtx
  tellStanding(accountId: string): void
}

/** What an administrator sees and does about other accounts. */
export function operatorRoutes({ store, tellStanding }: OperatorPorts): readonly Route[] {
  const find = async (id: string) => {
    const account = canBeId(id) ? await findAccount(store.db, id) : undefined
    if (!account) throw accountNotFound()
    return account
  }
  const show = async (id: string): Promise<Reply> => {
    const account = await find(id)
    const { credits, plan } = await readCredits(store, id)
    const keys = await listKeys(store.db, id, LISTED_MAX)
    return {
      json: {
        account: showKnown(account),
        credits,
        plan,
        keys: keys.map((key) => showKey(key, store.clock.now())),
      },
    }
  }
  /** A route that changes an account and then returns it. */
  const change = (
    method: 'POST' | 'PUT',
    path: string,
    run: (request: AccountRequest, who: { accountId: string; actor: Actor }) => Promise<unknown>,
  ): Route => ({
    method,
    path: `/api/accounts/:id${path}`,
    door: 'administrator',
    scope: 'keys',
    proof: true,
    async run(request) {
      // Otherwise a limited key could lift its own limits.
      requireUnbound(request.caller)
      const { id: accountId } = await find(request.params.id!)
      await run(request, { accountId, actor: request.caller.actor })
      tellStanding(accountId)
      return show(accountId)
    },
  })
  return [
    {
      method: 'GET',
      path: '/api/accounts',
      door: 'administrator',
      scope: 'keys',
      async run({ query }) {
        const search = typeof query.search === 'string' ? query.search.trim().slice(0, SEARCH_LENGTH_MAX) : ''
        const accounts = await listAccounts(store.db, LISTED_MAX, search)
        return { json: { accounts: accounts.map(showListed) } }
      },
    },
    {
      method: 'GET',
      path: '/api/accounts/:id',
      door: 'administrator',
      scope: 'keys',
      run: ({ params }) => show(params.id!),
    },
    change('POST', '/suspend', ({ body }, who) => suspendAccount(store, { ...who, reason: readReason(body()) })),
    change('POST', '/resume', ({ body }, who) => resumeAccount(store, { ...who, reason: readReason(body()) })),
    change('POST', '/sign-out', (_request, who) => signOutPeople(store, who)),
    change('PUT', '/standing', ({ body }, who) => setStanding(store, { ...who, wanted: readStanding(body()) })),
    change('POST', '/credits', ({ body, once }, who) => {
      const adjustment = readAdjustment(body())
      return once('account_credits', async (idempotency) => ({
        credits: await adjustCredits(store, { ...adjustment, ...who, idempotency }),
      }))
    }),
  ]
}
