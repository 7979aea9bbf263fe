import type { FrameProps } from '../../../kernel/page.ts'
import { SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Empty, Moment, Pager } from '../../../web/dashboard/show.tsx'
import { KINDS, type Part } from '../activity/sentences.ts'

interface ActivityPageProps {
  frame: FrameProps
  values: Readonly<Record<string, string>>
  /** Ids and addresses of possible actors. */
  people: readonly (readonly [string, string])[]
  /** Ids and names of the newest keys. */
  keys: readonly (readonly [string, string])[]
  rows: readonly { id: string; at: number; actor: string; who: string; sentence: readonly Part[] }[]
  csv: string
  first: string | undefined
  next: string | undefined
}

const Sentence = ({ frame, parts }: { frame: FrameProps; parts: readonly Part[] }) => (
  <>
    {parts.map((part, at) => {
      if (typeof part === 'string') return part
      const thing = <code>{part.text}</code>
      if (part.href === undefined || !frame.opens('GET', part.href)) return thing
      return (
        <a key={at} href={part.href}>
          {thing}
        </a>
      )
    })}
  </>
)

const Filters = ({ frame, values, people, keys }: Pick<ActivityPageProps, 'frame' | 'values' | 'people' | 'keys'>) => (
  <form method="get" action="/dashboard/activity" class="filters" aria-label="Filters" role="search">
    <SelectField
      filled={{ values }}
      name="person"
      label="Who"
      options={[['', 'Anyone'], ...people, ...keys, [frame.account.id, 'API key (before 0.3)']]}
    />
    <SelectField filled={{ values }} name="kind" label="About" options={[['', 'Anything'], ...Object.entries(KINDS)]} />
    <TextField filled={{ values }} name="from" label="From" type="date" />
    <TextField filled={{ values }} name="to" label="To" type="date" />
    <div class="send">
      <button class="plain">Show</button>
    </div>
  </form>
)

/** Who changed what, and when. Entries are never removed. */
export const ActivityPage = ({ frame, values, people, keys, rows, csv, first, next }: ActivityPageProps) => (
  <Frame
    {...frame}
    title="Activity"
    lead="A log of sign-ins and of changes to people, keys, secrets and money."
    actions={
      <a class="button plain" href={csv} download>
        CSV
      </a>
    }
  >
    <Card>
      <Filters frame={frame} values={values} people={people} keys={keys} />
    </Card>
    <Card>
      {rows.length === 0 ? (
        <Empty title="No matching activity">
          {Object.values(values).some((value) => value !== '') && (
            <p>
              <a href="/dashboard/activity">Show everything</a>
            </p>
          )}
        </Empty>
      ) : (
        <ul class="deeds" aria-label="Activity">
          {rows.map((row) => (
            <li key={row.id}>
              <strong>{row.actor === frame.member?.id ? 'You' : row.who}</strong>{' '}
              <Sentence frame={frame} parts={row.sentence} />
              <span class="under">
                <Moment at={row.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Pager first={first} next={next} />
    </Card>
  </Frame>
)
