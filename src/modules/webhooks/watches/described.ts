import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'

const { text, bool, integer, list, record, orNull, words } = answer
const PATH = '/api/watches'
const tag = 'webhooks'
const who = 'account'

export const ADDED = record({ endpoint: text, added: integer, watched: integer, total: integer, cursor: text })
const WATCH = record({
  address: text,
  endpoint: text,
  created_at: text,
  events: integer,
  last_event_at: orNull(text),
  trouble: orNull(words('unknown_floor', 'too_much_waits')),
  trouble_since: orNull(text),
})
const WATCHED = record({ endpoint: text, addresses: list(text) })
export const EXAMPLE = {
  endpoint: 'we_2b3c4d5e6f7g8h9i1j2k3m',
  addresses: ['nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'],
}

/** What an event about a watched address carries. */
export const ADDRESS_EVENT = record({
  id: text,
  type: words('address.received', 'address.sent'),
  created_unix: answer.unix,
  endpoint: text,
  hash: text,
  account: text,
  source: text,
  destination: text,
  amount: text,
  amount_raw: text,
  confirmed: text,
  sequence: integer,
})

export const describedWatchRoutes: readonly Described[] = [
  {
    method: 'get',
    path: PATH,
    id: 'listWatches',
    tag,
    summary: 'Addresses that your endpoints watch, ordered by endpoint and address.',
    who,
    query: [
      { name: 'endpoint', schema: text, description: 'Of this endpoint only.' },
      { name: 'limit', schema: integer, description: 'Up to 1,000; 100 by default.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the previous page.' },
    ],
    answer: record({ watches: list(WATCH), total: integer, troubled: integer, next_cursor: orNull(text) }),
    refuses: [404],
  },
  {
    method: 'post',
    path: PATH,
    id: 'addWatches',
    tag,
    summary: 'Notify an endpoint of what up to 1,000 addresses receive and send, from now on.',
    who,
    body: { schema: WATCHED, example: EXAMPLE },
    once: true,
    status: 201,
    answer: ADDED,
    refuses: [403, 404, 409],
  },
  {
    method: 'delete',
    path: PATH,
    id: 'removeWatches',
    tag,
    summary: 'Stop notifying an endpoint about up to 1,000 addresses.',
    who,
    body: { schema: WATCHED, example: EXAMPLE },
    answer: record({ success: bool, removed: integer, watched: integer }),
    refuses: [404],
  },
]
