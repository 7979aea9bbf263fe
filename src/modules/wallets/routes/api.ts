import { answer } from '../../../kernel/answers.ts'
import { type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import { requireUnbound } from '../../../kernel/rights.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { findPayout } from '../../accounts/index.ts'
import { choosePayout } from '../domain/choose-payout.ts'
import type { PayoutPorts } from './payout.tsx'

const PAYOUT = answer.record({ address: answer.orNull(answer.address) })
const place = { tag: 'accounts', who: 'account', scope: 'checkout', path: '/api/account/payout' } as const
const showPayout = async ({ wallets }: PayoutPorts, accountId: string) => ({
  json: { address: await findPayout(wallets.store.db, accountId) },
})

const routes: readonly ApiRoute<PayoutPorts>[] = [
  {
    ...place,
    method: 'get',
    id: 'getPayout',
    summary: 'The address that is paid where a checkout, link or till names none.',
    answer: PAYOUT,
    run: (ports, { caller }) => showPayout(ports, caller.accountId),
  },
  {
    ...place,
    method: 'put',
    id: 'changePayout',
    summary:
      'Change it for new checkouts: an `address` or `@name`, or `wallet: true` to have one made. Needs an unrestricted secret key, or an owner or manager who has just confirmed their identity. Every owner gets a mail.',
    proof: true,
    body: {
      schema: answer.record({ address: answer.optional(answer.text), wallet: answer.optional(answer.bool) }),
      example: { address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8' },
    },
    answer: PAYOUT,
    refuses: [403],
    async run(ports, { caller, body, once }) {
      requireUnbound(caller)
      const { accountId, actor } = caller
      const { address, wallet } = body('needed')
      const own = given(address)
      const wish = wallet === true && own === undefined ? undefined : typeof own === 'string' ? own.trim() : ''
      const json = await once('payout', async (idempotency) => {
        await choosePayout(ports.wallets, ports.names, { accountId, actor, address: wish, idempotency })
        return (await showPayout(ports, accountId)).json
      })
      return { json }
    },
  },
]

/** Where the money of an account goes, for programs. A key with limits may only read the address, because changing it redirects all money. */
export const payoutRoutes = (ports: PayoutPorts) => routesOf(routes, ports)
export const describedPayoutRoutes = describedOf(routes)
