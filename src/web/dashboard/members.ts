import { missingText } from '../../kernel/errors.ts'
import type { FormFields } from '../../kernel/page.ts'
import { type Wrong, refuseIfAny, toWrong } from '../../kernel/resource/wrong-fields.ts'
import { rowsIn } from './rows.tsx'
import { type Json, type JsonObject, toObject } from '../../kernel/shape.ts'

/*
 * The members of an object as rows of a form: a name and a value each. A member that an input cannot hold as it is, such
 * as a number, a list or a text of two lines, is shown as JSON. A hidden input of its row has the stored member, so that
 * it stays what it is until somebody changes it.
 */

/** Whether an input sends a text back unchanged. */
const isPlain = (value: Json | undefined): value is string =>
  typeof value === 'string' && value !== '' && value === value.trim() && !/[\r\n\0]/.test(value) && value.isWellFormed()

const toShown = (value: Json | undefined) => (isPlain(value) ? value : JSON.stringify(value))

export function membersToInputs(name: string, stored: Json | undefined): Record<string, string> {
  const inputs: Record<string, string> = {}
  for (const [at, [member, value]] of Object.entries(toObject(stored)).entries()) {
    const row = `${name}[${at}]`
    inputs[`${row}.name`] = toShown(member)
    inputs[`${row}.value`] = toShown(value)
    if (!isPlain(member) || !isPlain(value)) inputs[`${row}.was`] = JSON.stringify([member, value])
  }
  return inputs
}

/** Refuses all wrong rows together. New values are texts. Undefined if the form had no such rows. */
export function inputsToMembers(name: string, fields: Pick<FormFields, 'get' | 'typed'>): JsonObject | undefined {
  const typed = fields.typed()
  if (!Object.keys(typed).some((input) => input.startsWith(`${name}[`))) return undefined
  const members = new Map<string, Json>()
  const wrong: Wrong[] = []
  for (let at = 0; at < rowsIn(name, typed); at++) {
    const row = `${name}[${at}]`
    const [called, value] = [fields.get(`${row}.name`), fields.get(`${row}.value`)]
    if (called === '' && value === '') continue
    const [heldName, heldValue] = readHeld(fields.get(`${row}.was`))
    const member = heldName !== undefined && called === toShown(heldName) ? heldName : called
    const place = { field: `${row}.name`, label: `Name ${at + 1}` }
    if (called === '') wrong.push(toWrong(place, missingText(place.field)))
    if (members.has(member)) wrong.push(toWrong(place, `${place.field} is used twice.`))
    const read = readValue(value, heldValue)
    if (read === undefined) {
      const field = `${row}.value`
      wrong.push(toWrong({ field, label: `Value ${at + 1}` }, `${field} is not valid JSON.`))
    } else members.set(member, read)
  }
  refuseIfAny(wrong)
  return Object.fromEntries(members)
}

function readHeld(text: string): [name?: string, value?: Json | undefined] {
  const { json: held } = parse(text)
  return Array.isArray(held) && typeof held[0] === 'string' ? [held[0], held[1]] : []
}

/** A changed value that was JSON stays JSON, unless it now reads as a text. Undefined if it is neither. */
function readValue(typed: string, held: Json | undefined): Json | undefined {
  if (held === undefined || isPlain(held)) return typed
  if (typed === toShown(held)) return held
  const { json: parsed } = parse(typed)
  if (/^["[{]/.test(typed)) return parsed
  // `007` and `1.50` would lose digits as numbers.
  return parsed !== undefined && JSON.stringify(parsed) === typed ? parsed : typed
}

function parse(text: string): { json?: Json } {
  try {
    return { json: JSON.parse(text) as Json }
  } catch {
    return {}
  }
}
