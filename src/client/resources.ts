import { nano } from './amounts.ts'
import { type CallOptions, type Connection, callRoute } from './call.ts'
import type { RouteName, Routes } from './generated/routes.ts'

type Body<Id extends RouteName> = Routes[Id] extends { body: infer Fields } ? Fields : never
export type Query<Id extends RouteName> = Routes[Id] extends { query: infer Fields }
  ? Omit<Fields, 'cursor' | 'offset'>
  : Record<string, never>
type Said<Id extends RouteName> = Routes[Id]['answer']

/** The name of the list in an answer. */
type ListIn<Id extends RouteName> = {
  [Name in keyof Said<Id>]-?: Said<Id>[Name] extends readonly unknown[] ? Name : never
}[keyof Said<Id>]
type Entry<Id extends RouteName> = Said<Id>[ListIn<Id>] extends readonly (infer One)[] ? One : never

/** Entries of a list, for `for await`: the next page is read when it is needed. */
export type Entries<Id extends RouteName> = AsyncGenerator<Entry<Id>, void, undefined>

/** A refund; a bigint is an amount of raw. */
export type NewRefund = Omit<Body<'refundCheckout'>, 'amount'> & { amount?: string | number | bigint | undefined }

/** What an account has beside its checkouts. Every call needs a secret key. */
export interface Resources {
  readonly refunds: {
    list(checkoutId: string, options?: CallOptions): Entries<'listRefunds'>
    /** Refunds everything that was paid, or a part of it. */
    create(checkoutId: string, fields?: NewRefund, options?: CallOptions): Promise<Said<'refundCheckout'>>
  }
  readonly links: {
    list(query?: Query<'listLinks'>, options?: CallOptions): Entries<'listLinks'>
    create(fields: Body<'createLink'>, options?: CallOptions): Promise<Said<'createLink'>>
    read(id: string, options?: CallOptions): Promise<Said<'getLink'>>
    change(id: string, fields: Body<'changeLink'>, options?: CallOptions): Promise<Said<'changeLink'>>
    remove(id: string, options?: CallOptions): Promise<void>
  }
  /** Endpoints that receive the events of the account. */
  readonly webhooks: {
    list(options?: CallOptions): Entries<'listWebhookEndpoints'>
    /** The `secret` is only in this answer. */
    create(fields: Body<'createWebhookEndpoint'>, options?: CallOptions): Promise<Said<'createWebhookEndpoint'>>
    read(id: string, options?: CallOptions): Promise<Said<'getWebhookEndpoint'>>
    change(
      id: string,
      fields: Body<'changeWebhookEndpoint'>,
      options?: CallOptions,
    ): Promise<Said<'changeWebhookEndpoint'>>
    remove(id: string, options?: CallOptions): Promise<void>
    /** The old secret also signs for 24 hours. */
    rotate(id: string, options?: CallOptions): Promise<Said<'rotateWebhookEndpointSecret'>>
    /** Sends a test event once. */
    test(id: string, options?: CallOptions): Promise<Said<'testWebhookEndpoint'>['event']>
    deliveries(
      id: string,
      query?: Query<'listWebhookEndpointDeliveries'>,
      options?: CallOptions,
    ): Entries<'listWebhookEndpointDeliveries'>
    /** Sends the events of a period again. */
    replay(
      id: string,
      fields: Body<'replayToWebhookEndpoint'>,
      options?: CallOptions,
    ): Promise<Said<'replayToWebhookEndpoint'>['replay']>
  }
  readonly keys: {
    list(options?: CallOptions): Entries<'listKeys'>
    /** The `key` is only in this answer. */
    create(fields: Body<'createKey'>, options?: CallOptions): Promise<Said<'createKey'>>
    revoke(id: string, options?: CallOptions): Promise<void>
    rotate(id: string, fields?: Body<'rotateKey'>, options?: CallOptions): Promise<Said<'rotateKey'>>
  }
  readonly events: {
    /** Oldest first, to the last event there is; `since` is the `id` of the newest event you have. */
    list(query?: Query<'listEvents'>, options?: CallOptions): Entries<'listEvents'>
    read(id: string, options?: CallOptions): Promise<Said<'getEvent'>['event']>
    redeliver(id: string, fields?: Body<'redeliverEvent'>, options?: CallOptions): Promise<Said<'redeliverEvent'>>
  }
}

