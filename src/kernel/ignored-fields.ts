import type { Action } from './action.ts'

/** Read before any action sees the body. */
const EVERYWHERE = ['action', 'key', 'idempotency_key']
const NAMES_MAX = 20
/** Names are short; keys, seeds and signatures, which a caller may send in the wrong place, are not, and are not repeated. */
const NAME_CHARACTERS_MAX = 32

/** Names the fields of a body that an action does not know, as a header can carry them; undefined where it knows all. */
export type IgnoredFields = (body: Readonly<Record<string, unknown>>) => string | undefined

/** A misspelt field would otherwise pass without a word: `titel` makes a page without a title. */
export function createIgnoredFields({ input, fieldSynonyms = {} }: Action): IgnoredFields {
  const known = new Set([...EVERYWHERE, ...Object.keys(input.properties), ...Object.keys(fieldSynonyms)])
  return (body) => {
    let ignored: string[] | undefined
    for (const field in body) if (!known.has(field)) (ignored ??= []).push(field)
    return ignored?.slice(0, NAMES_MAX).map(toToken).join(', ')
  }
}

/** The caller chose these names: in a header only letters, digits and a few signs stand as they are. */
function toToken(field: string): string {
  return field.length > NAME_CHARACTERS_MAX ? '(a long name)' : encodeURIComponent(field.toWellFormed())
}
