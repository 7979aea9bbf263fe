import type { Action } from '../kernel/action.ts'
import type { JsonObject } from '../kernel/shape.ts'
import { Code, DocsShell, type DocsSite, Prose } from './docs-shell.tsx'
import { TableScroll } from './docs-markdown.tsx'
import { ErrorTable } from './docs-overview.tsx'
import { type AnswerMember, type FieldView, errorsOf, fieldsOf, membersOf } from './reference-fields.ts'
import { ReferenceForm, type RunResult } from './reference-form.tsx'
import { snippetsFor } from './reference-snippets.ts'

interface ReferencePageProps {
  site: DocsSite
  action: Action
  /** The price of a call, in sentences. */
  costs: readonly string[]
  hasPrice: boolean
  /** The values of the form. */
  request: JsonObject
  result?: RunResult | undefined
}

export const CALLERS: Record<Action['auth'], string> = {
  none: 'Anybody may call it.',
  'public-key': 'It needs an API key, secret or public.',
  'secret-key': 'It needs a secret API key.',
}

export const ONCE = 'With an `Idempotency-Key` it acts once, however often it is sent.'

/** Everything about one action, and a form that runs it. */
export const ReferencePage = ({ site, action, costs, hasPrice, request, result }: ReferencePageProps) => {
  const fields = fieldsOf(action)
  const { name, synonyms = [], example } = action
  const snippets = snippetsFor(site.baseUrl, { action: name, ...request }, action.auth !== 'none')
  return (
    <DocsShell site={site} title={name} here={`/docs/actions/${name}`}>
      <h1>
        <code>{name}</code>
      </h1>
      <p class="lead">
        <Prose text={action.summary} />
      </p>
      <ul class="facts">
        <li>{CALLERS[action.auth]}</li>
        {costs.map((cost) => (
          <li key={cost}>{cost}</li>
        ))}
        {synonyms.length > 0 && (
          <li>
            Also called <code>{synonyms.join(', ')}</code>.
          </li>
        )}
        {(action.once || action.onceWhen) && (
          <li>
            <Prose text={ONCE} />
          </li>
        )}
      </ul>
      <h2 id="try">Try it</h2>
      <ReferenceForm action={action} fields={fields} request={request} result={result} devnet={site.devnet} />
      <h2 id="code">As code</h2>
      <div id="docs-code">
        {snippets.map(({ language, name, code }, at) => (
          <details key={language} name="snippet" open={at === 0}>
            <summary>{name}</summary>
            <Code text={code} language={language} />
          </details>
        ))}
      </div>
      <h2 id="fields">Fields</h2>
      {fields.length === 0 ? <p>None.</p> : <FieldTable fields={fields} />}
      <h2 id="answer">Answer</h2>
      <p>For example:</p>
      <Code text={JSON.stringify(example.response, null, 2)} language="json" />
      <details>
        <summary>Members</summary>
        <AnswerTable members={membersOf(action.output)} />
      </details>
      <h2 id="errors">Errors</h2>
      <p>
        Beside <a href="/docs#errors">what any action can answer</a>:
      </p>
      <ErrorTable errors={errorsOf(action, hasPrice)} />
    </DocsShell>
  )
}

const AnswerTable = ({ members }: { members: readonly AnswerMember[] }) => (
  <TableScroll>
    <table class="stack">
      <thead>
        <tr>
          <th>Member</th>
          <th>Type</th>
        </tr>
      </thead>
      <tbody>
        {members.map(({ path, type, optional }) => (
          <tr key={path}>
            <td>
              <code>{path}</code>
            </td>
            <td>
              {type}
              {optional && <span class="small">not always</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)

const FieldTable = ({ fields }: { fields: readonly FieldView[] }) => (
  <TableScroll>
    <table class="stack">
      <thead>
        <tr>
          <th>Field</th>
          <th>Type</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, required, type, limits, description, synonyms }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
              {required && <span class="tag">required</span>}
              {synonyms.length > 0 && <span class="small">{`or ${synonyms.join(', ')}`}</span>}
            </td>
            <td>
              {type}
              {limits !== '' && <span class="small">{limits}</span>}
            </td>
            <td>
              <Prose text={description} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)
