import type { ComponentChildren } from 'preact'
import type { FormState, FrameProps } from '../../kernel/page.ts'
import { inForm } from '../../kernel/resource/wrong-fields.ts'
import { pictureIdIn } from '../../kernel/shown-fields.ts'

export const EMPTY: FormState = { values: {} }

type Framed = Pick<FrameProps, 'csrf' | 'formToken' | 'opens'>

/**
 * Every form that changes something: it proves which page it comes from, and acts once however often it is sent. Visitors who may not
 * send it do not see it.
 */
export const Form = (props: {
  frame: Framed
  action: string
  label?: string
  children: ComponentChildren
  class?: string
  /** Whether it may send pictures. */
  uploads?: true
}) =>
  props.frame.opens('POST', props.action) ? (
    <form
      method="post"
      action={props.action}
      class={props.class}
      aria-label={props.label}
      enctype={props.uploads && 'multipart/form-data'}
    >
      <input type="hidden" name="csrf" value={props.frame.csrf} />
      <input type="hidden" name="form_token" value={props.frame.formToken} />
      {props.children}
    </form>
  ) : null

/** A link to a page, for visitors who may open it. */
export const WayTo = (props: {
  frame: Pick<FrameProps, 'opens'>
  href: string
  class?: string
  children: ComponentChildren
}) =>
  props.frame.opens('GET', props.href) ? (
    <a class={props.class} href={props.href}>
      {props.children}
    </a>
  ) : null

