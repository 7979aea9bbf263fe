import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../kernel/errors.ts'
import type { FormFields, FormState } from '../../kernel/page.ts'
import type { Control, FieldsOf, Rules } from '../../kernel/resource/field.ts'
import { RefusedInputs } from '../../kernel/resource/wrong-fields.ts'
import { type AnyEntity, type Entity, type RecordOf, show } from '../../kernel/resource/resource.ts'
import { type Json, type JsonObject, toList, toObject } from '../../kernel/shape.ts'
import { ColourField, EMPTY, PictureField, SelectField, TextField, isIn, toPicked } from './form.tsx'
import { inputsToMembers, membersToInputs } from './members.ts'
import { Group, type GroupProps, Rows, rowsIn } from './rows.tsx'
import { Card } from './show.tsx'
import { fromTyped } from './typed-amount.ts'

/*
 * The form of a resource, made from its declaration. It works without scripts; inputs of rows have the same names as in
 * refusals: `items[0].price`.
 */

type Purpose = 'create' | 'change'
type Named = Pick<AnyEntity, 'named'>
type ControlAs<A extends Control['as']> = Extract<Control, { as: A }>

/** How a form with many fields is arranged. */
export interface Layout {
  /** The fields that are shown at once, in order. */
  first: readonly string[]
  /** Behind a click, in groups; fields that are named nowhere are in the last. */
  more: readonly { title: string; fields: readonly string[] }[]
  /** Fields that not every purpose of such a form has, by the purposes that have them. */
  only?: Readonly<Record<string, readonly string[]>>
}

const controlsOf = (of: Named, purpose: Purpose) =>
  of.named.flatMap(({ field: { kind, control, isRequired }, wire }) =>
    control && kind !== 'kept' && !(control.isForNew && purpose === 'change') ? [{ control, wire, isRequired }] : [],
  )

/** The name of a choice's box. */
export const boxOf = (name: string, value: string) => `${name}-${value}`

/** What the form shows of a record. A refused form shows what was typed; another form on the same page shows the stored values. */
export function formState<F extends FieldsOf, R>(
  of: Entity<F, R>,
  context: R,
  record: RecordOf<F>,
  filled = EMPTY,
  timeZone = 'UTC',
): FormState {
  const shown = show(of, context, record)
  const values: Record<string, string> = {}
  for (const { wire, control } of controlsOf(of, 'change'))
    Object.assign(values, toInputs(wire, control, shown[wire], timeZone))
  if (Object.keys(values).some((name) => name in filled.values)) return filled
  return { ...filled, values: { ...values, ...filled.values } }
}

function toInputs(name: string, control: Control, stored: Json | undefined, timeZone: string): Record<string, string> {
  const value = isDeepStrictEqual(stored, control.unset) ? undefined : stored
  if (control.as === 'members') return membersToInputs(name, value)
  if (control.as === 'group') {
    const inputs = Object.entries(control.parts).map(([part, of]) =>
      toInputs(`${name}.${part}`, of, toObject(value)[part], timeZone),
    )
    return Object.assign({}, ...inputs) as Record<string, string>
  }
  if (control.as === 'text' && control.toInput && value !== undefined && value !== null)
    return { [name]: control.toInput(value, timeZone) }
  if (control.as === 'list')
    return Object.fromEntries(toList(value).map((each, at) => [`${name}[${at}]`, String(each)]))
  if (control.as === 'choices')
    return Object.fromEntries(toList(value).map((each) => [boxOf(name, String(each)), 'yes']))
  if (control.as !== 'rows') return { [name]: typeof value === 'string' || typeof value === 'number' ? `${value}` : '' }
  const cells = toList(value).flatMap((row, at) =>
    Object.keys(control.columns).map((column) => [`${name}[${at}].${column}`, String(toObject(row)[column] || '')]),
  )
  return Object.fromEntries(cells) as Record<string, string>
}

const isUnfilled = (value: unknown) =>
  value === undefined || value === '' || [[], {}, null].some((empty) => isDeepStrictEqual(value, empty))

interface Typed {
  fields: Pick<FormFields, 'get' | 'typed'>
  rules: Partial<Rules>
  /** The currency of amounts. */
  currency: string
  timeZone: string
}

