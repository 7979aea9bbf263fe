import type { Representatives } from '../../kernel/ports.ts'
import type { Route } from '../../kernel/route.ts'

export function repRoutes(reps: Pick<Representatives, 'list'>): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/reps.json',
      door: 'open',
      cacheable: true,
      run: async () => ({ json: await reps.list() }),
    },
  ]
}
