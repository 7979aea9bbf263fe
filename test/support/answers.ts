import { Ajv, type ValidateFunction } from 'ajv'
import type { Action } from '../../src/kernel/action.ts'

const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true })
const compiled = new WeakMap<object, ValidateFunction>()

/** Checks an answer of an action against what the action says it answers. Refusals have an `error` and are not its business. */
export function checkAnswer(
  actions: readonly Action[],
  name: unknown,
  { status, text }: { status: number; text: string },
) {
  const action = actions.find((one) => one.name === name || one.synonyms?.includes(String(name)))
  if (!action || status !== 200) return
  const body = JSON.parse(text) as unknown
  if (typeof body === 'object' && body !== null && 'error' in body) return
  let validate = compiled.get(action.output)
  if (!validate) compiled.set(action.output, (validate = ajv.compile(action.output)))
  if (validate(body)) return
  throw new Error(
    `${action.name} answers other than it says: ${ajv.errorsText(validate.errors)}\n${text.slice(0, 2_000)}`,
  )
}
