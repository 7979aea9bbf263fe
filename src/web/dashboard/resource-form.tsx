import { isDeepStrictEqual } from 'node:util'
import type { ComponentChildren } from 'preact'
import type { FormFields, FormState } from '../../kernel/page.ts'
import type { Control, FieldsOf, Rules } from '../../kernel/resource/field.ts'
import { type AnyNoun, type Noun, type RecordOf, show } from '../../kernel/resource/resource.ts'
import { type Json, type JsonObject, toList, toObject } from '../../kernel/shape.ts'
import { EMPTY, SelectField, TextField } from './form.tsx'
import { Card } from './show.tsx'

/* The form of a noun, from its declaration. It works without scripts; inputs of rows have the same names as in refusals: `items[0].price`. */

type Purpose = 'create' | 'change'
type Named = Pick<AnyNoun, 'named'>
type ControlAs<A extends Control['as']> = Extract<Control, { as: A }>

/** Empty rows below those that are filled; some more are in a part that can be opened. */
const ROWS_READY = 2
const ROWS_MORE = 10

const controlsOf = (of: Named, purpose: Purpose) =>
  of.named.flatMap(({ field: { kind, control, isRequired }, wire }) =>
    control && kind !== 'kept' && !(control.isForNew && purpose === 'change') ? [{ control, wire, isRequired }] : [],
  )

/** Whether a name is that of a field, or of a part of it such as `items[2].price`. */
const isIn = (wire: string, name: string) =>
  name === wire || (name.startsWith(wire) && /^[.[]/.test(name.slice(wire.length)))

/** The name of a choice's box. */
export const boxOf = (name: string, value: string) => `${name}-${value}`

/** What the form shows of a record. A refused form shows what was typed; another form on the same page shows the stored values. */
export function formState<F extends FieldsOf, R>(
  of: Noun<F, R>,
  context: R,
  record: RecordOf<F>,
  filled = EMPTY,
): FormState {
  const shown = show(of, context, record)
  const values: Record<string, string> = {}
  for (const { wire, control } of controlsOf(of, 'change')) Object.assign(values, toInputs(wire, control, shown[wire]))
  if (Object.keys(values).some((name) => name in filled.values)) return filled
  return { ...filled, values: { ...values, ...filled.values } }
}

function toInputs(name: string, control: Control, stored: Json | undefined): Record<string, string> {
  const value = isDeepStrictEqual(stored, control.unset) ? undefined : stored
  if (control.as === 'own') return control.toInputs(value)
  if (control.as === 'group') {
    const inputs = Object.entries(control.parts).map(([part, of]) =>
      toInputs(`${name}.${part}`, of, toObject(value)[part]),
    )
    return Object.assign({}, ...inputs) as Record<string, string>
  }
  if (control.as === 'text' && control.toInput && value !== undefined && value !== null)
    return { [name]: control.toInput(value) }
  if (control.as === 'list') return { [name]: toList(value).map(String).join(' ') }
  if (control.as === 'choices')
    return Object.fromEntries(toList(value).map((each) => [boxOf(name, String(each)), 'yes']))
  if (control.as !== 'rows') return { [name]: typeof value === 'string' || typeof value === 'number' ? `${value}` : '' }
  const cells = toList(value).flatMap((row, at) =>
    Object.keys(control.columns).map((column) => [`${name}[${at}].${column}`, String(toObject(row)[column] || '')]),
  )
  return Object.fromEntries(cells) as Record<string, string>
}

/** The sent form as a request body. Rows that were left empty are undefined, so that the others keep their indexes. */
export function formBody<F extends FieldsOf, R>(of: Noun<F, R>, context: R, purpose: Purpose, fields: FormFields) {
  const body: Record<string, unknown> = {}
  const rules = of.rules(context)
  for (const { wire, control } of controlsOf(of, purpose)) body[wire] = fromInputs(wire, control, fields, rules)
  return body
}

function fromInputs(name: string, control: Control, fields: FormFields, rules: Partial<Rules>): unknown {
  const get = (input: string) => fields.get(input)
  if (control.as === 'own') return control.fromInputs(get)
  if (control.as === 'choices')
    return control.options(rules).flatMap(([value]) => (get(boxOf(name, value)) === '' ? [] : [value]))
  if (control.as === 'list')
    return get(name)
      .split(/[\s;,%]+/)
      .filter((each) => each !== '')
  if (control.as === 'text' && control.fromInput) return control.fromInput(get(name))
  if (control.as === 'group') {
    const parts = Object.entries(control.parts).map(([part, of]) => [
      part,
      fromInputs(`${name}.${part}`, of, fields, rules),
    ])
    const typed = parts.filter(([, value]) => value !== '' && !isDeepStrictEqual(value, []))
    const object = Object.fromEntries(typed) as JsonObject
    return typed.length === 0 ? null : (control.tidy?.(object) ?? object)
  }
  if (control.as !== 'rows') return get(name)
  const columns = Object.keys(control.columns)
  return Array.from({ length: rowsIn(name, fields.typed()) }, (_, at): JsonObject | undefined => {
    const row = Object.fromEntries(columns.map((column) => [column, get(`${name}[${at}].${column}`)]))
    return Object.values(row).every((cell) => cell === '') ? undefined : row
  })
}

/** The number of rows up to the last one that has a value. */
function rowsIn(name: string, values: Readonly<Record<string, string>>): number {
  const places = Object.entries(values).map(([input, value]) =>
    input.startsWith(`${name}[`) && value.trim() !== '' ? Number.parseInt(input.slice(name.length + 1), 10) + 1 : 0,
  )
  return Math.max(0, ...places.filter((place) => place > 0 && place <= 1_000))
}

export interface FieldsProps {
  of: Named
  purpose: Purpose
  rules: Partial<Rules>
  filled: FormState
  /** Inputs of the page's own, by the names of their fields. */
  own?: Readonly<Record<string, ComponentChildren>>
}

type Controls = { wire: string; control: Control; isRequired: boolean }[]

/** Every field of the form, in the order of the declaration. */
export const Fields = (props: FieldsProps) => <Lines {...props} of={controlsOf(props.of, props.purpose)} />

/** The usual fields in a card, and behind a click those that few records have. */
export const FieldCards = ({ of, purpose, more, ...props }: FieldsProps & { more: string }) => {
  const { values, error, errors = {} } = props.filled
  const controls = controlsOf(of, purpose)
  const further = controls.filter(({ control }) => control.isFurther)
  const typed = Object.entries(values).flatMap(([name, value]) => (value === '' ? [] : [name]))
  const names = [...typed, ...Object.keys(errors), error?.field ?? '']
  const isUsed = ({ wire, control }: Controls[number]) =>
    control.as !== 'choice' && names.some((name) => isIn(wire, name))
  return (
    <>
      <Card>
        <Lines {...props} of={controls.filter(({ control }) => !control.isFurther)} />
      </Card>
      <details class="card" open={further.some(isUsed)}>
        <summary>{more}</summary>
        <div class="further">
          <Lines {...props} of={further} />
        </div>
      </details>
    </>
  )
}

type InputProps = Omit<FieldsProps, 'of' | 'purpose'>

const Lines = ({ of, ...props }: InputProps & { of: Controls }) => {
  const lines: Controls[] = []
  for (const each of of) {
    if (each.control.isBeside && lines.length > 0) lines.at(-1)!.push(each)
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
  const { wire: name, control, isRequired, filled, rules, own = {} } = props
  const { as, label, hint, placeholder } = control
  const common = { filled, name, label, ...(hint && { hint }), ...(placeholder && { placeholder }) }
  if (as === 'own') return <>{own[name]}</>
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
      <Group {...{ name, control, filled }}>
        <Lines {...props} of={parts} />
      </Group>
    )
  }
  if (as === 'choices') return <Choices {...{ name, control, filled, rules }} />
  if (as === 'rows') return <Rows {...{ name, control, filled }} />
  if (as === 'list') return <TextField {...common} />
  return (
    <TextField
      {...common}
      {...(control.isSecret && { type: 'password', autocomplete: 'new-password' })}
      {...(control.type && { type: control.type })}
      {...(control.digits && { inputMode: 'numeric' })}
      {...(control.max !== undefined && { maxLength: control.max })}
      {...(control.lines !== undefined && { rows: control.lines })}
      required={isRequired}
    />
  )
}

