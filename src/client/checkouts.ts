import { nano, requireExact, withBigints } from './amounts.ts'
import { type CallOptions, type Connection, ask, backOff, callAction, rest } from './call.ts'
import { GatewayError, toRefusal } from './gateway-error.ts'
import type { Answers, Check, OwnCheckout } from './generated/answers.ts'
import { CHECK_RAWS, FACTS, OWN_RAWS } from './generated/facts.ts'
import type { Requests } from './generated/requests.ts'
import { type Entries, type Query, listAll } from './resources.ts'

/** The fields of `checkout`; a bigint is an amount of raw. */
export type NewCheckout = Omit<Requests['checkout'], 'amount'> & {
  amount?: Requests['checkout']['amount'] | bigint
}

export interface WaitOptions {
  /** Cancels the wait. */
  signal?: AbortSignal | undefined
  /** Called with every change until then. */
  onStatus?: ((check: Check) => void) | undefined
}

export interface Checkouts {
  create(fields: NewCheckout, options?: CallOptions): Promise<Answers['checkout']>
  /** The current state. */
  check(id: string, options?: CallOptions): Promise<Check>
  /**
   * Waits until the checkout is paid, and returns its final state. Throws `checkout_expired` or `checkout_cancelled` if
   * it can no longer be paid. Changes come from the gateway; a broken connection is opened again.
   */
  waitFor(id: string, options?: WaitOptions): Promise<Check>
  /** Checkouts of the account, newest first, for `for await`; needs the merchant's key. */
  list(query?: Query<'listCheckouts'>, options?: CallOptions): Entries<'listCheckouts'>
  /** Everything that the merchant may see; needs the merchant's key. */
  read(id: string, options?: CallOptions): Promise<OwnCheckout>
  /**
   * Cancels a checkout that waits for money, and returns its state; one that was paid meanwhile stays paid. Money that
   * arrives later is recorded as late. Needs the merchant's key.
   */
  cancel(id: string, options?: CallOptions): Promise<OwnCheckout>
}

export function checkoutsOf(connection: Connection): Checkouts {
  return {
    async create({ amount, ...fields }, options) {
      const written = amount === undefined ? fields : { ...fields, amount: writeAmount(amount, fields.currency) }
      return callAction(connection, 'checkout', FACTS.checkout, written, options) as Promise<Answers['checkout']>
    },
    check: (id, options) => readCheck(connection, id, options),
    waitFor: (id, options) => waitFor(connection, id, options),
    list: (query, options) => listAll(connection, 'listCheckouts', 'checkouts', { query }, options),
    read: (id, options) => readOwn(connection, id, options),
    cancel: (id, options) => cancel(connection, id, options),
  }
}

function writeAmount(amount: NonNullable<NewCheckout['amount']>, currency = 'NANO') {
  const isNano = /^(NANO|XNO)$/i.test(currency)
  if (isNano && typeof amount === 'string') requireExact(amount, 'amount')
  if (typeof amount !== 'bigint') return amount
  if (isNano) return nano(amount)
  throw new GatewayError(`An amount in ${currency} is not a bigint of raw.`, { code: 'invalid_amount' })
}

const pathOf = (id: string) => encodeURIComponent(id)

/** The answer for an expired or cancelled checkout has an `error`, but it is a valid state. */
async function readCheck(connection: Connection, id: string, options?: CallOptions): Promise<Check> {
  try {
    return toCheck(await ask(connection, `/check/${pathOf(id)}`, { method: 'GET' }, options))
  } catch (error) {
    if (error instanceof GatewayError && error.status === 200) return toCheck(error.body)
    throw error
  }
}

async function readOwn(connection: Connection, id: string, options?: CallOptions): Promise<OwnCheckout> {
  const told = await ask(connection, `/api/checkouts/${pathOf(id)}`, { method: 'GET' }, options)
  return withBigints((told as { checkout: unknown }).checkout, OWN_RAWS) as OwnCheckout
}

