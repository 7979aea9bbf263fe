import type { Action } from '../kernel/action.ts'
import type { JsonObject } from '../kernel/shape.ts'
import { Code, Prose } from './docs-shell.tsx'
import { type FieldView, toText } from './reference-fields.ts'

/** The result of a call that a reader made from the page. */
export interface RunResult {
  status: number
  milliseconds: number
  /** The answer, indented. */
  answer: string
  failed: boolean
  /** Headers worth showing. */
  headers: readonly (readonly [string, string])[]
}

interface FormProps {
  action: Action
  fields: readonly FieldView[]
  request: JsonObject
  result: RunResult | undefined
  devnet: boolean
}

/** Sends the action as a plain form; a script only avoids loading a new page. */
export const ReferenceForm = ({ action, fields, request, result, devnet }: FormProps) => {
  const isUsed = ({ name, required }: FieldView) => required || request[name] !== undefined
  const used = fields.filter(isUsed)
  const others = fields.filter((field) => !isUsed(field))
  const moves = action.once === true || action.onceWhen !== undefined
  return (
    <form class="try" method="post" action={`/docs/actions/${action.name}#try`}>
      {!devnet && moves && (
        <p class="warning">
          This runs on a network where nano is worth money, and the addresses of the example are not yours: put in your
          own first.
        </p>
      )}
      {action.auth !== 'none' && (
        <div class="field">
          <label for="try-authorization">API key</label>
          <input id="try-authorization" name="authorization" type="password" autocomplete="off" spellcheck={false} />
          <p class="hint">It is sent to this gateway only and kept nowhere.</p>
        </div>
      )}
      {used.map((field) => (
        <Field key={field.name} field={field} value={toText(request[field.name])} />
      ))}
      {others.length > 0 && (
        <details>
          <summary>{`${others.length} more ${others.length === 1 ? 'field' : 'fields'}`}</summary>
          {others.map((field) => (
            <Field key={field.name} field={field} value="" />
          ))}
        </details>
      )}
      <p class="try-buttons">
        <button class="button" type="submit">
          Run
        </button>
        <button class="button quiet" type="submit" name="only" value="code">
          Show as code
        </button>
      </p>
      <div id="docs-result" role="status" aria-live="polite">
        {result && <Result result={result} />}
      </div>
    </form>
  )
}

const Field = ({ field, value }: { field: FieldView; value: string }) => {
  const { name, required, description, control, choices, placeholder } = field
  const id = `try-${name}`
  const shared = { id, name, 'aria-describedby': `${id}-hint` }
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code>
        {required && <span class="tag">required</span>}
      </label>
      {control === 'text' && (
        <input {...shared} type="text" value={value} placeholder={placeholder} autocomplete="off" spellcheck={false} />
      )}
      {control === 'long' && (
        <textarea
          {...shared}
          rows={Math.min(12, value.split('\n').length + 1)}
          placeholder={placeholder}
          spellcheck={false}
        >
          {value}
        </textarea>
      )}
      {(control === 'flag' || control === 'choice') && (
        <select {...shared}>
          <option value="">not given</option>
          {(control === 'flag' ? ['true', 'false'] : choices).map((choice) => (
            <option key={choice} value={choice} selected={choice === value}>
              {choice}
            </option>
          ))}
        </select>
      )}
      <p class="hint" id={`${id}-hint`}>
        <Prose text={description} />
      </p>
    </div>
  )
}

const Result = ({ result }: { result: RunResult }) => {
  const { status, milliseconds, answer, failed, headers } = result
  return (
    <>
      <p>
        <strong class={failed ? 'bad' : 'good'}>{failed ? `Refused, status ${status}` : `Status ${status}`}</strong>
        {` in ${milliseconds} ms`}
      </p>
      {headers.map(([name, value]) => (
        <p key={name} class="small">
          <code>{`${name}: ${value}`}</code>
        </p>
      ))}
      <Code text={answer} language="json" />
    </>
  )
}
