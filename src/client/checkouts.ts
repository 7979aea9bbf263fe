import { nano, withBigints } from './amounts.ts'
import { type CallOptions, type Connection, ask, callAction } from './call.ts'
import { GatewayError, toRefusal } from './gateway-error.ts'
import type { Answers, Check, OwnCheckout } from './generated/answers.ts'
import { CHECK_RAWS, FACTS, OWN_RAWS } from './generated/facts.ts'
import type { Requests } from './generated/requests.ts'
import { backOff, rest } from './rest.ts'
import { readServerEvents } from './server-events.ts'

/** The fields of `checkout`; a bigint is an amount of raw. */
export type NewCheckout = Omit<Requests['checkout'], 'amount'> & {
  amount?: Requests['checkout']['amount'] | bigint
}

export interface WaitOptions {
  /** Ends the wait. */
  signal?: AbortSignal | undefined
  /** Called with every change on the way. */
  onStatus?: ((check: Check) => void) | undefined
}

export interface Checkouts {
  create(fields: NewCheckout, options?: CallOptions): Promise<Answers['checkout']>
  /** How it stands. */
  check(id: string, options?: CallOptions): Promise<Check>
  /**
   * Waits until it is paid, and answers how. Throws `checkout_expired` and `checkout_cancelled` where it will not be. The
   * gateway tells by itself; a broken connection is made again.
   */
  waitFor(id: string, options?: WaitOptions): Promise<Check>
  /** All that its merchant may know of it; needs the merchant's key. */
  read(id: string, options?: CallOptions): Promise<OwnCheckout>
  /**
   * Gives it up while it waits for money, and answers how it stands afterwards: one that was paid stays paid. What still
   * arrives for one that was given up is recorded as late. Needs the merchant's key.
   */
  cancel(id: string, options?: CallOptions): Promise<OwnCheckout>
}

export function checkoutsOf(connection: Connection): Checkouts {
  return {
    create({ amount, ...fields }, options) {
      const written = amount === undefined ? fields : { ...fields, amount: writeAmount(amount, fields.currency) }
      return callAction(connection, 'checkout', FACTS.checkout, written, options) as Promise<Answers['checkout']>
    },
    check: (id, options) => readCheck(connection, id, options),
    waitFor: (id, options) => waitFor(connection, id, options),
    read: (id, options) => readOwn(connection, id, options),
    cancel: (id, options) => cancel(connection, id, options),
  }
}

function writeAmount(amount: NonNullable<NewCheckout['amount']>, currency = 'NANO') {
  if (typeof amount !== 'bigint') return amount
  if (/^(NANO|XNO)$/i.test(currency)) return nano(amount)
  throw new GatewayError(`An amount in ${currency} is no bigint of raw.`, { code: 'invalid_amount' })
}

const pathOf = (id: string) => encodeURIComponent(id)

/** A check that has ended badly has an `error`, and is a check all the same. */
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

/** One that has ended is left alone: deleting it would hide it from its merchant. */
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

/** Milliseconds that the server that refused wants to be left alone; throws what waiting does not help. */
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
