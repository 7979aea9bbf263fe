import { Layout } from '../../../web/layout.tsx'
import { COMPONENTS } from '../components.ts'
import type { ServiceStatus, ShownComponent, ShownDay } from '../domain/status.ts'

const WORDS = { up: 'Operational', degraded: 'Degraded', down: 'Down', off: 'Not set up' } as const
const TONES = { up: 'good', degraded: 'warn', down: 'bad', off: 'quiet' } as const
const toMinute = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function headline({ components }: ServiceStatus): string {
  const states = components.map(({ state }) => state)
  if (states.includes(undefined)) return 'No data yet'
  if (states.includes('down')) return 'Some systems are down'
  return states.includes('degraded') ? 'Some systems are degraded' : 'All systems operational'
}

const watched = (days: readonly ShownDay[]) => days.filter(({ state }) => state !== undefined).length

const Day = ({ day }: { day: ShownDay }) => {
  const label = day.state === undefined ? 'no data' : `${WORDS[day.state].toLowerCase()}, ${day.uptime} % up`
  return (
    <li class={`day ${day.state === undefined ? 'none' : TONES[day.state]}`} title={`${day.day}: ${label}`}>
      <span class="unseen">{`${day.day}: ${label}`}</span>
    </li>
  )
}

const Component = ({ shown: { component, state, uptime, days } }: { shown: ShownComponent }) => (
  <section class="component">
    <h2>
      {COMPONENTS[component]}
      <span class={`badge ${state === undefined ? 'quiet' : TONES[state]}`}>
        {state === undefined ? 'No data' : WORDS[state]}
      </span>
    </h2>
    {state === 'off' ? (
      <p class="soft">This gateway has no mail server: mails are kept for its operator and not sent.</p>
    ) : (
      <>
        <ol class="days" aria-label={`${COMPONENTS[component]}, the last 90 days`}>
          {days.map((day) => (
            <Day key={day.day} day={day} />
          ))}
        </ol>
        <p class="ends soft">
          <span>{days[0]?.day}</span>
          <span>{uptime === undefined ? 'No data yet.' : `${uptime} % on ${watched(days)} of 90 days`}</span>
          <span>{days.at(-1)?.day}</span>
        </p>
      </>
    )}
  </section>
)

/** Shows users whether a problem is on the gateway's side. */
export const StatusPage = ({ status, devnet }: { status: ServiceStatus; devnet: boolean }) => (
  <Layout title="Status" styles={['status.css']} devnet={devnet}>
    <h1>{headline(status)}</h1>
    <p class="soft">
      {status.lookedAt === undefined ? 'The first check is running.' : `Last checked ${toMinute(status.lookedAt)}.`}{' '}
      Also as JSON: <a href="/status.json">status.json</a>
    </p>
    {status.components.map((shown) => (
      <Component key={shown.component} shown={shown} />
    ))}
    <h2>Incidents</h2>
    {status.incidents.length === 0 ? (
      <p>No incidents in the last 90 days.</p>
    ) : (
      <ul class="incidents">
        {status.incidents.map(({ id, component, state, startedAt, endedAt }) => (
          <li key={id}>
            <strong>{COMPONENTS[component]}</strong>: {WORDS[state].toLowerCase()}, {toMinute(startedAt)} to{' '}
            {endedAt === null ? 'now' : toMinute(endedAt)}
          </li>
        ))}
      </ul>
    )}
  </Layout>
)