export function resourcesOf(connection: Connection): Resources {
  const ask = <Id extends RouteName>(name: Id, call: Parameters<typeof callRoute>[2], options?: CallOptions) =>
    callRoute(connection, name, call, options)
  const drop = async (name: 'deleteLink' | 'deleteWebhookEndpoint' | 'revokeKey', id: string, options?: CallOptions) =>
    void (await ask(name, { id }, options))
  return {
    refunds: {
      list: (id, options) => listAll(connection, 'listRefunds', 'refunds', { id }, options),
      create: (id, { amount, ...fields } = {}, options) =>
        ask(
          'refundCheckout',
          { id, body: { ...fields, ...(amount !== undefined && { amount: writeNano(amount) }) } },
          options,
        ),
    },
    links: {
      list: (query, options) => listAll(connection, 'listLinks', 'links', { query }, options),
      create: (body, options) => ask('createLink', { body }, options),
      read: (id, options) => ask('getLink', { id }, options),
      change: (id, body, options) => ask('changeLink', { id, body }, options),
      remove: (id, options) => drop('deleteLink', id, options),
    },
    webhooks: {
      list: (options) => listAll(connection, 'listWebhookEndpoints', 'endpoints', {}, options),
      create: (body, options) => ask('createWebhookEndpoint', { body }, options),
      read: (id, options) => ask('getWebhookEndpoint', { id }, options),
      change: (id, body, options) => ask('changeWebhookEndpoint', { id, body }, options),
      remove: (id, options) => drop('deleteWebhookEndpoint', id, options),
      rotate: (id, options) => ask('rotateWebhookEndpointSecret', { id }, options),
      test: async (id, options) => (await ask('testWebhookEndpoint', { id }, options)).event,
      deliveries: (id, query, options) =>
        listAll(connection, 'listWebhookEndpointDeliveries', 'deliveries', { id, query }, options),
      replay: async (id, body, options) => (await ask('replayToWebhookEndpoint', { id, body }, options)).replay,
    },
    keys: {
      list: (options) => listAll(connection, 'listKeys', 'keys', {}, options),
      create: (body, options) => ask('createKey', { body }, options),
      revoke: (id, options) => drop('revokeKey', id, options),
      rotate: (id, body, options) => ask('rotateKey', { id, body }, options),
    },
    events: {
      list: (query, options) => listAll(connection, 'listEvents', 'events', { query }, options),
      read: async (id, options) => (await ask('getEvent', { id }, options)).event,
      redeliver: (id, body = {}, options) => ask('redeliverEvent', { id, body }, options),
    },
  }
}

const writeNano = (amount: string | number | bigint) => (typeof amount === 'bigint' ? nano(amount) : amount)

/** Reads a list page by page. Stops if a page points back to itself. */
export async function* listAll<Id extends RouteName>(
  connection: Connection,
  name: Id,
  list: ListIn<Id>,
  { id, query = {} }: { id?: string; query?: object | undefined },
  options?: CallOptions,
): Entries<Id> {
  let place: Record<string, string> = {}
  for (;;) {
    const page = await callRoute(connection, name, { id, query: { ...query, ...place } }, options)
    yield* page[list] as Entry<Id>[]
    const next = placeAfter(page as Page)
    if (!next || Object.entries(next).every(([name, text]) => place[name] === text)) return
    place = next
  }
}

interface Page {
  next_cursor?: string | null
  /** Lists of events have `cursor` in place of `next_cursor`; it is sent as `since`. */
  cursor?: string
  has_more?: boolean
}

function placeAfter({ next_cursor: next, cursor, has_more: hasMore }: Page): Record<string, string> | undefined {
  if (typeof next === 'string') return { cursor: next }
  return hasMore === true && cursor !== undefined ? { since: cursor } : undefined
}