interface GroupProps<C extends Control> {
  name: string
  control: C
  filled: FormState
}

const Group = (props: GroupProps<Control> & { children: ComponentChildren }) => {
  const { name, control, filled, children } = props
  const { label, hint } = control
  const text = filled.errors?.[name] ?? (filled.error?.field === name ? filled.error.text : undefined)
  return (
    <fieldset id={`f-${name}`} tabIndex={-1} class={text === undefined ? 'field' : 'field wrong'}>
      <legend>{label}</legend>
      {hint && <p class="hint">{hint}</p>}
      {text !== undefined && <p class="error">{text}</p>}
      {children}
    </fieldset>
  )
}

const Choices = ({ rules, ...group }: GroupProps<ControlAs<'choices'>> & Pick<FieldsProps, 'rules'>) => (
  <Group {...group}>
    <div class="choices">
      {group.control.options(rules).map(([value, text]) => (
        <label key={value} class="choice">
          <input
            type="checkbox"
            name={boxOf(group.name, value)}
            value="yes"
            checked={boxOf(group.name, value) in group.filled.values}
          />
          <span>{text === value ? <code>{value}</code> : text}</span>
        </label>
      ))}
    </div>
  </Group>
)

const Rows = (props: GroupProps<ControlAs<'rows'>>) => {
  const { name, filled } = props
  const { columns, max, add } = props.control
  const ready = Math.min(rowsIn(name, filled.values) + ROWS_READY, max)
  const rows = Array.from({ length: Math.min(ready + ROWS_MORE, max) }, (_, at) => (
    <div class="pair" key={at}>
      {Object.entries(columns).map(([column, { control: cell }]) => {
        const input = { name: `${name}[${at}].${column}`, label: `${cell?.label ?? column} ${at + 1}` }
        return <TextField key={column} filled={filled} {...input} />
      })}
    </div>
  ))
  return (
    <Group {...props}>
      {rows.slice(0, ready)}
      {rows.length > ready && (
        <details>
          <summary>{add}</summary>
          {rows.slice(ready)}
        </details>
      )}
    </Group>
  )
}

/** The refusal of a form, above all fields: links to the wrong ones, by their labels. */
export const Refusals = (props: Omit<FieldsProps, 'rules'> & { elsewhere?: readonly string[] }) => {
  const { error, errors = {} } = props.filled
  if (!error || (error.field !== undefined && props.elsewhere?.includes(error.field))) return null
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
