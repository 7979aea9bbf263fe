import type { Representatives } from '../../kernel/ports.ts'
import type { Route } from '../../kernel/route.ts'
import { answer } from '../../kernel/answers.ts'
import type { Described } from '../../kernel/described.ts'
import { REPRESENTATIVE } from './actions/rep-info.ts'

export function repRoutes(reps: Pick<Representatives, 'list'>): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/reps.json',
      access: 'open',
      cacheable: true,
      run: async () => ({ json: await reps.list() }),
    },
  ]
}

export const describedRepRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/reps.json',
    id: 'listRepresentatives',
    tag: 'reps',
    summary: 'Representatives with weight, uptime and score, heaviest first.',
    who: 'anybody',
    answer: answer.list(REPRESENTATIVE),
    refuses: [502, 503, 504],
  },
]
