/* One of each usual change, as CONTRIBUTING.md tells how to make it: by its heading there, and file by file. */

type Edit = (text: string) => string

export interface UsualChange {
  /** The heading in CONTRIBUTING.md. */
  heading: string
  /** What its placeholders stand for here. */
  words: Record<string, string>
  /** What becomes of each file; a new one begins empty. */
  files: Record<string, Edit>
}

const create =
  (text: string): Edit =>
  () =>
    text

/** Puts a text behind another, which must be there once: where it is not, the way to make this change has changed. */
const behind =
  (anchor: string, text: string): Edit =>
  (source) => {
    const parts = source.split(anchor)
    if (parts.length !== 2) throw new Error(`${JSON.stringify(anchor)} is there ${parts.length - 1} times`)
    return `${parts[0]}${anchor}${text}${parts[1]}`
  }

/** Behind what is matched, whatever its last word is by now. */
const atTheEnd =
  (list: RegExp, text: string): Edit =>
  (source) => {
    const [found, words] = list.exec(source) ?? []
    if (found === undefined || words === undefined) throw new Error(`${list} is not there`)
    return source.replace(words, words + text)
  }

const both =
  (...edits: Edit[]): Edit =>
  (source) =>
    edits.reduce((text, edit) => edit(text), source)

const LETTERS_ACTION = `import { action } from '../../../kernel/action.ts'
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

const LETTERS_TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGateway } from '../support/gateway.ts'

test('the letters of a name are counted without its sign (contract 4.1, Names: name_letters)', async (t) => {
  const { call } = await openGateway(t)
  assert.deepEqual((await call('name_letters', { name: '@alice' })).json(), { letters: 5 })
})
`

const LETTERS_PAGE = `import type { FrameProps } from '../../../kernel/page.ts'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card } from '../../../web/dashboard/show.tsx'

/** How long names may be. */
export const LettersPage = ({ frame, max }: { frame: FrameProps; max: number }) => (
  <Frame {...frame} title="Letters" lead="Names have a limit.">
    <Card>{\`Up to \${max} letters.\`}</Card>
  </Frame>
)
`

const TICKER = `import { toObject } from '../../kernel/shape.ts'
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

const TICKER_TEST = `
test('a ticker is read as it documents itself', async (t) => {
  const server = await openProvider(t, saying(readFixture('providers/ticker.documented.json')))
  const rates = await ticker({ url: server.url }).fetchRates([], new AbortController().signal)
  assert.deepEqual([...rates], [['USD', '0.8553']])
})
`

const COUNT_ROUTE = `
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

const COUNT_TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGateway } from '../support/gateway.ts'

test('the names of an account are counted', async (t) => {
  const { join, rest } = await openGateway(t)
  const { key } = await join()
  assert.deepEqual((await rest('GET', '/api/names/count', key)).json(), { names: 0 })
})
`

const THANK = `import { AppError } from '../../../kernel/errors.ts'
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

