import {
  CANCELLED_TEST,
  COUNT_ROUTE,
  COUNT_TEST,
  EMAIL_ANNOUNCED,
  EMAIL_EVENT_TEST,
  EMAIL_KINDS,
  LETTERS_ACTION,
  LETTERS_PAGE,
  LETTERS_TEST,
  THANK,
  THANK_TEST,
  TICKER,
  TICKER_TEST,
} from './usual-files.ts'

/* One example of each usual change, made as CONTRIBUTING.md says, file by file. */

type Edit = (text: string) => string

export interface UsualChange {
  /** The heading in CONTRIBUTING.md. */
  heading: string
  /** Values for the section's placeholders. */
  words: Record<string, string>
  /** The edit of each file; a new file starts empty. */
  files: Record<string, Edit>
}

const create =
  (text: string): Edit =>
  () =>
    text

/** Inserts a text after another, which must occur once. If it does not, the way to make this change has changed. */
const behind =
  (anchor: string, text: string): Edit =>
  (source) => {
    const parts = source.split(anchor)
    if (parts.length !== 2) throw new Error(`${JSON.stringify(anchor)} is there ${parts.length - 1} times`)
    return `${parts[0]}${anchor}${text}${parts[1]}`
  }

/** Inserts after the last match. */
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
      'src/modules/<module>/routes/api.ts': behind(
        'const routes: readonly ApiRoute<UsernameContext>[] = [',
        COUNT_ROUTE,
      ),
      'test/hostile/expectations.ts': behind('    /api/names ', '/api/names/count '),
      'test/http/<area>.test.ts': create(COUNT_TEST),
    },
  },
  {
    heading: 'Add a function that moves money',
    words: { module: 'faucet', function: 'thank' },
    files: {
      'src/modules/<module>/domain/<function>.ts': create(THANK),
      'test/sim/<function>-nth-failure.test.ts': create(THANK_TEST),
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
    words: { module: 'pos', entity: 'point-of-sale', number: '9000', what: 'pos-location' },
    files: {
      'src/modules/<module>/<entity>.ts': behind(
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
    words: { module: 'faucet', function: 'claim', number: '9001', what: 'faucet-note' },
    files: {
      'src/modules/<module>/domain/<function>.ts': behind(
        '    idempotencyKey: idempotencyKey ?? null,\n',
        '    note: null,\n',
      ),
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
      'src/modules/<module>/store.ts': behind(
        '  idempotencyKey: plain<string | null>(),\n',
        '  note: plain<string | null>(),\n',
      ),
      'test/stores/schema.test.ts': atTheEnd(/(0001-accounts [^`]*)`/, ' 9001-faucet-note'),
      'test/support/filled-store.ts': behind("idempotencyKey: 'k', createdAt: 1", ', note: null'),
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
    words: { function: 'end' },
    files: {
      'src/modules/checkout/event-kinds.ts': behind(
        "  'checkout.expired': 'the checkout expired',\n",
        "  'checkout.cancelled': 'the checkout was given up',\n",
      ),
      'src/modules/checkout/domain/<function>.ts': behind(
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
    heading: 'Add a webhook target',
    words: { module: 'email', function: 'open', subject: 'emails' },
    files: {
      'src/modules/<module>/event-kinds.ts': create(EMAIL_KINDS),
      'src/modules/<module>/index.ts': (text) => `${text}export { EMAIL_EVENT, EMAIL_KINDS } from './event-kinds.ts'\n`,
      'src/modules/<module>/domain/<function>.ts': both(
        behind(
          "import { alongWallet, splitShares } from '../../wallets/index.ts'\n",
          "import { recordEvent } from '../../webhooks/index.ts'\n",
        ),
        behind('      await idempotency?.record(db, { id })\n', EMAIL_ANNOUNCED),
      ),
      'src/http/openapi/webhooks.ts': both(
        behind(
          "} from '../../modules/checkout/index.ts'\n",
          "import { EMAIL_EVENT, EMAIL_KINDS } from '../../modules/email/index.ts'\n",
        ),
        behind('body: ADDRESS_EVENT },\n', '  { kinds: EMAIL_KINDS, body: EMAIL_EVENT },\n'),
      ),
      'docs/contract/part-6.md': behind(
        '| `address.sent` | to the endpoint that watches | a send from a watched address is confirmed |\n',
        '| `email.opened` | to endpoints | an email payment was made |\n',
      ),
      'test/spec/part6-<subject>.test.ts': create(EMAIL_EVENT_TEST),
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