/** The sent form as a request body. Rows that were left empty are undefined, so that the others keep their indexes. */
export function formBody<F extends FieldsOf, R>(
  of: Entity<F, R>,
  context: R,
  purpose: Purpose,
  fields: Pick<FormFields, 'get' | 'typed'>,
  {
    currency = fields.get('currency'),
    timeZone = 'UTC',
    has = () => true,
  }: { currency?: string; timeZone?: string; has?(wire: string): boolean } = {},
) {
  const body: Record<string, unknown> = {}
  const typed = { fields, rules: of.rules(context), currency, timeZone }
  for (const { wire, control } of controlsOf(of, purpose)) {
    if (!has(wire)) continue
    try {
      body[wire] = fromInputs(wire, control, typed)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      body[wire] = new RefusedInputs(error)
    }
  }
  return body
}

const isDecimal = (control: Control | undefined) =>
  (control?.as === 'text' || control?.as === 'list') && control.decimal === true

function fromInputs(name: string, control: Control, typed: Typed): unknown {
  const { fields, rules, currency } = typed
  const get = (input: string, of: Control | undefined = control) =>
    isDecimal(of) ? fromTyped(fields.get(input).replace(/\s*%$/, ''), currency) : fields.get(input)
  if (control.as === 'members') return inputsToMembers(name, fields)
  // A form without the boxes says nothing of them, unlike one without a tick.
  if (control.as === 'choices' && get(boxOf(name, '')) === '') return undefined
  if (control.as === 'choices')
    return control.options(rules).flatMap(([value]) => (get(boxOf(name, value)) === '' ? [] : [value]))
  if (control.as === 'list') {
    const rows = Array.from({ length: rowsIn(name, fields.typed()) }, (_, at) => get(`${name}[${at}]`))
    return rows.map((each) => (each === '' ? undefined : each))
  }
  if (control.as === 'text' && control.fromInput) return control.fromInput(get(name), typed.timeZone)
  if (control.as === 'group') {
    const parts = Object.entries(control.parts).map(([part, of]) => [part, fromInputs(`${name}.${part}`, of, typed)])
    const filled = parts.filter(([, value]) => !isUnfilled(value))
    const object = Object.fromEntries(filled) as JsonObject
    return filled.length === 0 ? null : (control.tidy?.(object) ?? object)
  }
  if (control.as === 'colour') {
    const [written, was, picked] = [get(name), get(`${name}.was`), get(`${name}.picked`)]
    const isPicked = picked !== '' && picked !== toPicked(was, control.placeholder)
    // Without scripts only one of the two inputs follows the person.
    return isPicked && written === was ? picked : written
  }
  if (control.as === 'picture') return get(`${name}.remove`) === '' ? get(name) : ''
  if (control.as !== 'rows') return get(name)
  const columns = Object.entries(control.columns)
  return Array.from({ length: rowsIn(name, fields.typed()) }, (_, at): JsonObject | undefined => {
    const row = columns.map(([column, cell]) => [column, get(`${name}[${at}].${column}`, cell.control)] as const)
    return row.every(([, cell]) => cell === '') ? undefined : Object.fromEntries(row)
  })
}

export interface FieldsProps {
  of: Named
  purpose: Purpose
  rules: Partial<Rules>
  filled: FormState
  /** Which of its fields are shown; by default all. */
  has?(wire: string): boolean
}

type Controls = { wire: string; control: Control; isRequired: boolean }[]

/** The fields of the form, in the order of the declaration. */
export const Fields = ({ of, purpose, has = () => true, ...props }: FieldsProps) => (
  <Lines {...props} of={controlsOf(of, purpose).filter(({ wire }) => has(wire))} />
)

/** The usual fields in a card, and the others in groups behind a click. */
export const FieldCards = (props: FieldsProps & { layout: Layout }) => {
  const { of, purpose, layout, has = () => true, ...inputs } = props
  const { values, error, errors = {} } = inputs.filled
  const controls = controlsOf(of, purpose).filter(({ wire }) => has(wire))
  const named = (wires: readonly string[]) => wires.flatMap((wire) => controls.find((each) => each.wire === wire) ?? [])
  const placed = new Set([...layout.first, ...layout.more.flatMap(({ fields }) => fields)])
  const groups = layout.more.map(({ title, fields }, at) => {
    const rest = at === layout.more.length - 1 ? controls.filter(({ wire }) => !placed.has(wire)) : []
    return { title, controls: [...named(fields), ...rest] }
  })
  const typed = Object.entries(values).flatMap(([name, value]) => (value === '' ? [] : [name]))
  const names = [...typed, ...Object.keys(errors), error?.field ?? '']
  const isUsed = ({ wire, control }: Controls[number]) =>
    control.as !== 'choice' && names.some((name) => isIn(wire, name))
  return (
    <>
      <Card>
        <Lines {...inputs} only={layout.only} of={named(layout.first)} />
      </Card>
      <details class="card fold" open={groups.some((group) => group.controls.some(isUsed))}>
        <summary>
          More <span class="soft">{groups.map(({ title }) => title.toLowerCase()).join(', ')}</span>
        </summary>
        {groups.map((group) => (
          <section key={group.title}>
            <h2>{group.title}</h2>
            <Lines {...inputs} only={layout.only} of={group.controls} />
          </section>
        ))}
      </details>
    </>
  )
}

