import type { PublicKey } from '../../kernel/nano/address.ts'
import { type Answer, type Members, members, putPath } from '../answer.ts'
import { NodeRefusal, refusal } from '../../kernel/nano/node-refusal.ts'
import type { NodeRequest } from '../../kernel/nano/node-request.ts'

/**
 * Answers a list of accounts one by one: good entries under `name`, bad ones under `errors` by the text given.
 * Both are left out when empty, and an answer without either is an error.
 */
export function forEachAccount(
  request: NodeRequest,
  name: string,
  answer: (account: PublicKey, given: string) => { key: string; value: Answer },
): Answer {
  const found = members()
  const errors = members()
  for (const given of request.list('accounts')) {
    try {
      const { key, value } = answer(request.toAccount(given), given)
      putPath(found, key, value)
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      putPath(errors, given, error.message)
    }
  }
  const result: Members = {}
  if (Object.keys(found).length > 0) result[name] = found
  if (Object.keys(errors).length > 0) result.errors = errors
  if (Object.keys(result).length === 0) throw refusal('Empty response')
  return result
}
