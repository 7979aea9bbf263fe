/* Texts that the usual changes of CONTRIBUTING.md write into new files or add to long ones. */

export const LETTERS_ACTION = `import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'

export const nameLetters = action({
  name: 'name_letters',
  summary: 'How many letters a name has.',
  input: input({ name: field.username }),
  example: { request: { name: 'alice' }, response: { letters: 5 } },
  output: answer.record({ letters: answer.number }),
  auth: 'none',
  scope: 'read',
  readOnly: true,
  local: true,
  run: (_ctx, { name }) => ({ letters: name.replace(/^@/, '').length }),
})
`

export const LETTERS_TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGateway } from '../support/gateway.ts'

test('the letters of a name are counted without its sign (contract 4.1, Names: name_letters)', async (t) => {
  const { call } = await openGateway(t)
  assert.deepEqual((await call('name_letters', { name: '@alice' })).json(), { letters: 5 })
})
`

export const LETTERS_PAGE = `import type { FrameProps } from '../../../kernel/page.ts'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card } from '../../../web/dashboard/show.tsx'

/** How long names may be. */
export const LettersPage = ({ frame, max }: { frame: FrameProps; max: number }) => (
  <Frame {...frame} title="Letters" lead="Names have a limit.">
    <Card>{\`Up to \${max} letters.\`}</Card>
  </Frame>
)
`

export const TICKER = `import { toObject } from '../../kernel/shape.ts'
import { type PriceProvider, fetchJson, toDecimal } from './provider.ts'

/** A ticker that knows one price. */
export function ticker({ url }: { url: string }): PriceProvider {
  return {
    name: 'ticker',
    async fetchRates(_currencies, signal) {
      const rate = toDecimal(toObject(await fetchJson(\`\${url}/xno\`, { signal })).usd)
      if (rate === undefined) throw new Error('there is no price in the answer')
      return new Map([['USD', rate]])
    },
  }
}
`

export const TICKER_TEST = `
test('a ticker is read as it documents itself', async (t) => {
  const server = await openProvider(t, saying(readFixture('providers/ticker.documented.json')))
  const rates = await ticker({ url: server.url }).fetchRates([], new AbortController().signal)
  assert.deepEqual([...rates], [['USD', '0.8553']])
})
`

export const COUNT_ROUTE = `
  {
    ...place,
    method: 'get',
    path: '/api/names/count',
    id: 'countNames',
    summary: 'How many usernames the account has leased.',
    answer: record({ names: answer.integer }),
    async run(context, { caller: { accountId } }) {
      const leases = await listLeasesOf(context.checkouts.db, { accountId, limit: LIMIT_MAX })
      return { json: { names: leases.length } }
    },
  },`

export const COUNT_TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGateway } from '../support/gateway.ts'

test('the names of an account are counted', async (t) => {
  const { join, rest } = await openGateway(t)
  const { key } = await join()
  assert.deepEqual((await rest('GET', '/api/names/count', key)).json(), { names: 0 })
})
`

export const THANK = `import { AppError } from '../../../kernel/errors.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import type { Raw } from '../../../kernel/money.ts'
import { findPayment, lockFunds, queuePayment, treasury, untilPaid } from '../../wallets/index.ts'
import type { FaucetContext } from '../context.ts'

/** Pays somebody from the treasury, once for each reference however often it is asked. */
export async function thank(ctx: FaucetContext, { destination, amount, id }: { destination: string; amount: Raw; id: string }) {
  const reference = \`thanks:\${id}\`
  const { id: walletId } = await treasury(ctx)
  await inTx(ctx.store, async ({ db }) => {
    const funds = await lockFunds(db, walletId)
    if (await findPayment(db, reference)) return
    if (!funds || funds.free < amount) throw new AppError('insufficient_funds', 'The treasury has too little.')
    await queuePayment({ db, store: ctx.store }, { walletId, destination, amount, reference, purpose: 'faucet' })
  })
  return untilPaid(ctx, reference)
}
`

export const THANK_TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thank } from '../../src/modules/faucet/domain/thank.ts'
import { nano } from '../support/blocks.ts'
import { treasuryOf } from '../support/email-processes.ts'
import { type Scenario, failByLot, stranger } from './fail-everywhere.ts'

const thanks: Scenario = async (world) => {
  const treasury = await treasuryOf(world)
  if (world.fundsOf(treasury) === 0n) await world.deposit(treasury, nano(3))
  const { id: walletId } = await world.db.selectFrom('wallets').select('id').where('address', '=', treasury).executeTakeFirstOrThrow()
  const destination = stranger()
  const rules = { amount: nano(1), dailyBudget: nano(1), perNetworkMax: 0 }
  return {
    act: async ({ ctx }) => {
      await ctx.queue.advance(walletId)
      await thank({ ...ctx, faucet: rules }, { destination, amount: nano(1), id: destination })
    },
    check: async () => assert.equal(world.fundsOf(destination), nano(1)),
  }
}

test('thanks are paid once, whichever call is the last or loses its reply', { timeout: 600_000 }, (t) => failByLot(t, thanks))
`

export const CANCELLED_TEST = `
test('a merchant who asked for it learns of a checkout that was given up (contract 6, Event kinds: checkout.cancelled)', async (t) => {
  const { shop, key } = await openShop(t)
  const webhook_events = ['checkout.cancelled']
  const { id } = await shop.open({ address: merchant.address, amount: '1', webhook_events }, bearer(key))
  assert.equal((await shop.rest('DELETE', \`/api/checkouts/\${id}\`, key)).status, 200)
  assert.deepEqual(
    (await listEvents(shop, id)).map(({ type }) => type),
    webhook_events,
  )
})
`

export const EMAIL_KINDS = `import { answer } from '../../kernel/answers.ts'

/** Every type of event about an email payment. */
export const EMAIL_KINDS = { 'email.opened': 'an email payment was made' } as const

export const EMAIL_EVENT = answer.record({
  id: answer.text,
  type: answer.words('email.opened'),
  created_unix: answer.unix,
  email_payment: answer.text,
})
`

export const EMAIL_ANNOUNCED = `      const eventId = ids.next('evt')
      const created = { type: 'email.opened', created_unix: Math.floor(createdAt / 1000) }
      await recordEvent(
        { ...tx, secrets: ports.secrets },
        {
          id: eventId,
          accountId,
          subject: id,
          type: created.type,
          dedupeKey: 'opened',
          body: JSON.stringify({ id: eventId, ...created, email_payment: id }),
          url: null,
          secret: null,
        },
      )
`

export const EMAIL_EVENT_TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../support/email-steps.ts'

test('a sender learns of an email payment that was made (contract 6, Event kinds: email.opened)', async (t) => {
  const world = await openWorld(t)
  const made = await world.open({ amount: '1', emails: ['alice@example.com'] })
  const { events } = (await world.rest('GET', '/api/events', world.key)).json<{ events: { type: string; payload: object }[] }>()
  assert.deepEqual(
    events.map(({ type, payload }) => [type, 'email_payment' in payload && payload.email_payment]),
    [['email.opened', made.id]],
  )
})
`