/** A form that is a single button. */
export const ActionButton = (props: {
  frame: Framed
  action: string
  children: string
  /** Text for screen readers: what the button acts on. */
  about?: string
  kind?: 'main' | 'plain' | 'danger'
  values?: Readonly<Record<string, string>>
}) => (
  <Form frame={props.frame} action={props.action} class="inline">
    {Object.entries(props.values ?? {}).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
    <button class={props.kind ?? 'plain'}>
      {props.children}
      {props.about && <span class="unseen">{` ${props.about}`}</span>}
    </button>
  </Form>
)

/** Shown instead of a form that needs a confirmed identity: asking afterwards would lose what was typed. */
export const ProveFirst = ({ next }: { next: string }) => (
  <>
    <p>To protect your money, we ask you to confirm it’s you every 15 minutes.</p>
    <p>
      <a class="button" href={`/dashboard/prove?next=${encodeURIComponent(next)}`}>
        Prove it
      </a>
    </p>
  </>
)

/** Asks a second time before an action that cannot be undone, without any script. */
export const Confirmed = (props: { ask: string; about?: string; kind?: 'danger'; children: ComponentChildren }) => (
  <details class={`confirm ${props.kind ?? ''}`}>
    <summary>
      {props.ask}
      {props.about && <span class="unseen">{` ${props.about}`}</span>}
    </summary>
    <div class="confirm-body">{props.children}</div>
  </details>
)

/** Whether a name is that of a field, or of a part of it such as `items[2].price`. */
export const isIn = (wire: string, name: string) =>
  name === wire || (name.startsWith(wire) && /^[.[]/.test(name.slice(wire.length)))

interface FieldProps {
  filled: FormState
  name: string
  label: string
  hint?: ComponentChildren
  required?: boolean
  /** Leaves out the label “optional” although the field is optional. */
  expected?: boolean
  /** The purposes that have this field, where the form offers a choice of purpose. Styles hide the field for the others. */
  purposes?: string | undefined
}

function Labelled(
  props: FieldProps & { children: (described: string | undefined, wrong: boolean) => ComponentChildren },
) {
  const { filled, name, label, hint, required, expected, purposes, children } = props
  const refusal = filled.errors?.[name] ?? (filled.error?.field === name ? filled.error.text : undefined)
  const text = refusal === undefined ? undefined : inForm({ field: name, label }, refusal)
  const wrong = text !== undefined
  const described = [hint !== undefined && `${name}-hint`, wrong && `${name}-error`].filter(Boolean).join(' ')
  return (
    <div class={wrong ? 'field wrong' : 'field'} data-for={purposes}>
      <label for={`f-${name}`}>
        {label}
        {required !== true && expected !== true && <span class="optional"> (optional)</span>}
      </label>
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children(described === '' ? undefined : described, wrong)}
      {wrong && (
        <p class="error" id={`${name}-error`}>
          {text}
        </p>
      )}
    </div>
  )
}

/** The attributes are typed for one type of input each; ours exist for all of these types. */
const kindOf = (type: string = 'text') => ({ type }) as { type: 'text' }

export const TextField = (
  props: FieldProps & {
    type?: 'text' | 'email' | 'password' | 'url' | 'date'
    inputMode?: 'decimal' | 'numeric'
    autocomplete?: string
    placeholder?: string
    maxLength?: number
    rows?: number
  },
) => (
  <Labelled {...props}>
    {(described, wrong) => {
      const common = {
        id: `f-${props.name}`,
        name: props.name,
        'aria-describedby': described,
        'aria-invalid': wrong ? ('true' as const) : undefined,
        // The visitor corrects the wrong field first.
        autofocus: wrong,
        required: props.required,
        maxLength: props.maxLength,
        placeholder: props.placeholder,
        autocomplete: props.autocomplete ?? 'off',
      }
      const value = props.filled.values[props.name] ?? ''
      // HTML ignores the first line break of a textarea.
      if (props.rows !== undefined) return <textarea {...common} rows={props.rows}>{`\n${value}`}</textarea>
      return (
        <input
          {...common}
          {...kindOf(props.type)}
          inputMode={props.inputMode}
          spellcheck={false}
          value={props.type === 'password' ? '' : value}
        />
      )
    }}
  </Labelled>
)

/** Chooses a picture: a file, or behind a click the address of one that is online. */
export const PictureField = (props: FieldProps) => {
  const { filled, name } = props
  const url = filled.values[name] ?? ''
  const id = pictureIdIn(url)
  return (
    <Labelled {...props}>
      {(described, wrong) => (
        <div class="upload">
          {id !== undefined && <img src={`/pictures/${id}`} alt="The picture as it is" />}
          <div>
            <input
              id={`f-${name}`}
              name={`${name}.file`}
              type="file"
              accept="image/png, image/jpeg, image/webp"
              aria-describedby={described}
              aria-invalid={wrong ? 'true' : undefined}
            />
            {id !== undefined && (
              <label class="choice">
                <input
                  type="checkbox"
                  name={`${name}.remove`}
                  value="yes"
                  checked={(filled.values[`${name}.remove`] ?? '') !== ''}
                />
                <span>Remove the picture</span>
              </label>
            )}
            <details open={url !== '' && id === undefined}>
              <summary>Use the address of a picture that is online</summary>
              <input name={name} type="url" aria-label={`Address of the ${props.label.toLowerCase()}`} value={url} />
            </details>
          </div>
        </div>
      )}
    </Labelled>
  )
}

/** What the picker of a colour shows beside a text. */
export const toPicked = (text: string, otherwise = '#000000') =>
  /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : otherwise

/** A colour as text with a picker beside it. A hidden input has the text as it was, which says which of the two somebody changed. */
export const ColourField = (props: FieldProps & { placeholder?: string }) => {
  const { name, label, placeholder, filled } = props
  const { [name]: text = '', [`${name}.was`]: was = text } = filled.values
  return (
    <Labelled {...props}>
      {(described, wrong) => (
        <div class="colour">
          <input
            id={`f-${name}`}
            name={name}
            aria-describedby={described}
            aria-invalid={wrong ? 'true' : undefined}
            autofocus={wrong}
            autocomplete="off"
            spellcheck={false}
            maxLength={7}
            placeholder={placeholder}
            value={text}
          />
          <input
            name={`${name}.picked`}
            type="color"
            aria-label={`Pick the ${label.toLowerCase()}`}
            value={filled.values[`${name}.picked`] ?? toPicked(text, placeholder)}
          />
          <input name={`${name}.was`} type="hidden" value={was} />
        </div>
      )}
    </Labelled>
  )
}

/** A program may have set a value that people are not offered: the form keeps it. */
const withValue = (options: SelectOptions, value: string): SelectOptions =>
  options.some(([one]) => one === value) || value === '' ? options : [...options, [value, value]]

type SelectOptions = readonly (readonly [string, string])[]

export const SelectField = (props: FieldProps & { options: SelectOptions }) => (
  <Labelled {...props}>
    {(described, wrong) => (
      <select
        id={`f-${props.name}`}
        name={props.name}
        aria-describedby={described}
        aria-invalid={wrong ? 'true' : undefined}
        autofocus={wrong}
      >
        {withValue(props.options, props.filled.values[props.name] ?? '').map(([value, text]) => (
          <option key={value} value={value} selected={(props.filled.values[props.name] ?? '') === value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Labelled>
)

/**
 * Shows the refusal of a form above its fields: the error itself, or links to the wrong fields, which show their own errors. Errors of
 * another form of the page are shown at that form.
 */
export const FormError = (props: {
  filled: FormState
  fields: readonly string[]
  elsewhere?: readonly string[] | undefined
}) => {
  const { filled, fields, elsewhere = [] } = props
  const { error } = filled
  if (!error || (error.field !== undefined && elsewhere.some((wire) => isIn(wire, error.field!)))) return null
  const isBeside = error.field !== undefined && fields.includes(error.field)
  return (
    <p class="notice failed" role="alert">
      {isBeside ? (
        <>
          Nothing was saved. Please correct <a href={`#f-${error.field}`}>the marked field</a>.
        </>
      ) : (
        error.text
      )}
    </p>
  )
}
