import { AppError } from '../../kernel/errors.ts'
import { readFlag } from '../../kernel/fields.ts'
import { textOf } from '../../kernel/shape.ts'
import type { EventQuery, Since } from './domain/list-events.ts'

const LIMIT = 25
const LIMIT_MAX = 100

type Fields = Readonly<Record<string, unknown>>

const refuse = (field: string, text: string) => new AppError('invalid_request', text, { body: { field } })

/** Reads which events a request asks for. */
export function readEventQuery({ since, delivered, endpoint, limit }: Fields): Omit<EventQuery, 'accountId'> {
  return {
    since: readSince(since),
    delivered: readDelivered(delivered),
    endpointId: readReceiver({ endpoint }),
    limit: readLimit(limit),
  }
}

/** The cursor from which a reader continues. */
export const toCursor = (position: number) => `pos_${position}`

function readSince(since: unknown): Since {
  if (since === undefined || since === '') return { position: 0 }
  const text = textOf(since)
  const position = /^pos_(\d{1,15})$/.exec(text)?.[1]
  if (position !== undefined) return { position: Number(position) }
  if (/^evt_\w{1,60}$/.test(text)) return { eventId: text }
  if (/^\d{1,12}$/.test(text)) return { createdFrom: Number(text) * 1000 }
  throw refuse('since', 'since must be the cursor of an earlier answer, an event id, or unix seconds.')
}

function readDelivered(delivered: unknown): boolean | undefined {
  if (delivered === undefined || delivered === '') return undefined
  const flag = readFlag(delivered)
  if (flag === undefined) throw refuse('delivered', 'delivered must be true or false.')
  return flag
}

function readLimit(limit: unknown): number {
  if (limit === undefined || limit === '') return LIMIT
  const count = /^\d{1,3}$/.test(textOf(limit)) ? Number(limit) : 0
  if (count < 1 || count > LIMIT_MAX) throw refuse('limit', `limit must be a whole number from 1 to ${LIMIT_MAX}.`)
  return count
}

export function readPingUrl({ url }: Fields): string {
  if (typeof url !== 'string' || url === '') throw refuse('url', 'url must be the address to send a test event to.')
  return url
}

/** The endpoint that an event is sent to again; undefined means everyone to whom it was sent. */
export function readReceiver({ endpoint }: Fields): string | undefined {
  if (endpoint === undefined || endpoint === null || endpoint === '') return undefined
  if (typeof endpoint !== 'string') throw refuse('endpoint', 'endpoint must be the id of one of your endpoints.')
  return endpoint
}
