import type { Representatives } from '../../kernel/ports.ts'
import { answer } from '../../kernel/answers.ts'
import { type OpenRoute, describedOf, routesOf } from '../../kernel/resource/routes.ts'
import { REPRESENTATIVE } from './actions/rep-info.ts'

type Listed = Pick<Representatives, 'list'>

const routes: readonly OpenRoute<Listed>[] = [
  {
    method: 'get',
    path: '/reps.json',
    id: 'listRepresentatives',
    tag: 'reps',
    summary: 'Representatives with weight, uptime and score, heaviest first.',
    who: 'anybody',
    access: 'open',
    cacheable: true,
    answer: answer.list(REPRESENTATIVE),
    refuses: [502, 503, 504],
    run: async (reps) => ({ json: await reps.list() }),
  },
]

export const repRoutes = (reps: Listed) => routesOf(routes, reps)
export const describedRepRoutes = describedOf(routes)
