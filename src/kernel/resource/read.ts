import { isDeepStrictEqual } from 'node:util'
import { openNearest } from '../nearest-name.ts'
import { given } from '../shown-fields.ts'
import { LONG_NAME, callable, isReadElsewhere } from '../parse-fields.ts'
import { badField } from '../errors.ts'
import type { Field, FieldsOf } from './field.ts'
import { type RecordOf, type Entity, type ValuesOf, show, shownSchema } from './resource.ts'
import { RefusedInputs, type Wrong, attempt, refuseIfAny, toWrong } from './wrong-fields.ts'

type Body = Readonly<Record<string, unknown>>

/** Reads a new record: all fields, with their defaults. All errors are reported together. */
export function readNew<F extends FieldsOf, R>(of: Entity<F, R>, context: R, body: Body) {
  return readBody(of, context, body, undefined) as ValuesOf<F>
}

/** Reads a change: only the fields in the body. Fields that cannot be set may be sent back as they were shown. */
export function readChange<F extends FieldsOf, R>(of: Entity<F, R>, context: R, body: Body, held: RecordOf<F>) {
  return readBody(of, context, body, held) as Partial<ValuesOf<F>>
}

function readBody<F extends FieldsOf, R>(of: Entity<F, R>, context: R, body: Body, held: RecordOf<F> | undefined) {
  const wrong: Wrong[] = []
  const values: Record<string, unknown> = {}
  const shown = held ? show(of, context, held) : {}
  const others: Record<string, unknown> = { ...held }
  const reading = { rules: of.rules(context), others }
  const settable = settableOf(of)
  const known = settable.map(({ wire }) => wire)
  // Unknown fields come first: one may be a misspelling of a field that seems to be missing.
  for (const name of unusedOf(body, known)) {
    if (held && Object.hasOwn(of.beside, name)) continue
    if (Object.hasOwn(shown, name) && isDeepStrictEqual(shown[name], body[name])) continue
    const text = Object.hasOwn(shown, name) ? `${name} cannot be set.` : unknownField(name, known)
    wrong.push(toWrong({ field: callable(name), label: callable(name) }, text))
  }
  for (const { name, field, wire } of settable) {
    if (held && (body[wire] === undefined || (field.emptyLeaves && given(body[wire]) === undefined))) continue
    if (field.isShownInPart && wire in shown && shown[wire] === body[wire]) continue
    const value = attempt(wrong, placeOf(field, wire), () => {
      if (body[wire] instanceof RefusedInputs) throw body[wire].error
      const read = field.read(body[wire], { ...reading, path: wire })
      if (held && field.set === 'once' && !isDeepStrictEqual(read, others[name]))
        throw badField(wire, `${wire} cannot be changed.`)
      return read
    })
    others[name] = values[name] = value
  }
  for (const { name, field, wire } of settable) {
    if (wrong.some((one) => one.field === wire)) continue
    attempt(wrong, placeOf(field, wire), () => {
      const text = of.refuse[name]?.(others as Partial<ValuesOf<F>>, held)
      if (text !== undefined) throw badField(wire, text)
    })
  }
  refuseIfAny(wrong)
  return values
}

/** Refuses unknown fields before it is known which record the request is about. */
export function refuseUnknown<F extends FieldsOf, R>(of: Entity<F, R>, body: Body): void {
  const known = [...settableOf(of).map(({ wire }) => wire), ...Object.keys(shownSchema(of).properties)]
  refuseIfAny(
    unusedOf(body, known).map((name) =>
      toWrong({ field: callable(name), label: callable(name) }, unknownField(name, known)),
    ),
  )
}

const settableOf = <F extends FieldsOf, R>(of: Entity<F, R>) => of.named.filter(({ field }) => field.kind !== 'kept')

const unusedOf = (body: Body, known: readonly string[]) =>
  Object.keys(body).filter((name) => !known.includes(name) && body[name] !== undefined && !isReadElsewhere(name))

const placeOf = ({ control }: Field<unknown>, wire: string) => ({
  field: wire,
  label: control?.label ?? wire,
  formText: control?.formText,
})

/** Otherwise a misspelt field would go unnoticed. */
function unknownField(name: string, known: readonly string[]): string {
  const called = callable(name)
  const near = called === LONG_NAME ? undefined : openNearest(known)(name)
  return `The field ${called} is not used here.${near === undefined ? '' : ` Did you mean ${near}?`}`
}
