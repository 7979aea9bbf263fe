import type { FrameProps } from '../../../kernel/page.ts'
import { SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Empty, Moment, Pager, Table } from '../../../web/dashboard/show.tsx'
import type { LoggedRequest } from '../requests/store.ts'

interface RequestsPageProps {
  frame: FrameProps
  values: Readonly<Record<string, string>>
  /** Ids and names of keys. */
  keys: readonly (readonly [string, string])[]
  requests: readonly LoggedRequest[]
  first: string | undefined
  next: string | undefined
}

const OUTCOMES = [
  ['', 'Any'],
  ['well', 'Succeeded'],
  ['failed', 'Refused or failed'],
] as const

const Status = ({ status, code }: Pick<LoggedRequest, 'status' | 'code'>) => (
  <>
    <span class={`badge ${status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}`}>{status}</span>
    {code !== null && <span class="under">{code}</span>}
  </>
)

const Row = ({ request, keys }: { request: LoggedRequest; keys: RequestsPageProps['keys'] }) => {
  const { at, action, status, code, microseconds, keyId, standsFor, requestId } = request
  return (
    <tr>
      <td>
        <Moment at={at} />
      </td>
      <td>
        <code>{action}</code>
        {standsFor > 1 && <span class="under">1 of {standsFor} similar requests</span>}
      </td>
      <td>
        <Status status={status} code={code} />
      </td>
      <td class="number">{(microseconds / 1_000).toFixed(1)} ms</td>
      <td>{keyId === null ? 'signed in' : (keys.find(([id]) => id === keyId)?.[1] ?? 'a key that is gone')}</td>
      <td>
        <code>{requestId}</code>
      </td>
    </tr>
  )
}

/** Requests that programs have made with the keys of an account. */
export const RequestsPage = ({ frame, values, keys, requests, first, next }: RequestsPageProps) => (
  <Frame
    {...frame}
    title="Requests"
    lead="API requests of the last day: the first of each minute, then a sample of one in a hundred. Request bodies are never stored."
  >
    <Card>
      <form method="get" action="/dashboard/requests" class="filters" aria-label="Filters" role="search">
        <SelectField filled={{ values }} name="outcome" label="Outcome" options={OUTCOMES} />
        <TextField filled={{ values }} name="action" label="Action" />
        <SelectField filled={{ values }} name="key" label="Key" options={[['', 'Any'], ...keys]} />
        <div class="send">
          <button class="plain">Show</button>
        </div>
      </form>
    </Card>
    <Card>
      {requests.length === 0 ? (
        <Empty title="No matching requests in the last day">
          <p>
            Every response has an <code>X-Request-Id</code> header that you can look up here.
          </p>
        </Empty>
      ) : (
        <Table label="Requests" head={['When', 'Action', 'Status', 'Duration', 'Key', 'ID']}>
          {requests.map((request) => (
            <Row key={request.id} request={request} keys={keys} />
          ))}
        </Table>
      )}
      <Pager first={first} next={next} />
    </Card>
  </Frame>
)
