import { TableScroll } from './docs-markdown.tsx'
import { Code, DocsShell, type DocsSite, Prose, moduleTitle, searchText } from './docs-shell.tsx'
import { COMMON_ERRORS, type ErrorView } from './reference-fields.ts'
import { curl } from './reference-snippets.ts'

/** The most frequent tasks, each with its page. */
const TASKS: readonly [task: string, path: string, title: string][] = [
  ['Try it on a laptop', 'getting-started', 'Quick start'],
  ['Understand the words', 'concepts', 'Concepts in five minutes'],
  ['Take a payment and receive its webhook', 'first-payment', 'Your first payment'],
  ['Put a button into a shop', 'any-shop', 'Any shop'],
  ['Sell without code', 'merchants', 'Links, invoices, subscriptions, till'],
  ['Give money back', 'refunds', 'Refunds'],
  ['Pay people or machines', 'wallets', 'Wallets'],
  ['Call it from a program', 'calling', 'Calling the API'],
  ['Give an AI agent tools', 'agents', 'Tools for agents'],
  ['Test without a network', 'devnet', 'The development ledger'],
  ['Run it for real', 'going-live', 'Going live'],
  ['Find out what is wrong', 'troubleshooting', 'Troubleshooting'],
]
/** Not in the menu: measurements, and reasons for the design. */
const NOTES = ['performance', 'reliability', 'scaling', 'security', 'decisions']

/** Tasks first, then how the API is called, and all of its actions. */
export const DocsOverview = ({ site }: { site: DocsSite }) => {
  return (
    <DocsShell site={site} title="Documentation" here="/docs">
      <h1>Documentation</h1>
      <h2 id="tasks">What do you want to do?</h2>
      <TableScroll>
        <table>
          <tbody>
            {TASKS.map(([task, path, title]) => (
              <tr key={path}>
                <td>{task}</td>
                <td>
                  <a href={`/docs/${path}`}>{title}</a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
      <h2 id="api">The API</h2>
      <p class="lead">
        POST a JSON object to <code>{site.baseUrl}</code>. Its member <code>action</code> names the action, the others
        are its fields. The answer is JSON.
      </p>
      <Code text={curl(site.baseUrl, { action: 'block_count' })} />
      <p class="docs-links">
        <a href="/openapi.json" download="nano-gateway-openapi.json">
          Download OpenAPI
        </a>
        <a href="/docs/contract">The contract</a>
        <a href="#conventions">Conventions</a>
        <a href="#errors">Errors</a>
      </p>
      <h2 id="actions">Actions</h2>
      {site.modules.map((module) => (
        <section key={module.name} data-group>
          <h3 id={module.name}>{moduleTitle(module)}</h3>
          <ul class="docs-actions">
            {module.actions.map((action) => (
              <li key={action.name} id={action.name} data-find={searchText(action)}>
                <a href={`/docs/actions/${action.name}`}>
                  <code>{action.name}</code>
                </a>
                {action.auth !== 'none' && <span class="tag">key</span>}
                <span class="docs-summary">
                  <Prose text={action.summary} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Conventions baseUrl={site.baseUrl} />
      <h2 id="notes">Engineering notes</h2>
      <p class="docs-links">
        {NOTES.map((path) => (
          <a key={path} href={`/docs/${path}`}>
            {`${path.charAt(0).toUpperCase()}${path.slice(1)}`}
          </a>
        ))}
      </p>
    </DocsShell>
  )
}

const Conventions = ({ baseUrl }: { baseUrl: string }) => (
  <>
    <h2 id="conventions">Conventions</h2>
    <ul>
      <li>
        An <code>error</code> member means failure, even with status 200: if the ledger itself refuses, it has the
        node’s exact text.
      </li>
      <li>
        Amounts are whole numbers of raw, as text; each has a counterpart in nano whose name ends in <code>_nano</code>.
        One nano is 10<sup>30</sup> raw.
      </li>
      <li>
        You can use <code>@username</code> wherever an account is expected.
      </li>
      <li>
        A flag is <code>true</code>, <code>"true"</code>, <code>1</code> or <code>"1"</code>. A field that an action of
        the service does not use is refused; the node’s actions name it in <code>X-Ignored-Fields</code>.
      </li>
      <li>
        Send a key in the header <code>Authorization: Bearer …</code>. Most reads need none.
      </li>
      <li>
        Actions that move money take an <code>Idempotency-Key</code>: the same key with the same body acts once.
      </li>
      <li>
        Confirmations arrive by websocket at <code>{`${baseUrl.replace(/^http/, 'ws')}/ws`}</code>.
      </li>
    </ul>
    <h2 id="errors">Errors that any action can return</h2>
    <ErrorTable errors={COMMON_ERRORS} />
  </>
)

export const ErrorTable = ({ errors }: { errors: readonly ErrorView[] }) => (
  <TableScroll>
    <table class="stack">
      <thead>
        <tr>
          <th>Status</th>
          <th>Code</th>
          <th>When</th>
        </tr>
      </thead>
      <tbody>
        {errors.map(({ status, code, when }) => (
          <tr key={`${code} ${when}`}>
            <td>{status}</td>
            <td>
              <code>{code}</code>
            </td>
            <td>
              <Prose text={when} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)
