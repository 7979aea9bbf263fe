import type { Action } from '../kernel/action.ts'
import { Layout } from './layout.tsx'

interface FieldDescription {
  description?: string
}

const DOORS: Record<Action['auth'], string> = {
  none: 'anybody',
  'public-key': 'any API key',
  'secret-key': 'secret API key',
}

/** The landing page: what this is, one call that works, and every action from the registry. */
export const ReferencePage = ({
  actions,
  baseUrl,
  devnet,
}: {
  actions: readonly Action[]
  baseUrl: string
  devnet: boolean
}) => (
  <Layout title="nano-gateway API" devnet={devnet}>
    <h1>One endpoint for Nano</h1>
    <p>
      POST a JSON object to <code>{baseUrl}</code>. The member <code>action</code> names the operation, the others are
      its parameters.
    </p>
    <pre>{curl(baseUrl, { action: 'block_count' })}</pre>
    <p>
      An <code>error</code> member means failure, also with status 200: what the ledger itself refuses keeps the node's
      exact text. Amounts are in raw; each has a twin ending in <code>_nano</code>. A username <code>@name</code> may
      stand wherever an account does. Flags may be <code>true</code>, <code>"true"</code>, <code>1</code> or{' '}
      <code>"1"</code>. Confirmations arrive by websocket at <code>{`${baseUrl.replace(/^http/, 'ws')}/ws`}</code>.
    </p>
    <h2>Actions</h2>
    <table>
      <thead>
        <tr>
          <th>Action</th>
          <th>Who may call it</th>
          <th>What it does</th>
        </tr>
      </thead>
      <tbody>
        {actions.map(({ name, auth, summary }) => (
          <tr key={name}>
            <td>
              <a href={`#${name}`}>{name}</a>
            </td>
            <td>{DOORS[auth]}</td>
            <td>
              <Prose text={summary} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    {actions.map((action) => (
      <ActionEntry key={action.name} action={action} baseUrl={baseUrl} />
    ))}
  </Layout>
)

const ActionEntry = ({ action, baseUrl }: { action: Action; baseUrl: string }) => {
  const required = new Set((action.input as { required?: string[] }).required ?? [])
  const fields = Object.entries(action.input.properties as Record<string, FieldDescription>)
  return (
    <section class="action" id={action.name}>
      <h3>
        <code>{action.name}</code>
      </h3>
      <p>
        <Prose text={action.summary} />
      </p>
      <p class="also">
        {`For ${action.auth === 'none' ? 'anybody' : `callers with ${action.auth === 'secret-key' ? 'a secret' : 'an'} API key`}`}
        {action.synonyms && `, also called ${action.synonyms.join(', ')}`}
      </p>
      {fields.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Field</th>
              <th>Needed</th>
              <th>Meaning</th>
            </tr>
          </thead>
          <tbody>
            {fields.map(([name, { description }]) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td>{required.has(name) ? 'yes' : 'no'}</td>
                <td>
                  <Prose text={description ?? ''} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <details>
        <summary>Example</summary>
        <pre>{curl(baseUrl, { action: action.name, ...action.example.request })}</pre>
        <pre>{JSON.stringify(action.example.response, null, 2)}</pre>
      </details>
    </section>
  )
}

/** Backticks mark code in descriptions, as they do in the sources. */
const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
)

function curl(baseUrl: string, request: object): string {
  return `curl -d '${JSON.stringify(request)}' ${baseUrl}`
}