const ENDED = new Set<OwnCheckout['status']>(['complete', 'expired', 'cancelled', 'refunded'])

/** A DELETE on a checkout that has ended would hide it from its merchant, so that one is not sent. */
async function cancel(connection: Connection, id: string, options?: CallOptions): Promise<OwnCheckout> {
  const held = await readOwn(connection, id, options)
  if (ENDED.has(held.status)) return held
  await ask(connection, `/api/checkouts/${pathOf(id)}`, { method: 'DELETE' }, options)
  return readOwn(connection, id, options)
}

const toCheck = (told: unknown) => withBigints(told, CHECK_RAWS) as Check

async function waitFor(connection: Connection, id: string, { signal, onStatus }: WaitOptions = {}): Promise<Check> {
  const isOver = (check: Check) => {
    onStatus?.(check)
    if (check.status === 'expired' || check.status === 'cancelled') {
      throw new GatewayError(`The checkout is ${check.status}.`, { code: `checkout_${check.status}`, body: check })
    }
    return check.status === 'complete'
  }
  for (let failures = 0; ; failures++) {
    const told = listen(connection, id, signal)
    let wait: number | undefined
    try {
      while (wait === undefined) {
        const step = await told.next().catch((error: unknown) => toWait(error, signal))
        if (typeof step === 'number') wait = step
        else if (step.done === true) wait = 0
        else if (isOver(step.value)) return step.value
        else failures = 0
      }
    } finally {
      await told.return(undefined)
    }
    await rest(Math.max(wait, backOff(failures)), signal)
  }
}

/** Milliseconds to wait, as the gateway asks; rethrows a refusal that waiting does not resolve. */
function toWait(error: unknown, signal: AbortSignal | undefined): number {
  signal?.throwIfAborted()
  if (!(error instanceof GatewayError)) return 0
  const { status, retryAfter = 0 } = error
  if (status >= 400 && status < 500 && status !== 429) throw error
  return retryAfter * 1_000
}

/** What the gateway reports about a checkout, as it happens. */
async function* listen({ url, fetch }: Connection, id: string, signal?: AbortSignal): AsyncGenerator<Check> {
  const response = await fetch(`${url}/pay/${pathOf(id)}/events`, {
    headers: { accept: 'text/event-stream' },
    ...(signal && { signal }),
  })
  if (response.status !== 200) throw toRefusal(response, await response.json())
  for await (const { name, data } of readServerEvents(response)) {
    if (name === 'status') yield toCheck(JSON.parse(data))
  }
}

/** One server-sent event. */
interface ServerEvent {
  name: string
  data: string
}

const LINE_MAX = 1_000_000
/** Reconnect after this silence: a server sends a comment every 15 seconds. */
const SILENCE_MILLISECONDS = 60_000

/** Reads the events of an answer until it ends. */
async function* readServerEvents(response: Response): AsyncGenerator<ServerEvent> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await within(SILENCE_MILLISECONDS, reader.read())
      if (done) return
      text += value
      const blocks = text.split(/\r?\n\r?\n/)
      text = blocks.pop()!
      if (text.length > LINE_MAX) throw new Error('An event without an end.')
      for (const block of blocks) {
        const event = readEvent(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel()
  }
}

/** Undefined for a comment, which only shows that the connection works. */
function readEvent(block: string): ServerEvent | undefined {
  const fields = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line))
  const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2]!] : []))
  const data = valuesOf('data')
  return data.length === 0 ? undefined : { name: valuesOf('event').at(-1) ?? 'message', data: data.join('\n') }
}

/** Limits a wait, because a connection can break without any notice. */
async function within<T>(milliseconds: number, wanted: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The server has fallen silent.')), milliseconds)
  })
  try {
    return await Promise.race([wanted, silence])
  } finally {
    clearTimeout(timer)
  }
}
