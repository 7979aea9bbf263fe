import { badField } from '../../../kernel/errors.ts'
import { fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import { readWhole } from '../../../kernel/read-whole.ts'
import { given } from '../../../kernel/shown-fields.ts'
import type { WatchPage } from './store.ts'

const ADDRESSES_MAX = 1_000
const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1_000

type Fields = Readonly<Record<string, unknown>>

/** Which addresses of which endpoint; each once, in the usual form. */
export function readWatched({ addresses, endpoint }: Fields): { endpointId: string; addresses: string[] } {
  if (given(addresses) === undefined) throw badField('addresses', 'addresses is required')
  if (!Array.isArray(addresses)) throw badField('addresses', 'addresses must be a list of addresses.')
  if (addresses.length === 0 || addresses.length > ADDRESSES_MAX) {
    throw badField('addresses', `addresses takes 1 to ${ADDRESSES_MAX} addresses at a time.`)
  }
  const read = addresses.map((address: unknown, at) => {
    const key = typeof address === 'string' ? fromAddress(address) : undefined
    if (key === undefined) throw badField('addresses', `addresses[${at}] is no address.`)
    return toAddress(key)
  })
  return { endpointId: readEndpoint(endpoint), addresses: [...new Set(read)] }
}

function readEndpoint(endpoint: unknown): string {
  if (given(endpoint) === undefined) throw badField('endpoint', 'endpoint is required')
  if (typeof endpoint !== 'string')
    throw badField('endpoint', 'endpoint must be the id of one of your webhook endpoints.')
  return endpoint
}

export function readWatchQuery({ endpoint, cursor, limit }: Fields): Omit<WatchPage, 'accountId'> {
  return {
    endpointId: given(endpoint) === undefined ? undefined : readEndpoint(endpoint),
    after: readWatchCursor(cursor),
    limit: readWhole('limit', limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_DEFAULT }),
  }
}

export const toWatchCursor = ({ endpointId, address }: { endpointId: string; address: string }) =>
  `${endpointId}.${address}`

export function readWatchCursor(value: unknown): WatchPage['after'] {
  if (value === undefined || value === '') return undefined
  const [, endpointId, address] = (typeof value === 'string' && /^(\w{1,60})\.(nano_\w{60})$/.exec(value)) || []
  if (endpointId === undefined) throw badField('cursor', 'cursor must be the next_cursor of an answer.')
  return { endpointId, address: address! }
}