type InputProps = Omit<FieldsProps, 'of' | 'purpose' | 'has'> & { only?: Layout['only'] }

const Lines = ({ of, ...props }: InputProps & { of: Controls }) => {
  const lines: Controls[] = []
  for (const each of of) {
    const before = lines.at(-1)?.at(-1)?.control.as
    if (each.control.isBeside && (before === 'text' || before === 'choice')) lines.at(-1)!.push(each)
    else lines.push([each])
  }
  return (
    <>
      {lines.map((line) => {
        const inputs = line.map((each) => <Input key={each.wire} {...props} {...each} />)
        return line.length === 1 ? inputs : <div class="pair">{inputs}</div>
      })}
    </>
  )
}

const Input = (props: InputProps & Controls[number]) => {
  const { wire: name, control, isRequired, filled, rules, only = {} } = props
  const { as, label, hint, placeholder } = control
  const purposes = only[name]?.join(' ')
  const common = { filled, name, label, purposes, ...(hint && { hint }), ...(placeholder && { placeholder }) }
  if (as === 'choice') {
    const options = control.options(rules)
    return options.length === 0 ? null : <SelectField {...common} required options={options} />
  }
  if (as === 'group') {
    const parts = Object.entries(control.parts).map(([part, of]) => ({
      wire: `${name}.${part}`,
      control: of,
      isRequired: false,
    }))
    return (
      <Group {...{ name, control, filled, purposes }}>
        <Lines {...props} of={parts} />
      </Group>
    )
  }
  if (as === 'choices') return <Choices {...{ name, control, filled, rules }} />
  if (as === 'rows' || as === 'list' || as === 'members') return <Rows {...{ name, control, filled, purposes }} />
  if (as === 'picture') return <PictureField {...common} />
  if (as === 'colour') return <ColourField {...common} />
  return (
    <TextField
      {...common}
      {...(control.isSecret && { type: 'password', autocomplete: 'new-password' })}
      {...(control.type && { type: control.type })}
      {...(control.digits && { inputMode: 'numeric' })}
      {...(control.decimal && { inputMode: 'decimal' })}
      {...(control.max !== undefined && { maxLength: control.max })}
      {...(control.lines !== undefined && { rows: control.lines })}
      required={isRequired}
      expected={control.isExpected === true}
    />
  )
}

const Choices = ({ rules, ...group }: GroupProps<ControlAs<'choices'>> & Pick<FieldsProps, 'rules'>) => (
  <Group {...group}>
    <div class="choices">
      <input type="hidden" name={boxOf(group.name, '')} value="shown" />
      {group.control.options(rules).map(([value, text]) => (
        <label key={value} class="choice">
          <input
            type="checkbox"
            name={boxOf(group.name, value)}
            value="yes"
            checked={boxOf(group.name, value) in group.filled.values}
          />
          <span>
            {text === value ? '' : `${text} `}
            {/\w/.test(value) && <code>{value}</code>}
          </span>
        </label>
      ))}
    </div>
  </Group>
)

/** The refusal of a form, above all fields: links to the wrong ones, by their labels. */
export const Refusals = (props: Omit<FieldsProps, 'rules'> & { elsewhere?: readonly string[] }) => {
  const { error, errors = {} } = props.filled
  if (!error || (error.field !== undefined && props.elsewhere?.some((wire) => isIn(wire, error.field!)))) return null
  const places = controlsOf(props.of, props.purpose).flatMap(({ wire, control }) => {
    const field = Object.keys(errors).find((name) => isIn(wire, name))
    return field === undefined
      ? []
      : [
          ', ',
          <a key={wire} href={`#f-${field}`}>
            {control.label}
          </a>,
        ]
  })
  return (
    <p class="notice failed" role="alert">
      {places.length === 0 ? error.text : ['Nothing was saved. Please correct: ', ...places.slice(1)]}
    </p>
  )
}
