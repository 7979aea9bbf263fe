import { LedgerError } from './ledger-error.ts'

export type Answer = Record<string, unknown>
export type Ask = (action: string, fields?: object) => Promise<Answer>

/** Asks the ledger at a URL; what it refuses is thrown. */
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
