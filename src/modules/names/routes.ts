import type { Names } from '../../kernel/ports.ts'
import type { Route } from '../../kernel/route.ts'
import { lookUpNames } from './domain/look-up.ts'
import { showName } from './shape-name.ts'

const LIST = { method: 'GET', cacheable: true } as const

/** The names that everybody may read, as lists. */
export function nameRoutes(names: Names): readonly Route[] {
  return [
    { ...LIST, path: '/known.json', door: 'open', run: () => ({ json: names.known().map(showName) }) },
    { ...LIST, path: '/aliases.json', door: 'open', run: () => ({ json: names.aliases() }) },
    {
      ...LIST,
      path: '/.well-known/nano-currency.json',
      door: 'open',
      async run({ query: { names: asked } }) {
        // Without names, all of them: that is what the document is where it lies in a folder.
        if (asked === undefined) return { json: { names: names.known().map(showName) } }
        return { json: await lookUpNames(names, [asked].flat().join(',')) }
      },
    },
  ]
}
