import { formatNano, parseNano, toPlainDecimal } from '../kernel/money.ts'

export type Answer = Record<string, unknown>
export type Ask = (action: string, fields?: object) => Promise<Answer>

/** Asks the ledger at a URL; refusals are thrown. */
export const askAt =
  (url: string): Ask =>
  async (action, fields = {}) => {
    const answer = await post(url, action, JSON.stringify({ action, ...fields }))
    if (typeof answer.error === 'string') throw new LedgerError(answer.error, { action })
    return answer
  }

async function post(url: string, action: string, body: string): Promise<Answer> {
  try {
    const response = await fetch(url, { method: 'POST', body })
    return (await response.json()) as Answer
  } catch (cause) {
    throw new LedgerError(`${action} was not answered by ${url}.`, { action, cause })
  }
}

export const textOf = (answer: Answer, name: string): string => String(answer[name])

/** The node writes an empty list as an empty text. */
export const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** A refusal of the ledger, with its own message, or the error that it could not be reached. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
  /** The action that was called. */
  readonly action: string

  constructor(message: string, { action, cause }: { action: string; cause?: unknown }) {
    super(message, { cause })
    this.action = action
  }
}

/** A bigint is raw, a text is nano: `10n ** 30n` and `'1'` are the same. */
export type Amount = bigint | string

/** An amount of nano in raw, exactly: `raw('1.5')`. */
export function raw(nano: string | number): bigint {
  const amount = parseNano(toPlainDecimal(String(nano)))
  if (amount === undefined) throw new TypeError(`Not an amount in nano: ${nano}`)
  return amount
}

/** An amount of raw in nano, exactly: `nano(15n * 10n ** 29n)` is `1.5`. */
export function nano(raw: bigint): string {
  if (typeof raw !== 'bigint') throw new TypeError(`Not an amount in raw: ${String(raw)}`)
  return formatNano(raw)
}

export const toRawAmount = (amount: Amount): bigint => (typeof amount === 'bigint' ? amount : raw(amount))