const THANK_TEST = `import assert from 'node:assert/strict'
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

const CANCELLED_TEST = `
test('a merchant who asked for it hears of a checkout that was given up (contract 6, Event kinds: checkout.cancelled)', async (t) => {
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

export const USUAL_CHANGES: readonly UsualChange[] = [
  {
    heading: 'Add an action',
    words: { module: 'usernames', action: 'name-letters', area: 'letters' },
    files: {
      'src/modules/<module>/actions/<action>.ts': create(LETTERS_ACTION),
      'src/modules/<module>/open.ts': both(
        behind(
          "import { getName } from './actions/get-name.ts'\n",
          "import { nameLetters } from './actions/name-letters.ts'\n",
        ),
        behind('USERNAME_ACTIONS = [getName, ', 'nameLetters, '),
      ),
      'test/hostile/expectations.ts': behind(' known aliases ', 'name_letters '),
      'docs/keys.md': behind('`process`, `price`, ', '`name_letters`, '),
      'docs/contract/part-4.md': behind(
        '\n### Names\n\n| action | request | answer |\n|---|---|---|\n',
        '| `name_letters` | `name` | `letters` |\n',
      ),
      'test/spec/part4-<area>.test.ts': create(LETTERS_TEST),
    },
  },
  {
    heading: 'Add a route',
    words: { module: 'usernames', area: 'name-count' },
    files: {
      'src/modules/<module>/routes/api.ts': behind('const verbs: readonly Verb<UsernameContext>[] = [', COUNT_ROUTE),
      'test/hostile/expectations.ts': behind('    /api/names ', '/api/names/count '),
      'test/http/<area>.test.ts': create(COUNT_TEST),
    },
  },
  {
    heading: 'Add a function that moves money',
    words: { module: 'faucet', verb: 'thank' },
    files: {
      'src/modules/<module>/domain/<verb>.ts': create(THANK),
      'test/sim/<verb>-nth-failure.test.ts': create(THANK_TEST),
    },
  },
  {
    heading: 'Add a setting',
    words: { module: 'usernames' },
    files: {
      'src/modules/<module>/settings.ts': both(
        behind(
          'export const USERNAME_SETTINGS = {\n',
          "  nameLettersMax: setting('NAME_LETTERS_MAX', '20', whole(1, 30), 'Letters that a name may have.'),\n",
        ),
        behind('nano, priced, setting', ', whole'),
      ),
      'src/modules/<module>/context.ts': behind('  nameUpdatePrice: Raw\n', '  nameLettersMax: number\n'),
      'src/modules/<module>/open.ts': both(
        behind('  { namePlans, nameUpdatePrice', ', nameLettersMax'),
        behind('{ ...offers, namePlans, nameUpdatePrice', ', nameLettersMax'),
      ),
      'docs/operating.md': behind(
        '| `NAME_UPDATE_PRICE` | `0.001` | What a change of a username costs, in nano. |\n',
        '| `NAME_LETTERS_MAX` | `20` | Letters that a name may have. |\n',
      ),
      'deploy/env.example': behind('#NAME_UPDATE_PRICE=0.001\n', '#NAME_LETTERS_MAX=20\n'),
    },
  },
  {
    heading: 'Add a field that a merchant can set',
    words: { module: 'pos', noun: 'point-of-sale', number: '9000', what: 'pos-location' },
    files: {
      'src/modules/<module>/<noun>.ts': behind(
        '    isPaused: flag(),\n',
        "    location: text({ label: 'Location', hint: 'For your own lists.', max: 80, personal: true }),\n",
      ),
      'src/modules/<module>/migrations/<number>-<what>.ts': create(`import type { Kysely } from 'kysely'

/** Where a point of sale is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('points_of_sale').addColumn('location', 'text').execute()
}
`),
      'src/modules/<module>/migrations/index.ts': both(
        behind(
          "import { up as pointsOfSale } from './0033-points-of-sale.ts'\n",
          "import { up as location } from './9000-pos-location.ts'\n",
        ),
        behind("{ '0033-points-of-sale': pointsOfSale", ", '9000-pos-location': location"),
      ),
      'test/stores/schema.test.ts': atTheEnd(/(0001-accounts [^`]*)`/, ' 9000-pos-location'),
    },
  },
  {
    heading: 'Add a column or a table',
    words: { module: 'faucet', number: '9001', what: 'faucet-note' },
    files: {
      'src/modules/<module>/tables.ts': behind('  idempotency_key: string | null\n', '  note: string | null\n'),
      'src/modules/<module>/migrations/<number>-<what>.ts': create(`import type { Kysely } from 'kysely'

/** What a claim was for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('faucet_claims').addColumn('note', 'text').execute()
}
`),
      'src/modules/<module>/migrations/index.ts': both(
        behind(
          "import { up as faucet } from './0016-faucet.ts'\n",
          "import { up as note } from './9001-faucet-note.ts'\n",
        ),
        behind("  '0016-faucet': faucet,\n", "  '9001-faucet-note': note,\n"),
      ),
      'src/modules/<module>/store.ts': both(
        behind('  idempotencyKey: string | null\n', '  note?: string | null\n'),
        behind('  idempotencyKey: row.idempotency_key,\n', '  note: row.note,\n'),
        behind('      idempotency_key: claim.idempotencyKey,\n', '      note: claim.note ?? null,\n'),
      ),
      'test/stores/schema.test.ts': atTheEnd(/(0001-accounts [^`]*)`/, ' 9001-faucet-note'),
    },
  },
  {
    heading: 'Add a page to the dashboard',
    words: { module: 'usernames', page: 'letters' },
    files: {
      'src/modules/<module>/pages/<page>-page.tsx': create(LETTERS_PAGE),
      'src/modules/<module>/routes/dashboard.tsx': both(
        behind(
          "import { offerName } from '../domain/lease-name.ts'\n",
          "import { LettersPage } from '../pages/letters-page.tsx'\n",
        ),
        behind(
          '    ...oneNamePages(context),\n',
          "    { path: '/letters', permission: 'names', render: ({ frame }) => <LettersPage frame={frame} max={20} /> },\n",
        ),
      ),
      'test/hostile/expectations.ts': behind('  GET: `/ ', '/letters '),
      'test/pages/dashboard-looks.test.ts': behind("['names', '/names'],\n", "    ['letters', '/letters'],\n"),
      'test/pages/roles.test.ts': behind('GET \\/(payout|wallets|', 'letters|'),
    },
  },
  {
    heading: 'Add a kind of event',
    words: { verb: 'end' },
    files: {
      'src/modules/checkout/event-kinds.ts': behind(
        "  'checkout.expired': 'the checkout expired',\n",
        "  'checkout.cancelled': 'the checkout was given up',\n",
      ),
      'src/modules/checkout/domain/<verb>.ts': behind(
        '    if (isOpen) await enqueueSweep(tx, moved)\n',
        "    if (isOpen) await announce(tx, moved, { type: 'checkout.cancelled', dedupeKey: 'cancelled' })\n",
      ),
      'docs/contract/part-6.md': behind(
        '| `checkout.expired` | by `webhook_events` | the checkout expired |\n',
        '| `checkout.cancelled` | by `webhook_events` | the checkout was given up |\n',
      ),
      'test/spec/part6-events.test.ts': (text) => text + CANCELLED_TEST,
    },
  },
  {
    heading: 'Add a provider of prices',
    words: { provider: 'ticker' },
    files: {
      'src/infra/market/<provider>.ts': create(TICKER),
      'src/infra/market/open.ts': both(
        behind("import { kraken } from './kraken.ts'\n", "import { ticker } from './ticker.ts'\n"),
        behind('    kraken: kraken({ url: config.krakenUrl }),\n', '    ticker: ticker({ url: config.tickerUrl }),\n'),
      ),
      'src/modules/market/settings.ts': both(
        behind("const SOURCES = ['coingecko', 'kraken'", ", 'ticker'"),
        behind(
          "'https://api.kraken.com', text, 'Address of Kraken.'),\n",
          "  tickerUrl: setting('TICKER_URL', 'https://ticker.example', text, 'Address of the ticker.'),\n",
        ),
      ),
      'docs/operating.md': both(
        (text) => text.replace('or `coingecko` and `kraken` in', 'or `coingecko`, `kraken`, and `ticker` in'),
        behind(
          '| `KRAKEN_URL` | `https://api.kraken.com` | Address of Kraken. |\n',
          '| `TICKER_URL` | `https://ticker.example` | Address of the ticker. |\n',
        ),
      ),
      'deploy/env.example': behind('#KRAKEN_URL=https://api.kraken.com\n', '#TICKER_URL=https://ticker.example\n'),
      'test/fixtures/providers/<provider>.documented.json': create('{ "usd": 0.8553 }\n'),
      'src/infra/market/prices.test.ts': both(
        behind("import { toDecimal } from './provider.ts'\n", "import { ticker } from './ticker.ts'\n"),
        (text) => text + TICKER_TEST,
      ),
    },
  },
]
