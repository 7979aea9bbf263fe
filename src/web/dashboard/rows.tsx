import type { ComponentChildren } from 'preact'
import type { FormState } from '../../kernel/page.ts'
import type { Control } from '../../kernel/resource/field.ts'

/* Short tables in forms. Without scripts, one empty row follows the filled ones; a script adds and removes rows. */

/** Empty rows of a table that has none. */
const ROWS_READY = 2
const ROWS_MORE = 10

export interface GroupProps<C extends Control> {
  name: string
  control: C
  filled: FormState
  /** The purposes for which the form shows this field; the stylesheet hides it for others. */
  purposes?: string | undefined
}

const errorOf = ({ error, errors }: FormState, name: string) =>
  errors?.[name] ?? (error?.field === name ? error.text : undefined)

export const Group = (props: GroupProps<Control> & { children: ComponentChildren }) => {
  const { name, control, filled, purposes, children } = props
  const { label, hint } = control
  const text = errorOf(filled, name)
  return (
    <fieldset id={`f-${name}`} tabIndex={-1} data-for={purposes} class={text === undefined ? 'field' : 'field wrong'}>
      <legend>{label}</legend>
      {hint && <p class="hint">{hint}</p>}
      {text !== undefined && <p class="error">{text}</p>}
      {children}
    </fieldset>
  )
}

/** The number of rows up to the last one that has a value. */
export function rowsIn(name: string, values: Readonly<Record<string, string>>): number {
  const places = Object.entries(values).map(([input, value]) =>
    input.startsWith(`${name}[`) && value.trim() !== '' ? Number.parseInt(input.slice(name.length + 1), 10) + 1 : 0,
  )
  return Math.max(0, ...places.filter((place) => place > 0 && place <= 1_000))
}

const Cell = ({
  filled,
  name,
  label,
  control,
}: Omit<GroupProps<Control>, 'control' | 'purposes'> & { label: string; control: Control | undefined }) => {
  const isWrong = errorOf(filled, name) !== undefined
  return (
    <input
      id={`f-${name}`}
      name={name}
      aria-label={label}
      aria-describedby={isWrong ? `${name}-error` : undefined}
      aria-invalid={isWrong ? 'true' : undefined}
      autofocus={isWrong}
      autocomplete="off"
      spellcheck={false}
      inputMode={control?.as === 'text' && control.decimal ? 'decimal' : undefined}
      placeholder={control?.placeholder}
      value={filled.values[name] ?? ''}
    />
  )
}

type Cells = readonly { end: string; label: string; control: Control | undefined }[]

/** The cells of a row, by the ends of their names. */
function cellsOf(control: Tabular): Cells {
  if (control.as !== 'list')
    return Object.entries(control.columns).map(([column, { control: of }]) => ({
      end: `.${column}`,
      label: of?.label ?? column,
      control: of,
    }))
  const { one: label, placeholder, decimal } = control
  return [
    {
      end: '',
      label,
      control: { as: 'text', label, ...(placeholder && { placeholder }), ...(decimal && { decimal }) },
    },
  ]
}

type Tabular = Extract<Control, { as: 'rows' | 'list' | 'members' }>

export const Rows = (props: GroupProps<Tabular>) => {
  const { name, filled } = props
  const { as, max, one, add } = props.control
  const isFilled = (end: string) =>
    Object.entries(filled.values).some(
      ([input, value]) => input.startsWith(`${name}[`) && input.endsWith(end) && value !== '',
    )
  const cells = cellsOf(props.control).filter(({ end, control }) => !control?.isRare || isFilled(end))
  // Amounts are short; other texts get the width that there is.
  const isWide = as === 'members' || (as === 'list' && !props.control.decimal)
  const kind = `line of-${cells.length}${isWide ? ' wide' : ''}`
  const ready = Math.min(Math.max(rowsIn(name, filled.values) + 1, ROWS_READY), max)
  const lines = Array.from({ length: Math.min(ready + ROWS_MORE, max) }, (_, at) => {
    const named = cells.map(({ end, label, control }) => ({
      control,
      name: `${name}[${at}]${end}`,
      label: `${one} ${at + 1}${end && `, ${label.toLowerCase()}`}`,
    }))
    const acts = `${one.toLowerCase()} ${at + 1}`
    const wrong = [...new Set([`${name}[${at}]`, ...named.map((cell) => cell.name)])].flatMap((each) => {
      const text = errorOf(filled, each)
      return text === undefined ? [] : [{ name: each, text }]
    })
    return (
      <div class={wrong.length > 0 ? `${kind} wrong` : kind} key={at}>
        {named.map((cell) => (
          <Cell key={cell.name} filled={filled} {...cell} />
        ))}
        {as === 'members' && (
          <input type="hidden" name={`${name}[${at}].was`} value={filled.values[`${name}[${at}].was`]} />
        )}
        <span class="moves" hidden>
          <button type="button" class="bare" data-by="-1" aria-label={`Move ${acts} up`}>
            ↑
          </button>
          <button type="button" class="bare" data-by="1" aria-label={`Move ${acts} down`}>
            ↓
          </button>
        </span>
        <button type="button" class="bare remove" hidden aria-label={`Remove ${acts}`}>
          ×
        </button>
        {wrong.map((each) => (
          <p key={each.name} class="error" id={`${each.name}-error`}>
            {each.text}
          </p>
        ))}
      </div>
    )
  })
  return (
    <Group {...props}>
      <div class="lines" data-rows={max}>
        {cells.length > 1 && (
          <div class={`${kind} headings`} aria-hidden="true">
            {cells.map(({ end, label }) => (
              <span key={end}>{label}</span>
            ))}
          </div>
        )}
        {lines.slice(0, ready)}
        {lines.length > ready && (
          <details>
            <summary>{add}</summary>
            <div class="lines">{lines.slice(ready)}</div>
          </details>
        )}
        <button type="button" class="bare add" hidden>
          {add}
        </button>
      </div>
    </Group>
  )
}
