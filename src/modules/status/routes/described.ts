import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { COMPONENT_NAMES, STATES } from '../components.ts'

const { list, orNull, record, text, words } = answer
const STATE = words(...STATES, 'unknown')
const COMPONENT = words(...COMPONENT_NAMES)

export const describedStatusRoutes: readonly Described[] = [
  {
    tag: 'status',
    who: 'anybody',
    method: 'get',
    path: '/status.json',
    id: 'readStatus',
    summary: 'Status of the service: its components now and by day for 90 days, and incidents.',
    answer: record({
      looked_at: orNull(text),
      components: list(
        record({
          component: COMPONENT,
          name: text,
          state: STATE,
          uptime_percent: orNull(text),
          days: list(record({ day: text, state: STATE, uptime_percent: orNull(text) })),
        }),
      ),
      incidents: list(record({ component: COMPONENT, state: STATE, started_at: text, ended_at: orNull(text) })),
    }),
  },
]
