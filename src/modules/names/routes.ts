import { answer } from '../../kernel/answers.ts'
import { type OpenRoute, describedOf, routesOf } from '../../kernel/resource/routes.ts'
import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import type { Names } from '../../kernel/ports.ts'
import { type JsonObject, textOf } from '../../kernel/shape.ts'
import { aliases } from './actions/aliases.ts'
import { KNOWN_NAME } from './actions/known.ts'
import { showName } from './name.ts'

const { text, optional, list, record, address } = answer

const place = { tag: 'names', who: 'anybody', access: 'open', method: 'get', cacheable: true } as const

const routes: readonly OpenRoute<Names>[] = [
  {
    ...place,
    path: '/known.json',
    id: 'listKnownNames',
    summary: 'All current usernames and their addresses.',
    answer: list(KNOWN_NAME),
    run: (names) => ({ json: names.known().map(showName) }),
  },
  {
    ...place,
    path: '/aliases.json',
    id: 'listAliases',
    summary: 'Names of well-known accounts.',
    answer: aliases.output,
    run: (names) => ({ json: names.aliases() }),
  },
  {
    ...place,
    path: '/.well-known/nano-currency.json',
    id: 'lookUpNames',
    summary: 'Addresses of names, and names of addresses, as wallets look them up.',
    query: [
      { name: 'names', schema: text, description: 'Names or addresses, separated by commas; all names by default.' },
    ],
    answer: record({
      names: list(
        record({
          name: text,
          address,
          created: optional(text),
          expires: optional(text),
          created_unix: optional(answer.unix),
          expires_unix: optional(answer.unix),
        }),
      ),
    }),
    async run(names, { query: { names: asked } }) {
      // Without a name, the answer lists all, as a static file at this path would.
      if (asked === undefined) return { json: { names: names.known().map(showName) } }
      return { json: await lookUpNames(names, [asked].flat().map(textOf).join(',')) }
    },
  },
]

/** Lists of names, readable by everyone. */
export const nameRoutes = (names: Names) => routesOf(routes, names)
export const describedNameRoutes = describedOf(routes)

const NAMES_MAX = 100

/**
 * The document by which wallets look up the address of a name and the name of an address. A wallet asks just before it pays, so names are resolved by
 * the rules for payments. The answer repeats each name as it was asked for, because wallets compare it.
 */
async function lookUpNames(names: Names, asked: string): Promise<{ names: JsonObject[] }> {
  const given = [...new Set(asked.split(',').map((entry) => entry.trim().replace(/^@/, '')))].slice(0, NAMES_MAX)
  const found: JsonObject[] = []
  for (const entry of given) {
    const account = fromAddress(entry)
    if (account !== undefined) {
      const name = names.usernameOf(toAddress(account))
      if (name !== undefined) found.push({ name, address: toAddress(account) })
      continue
    }
    const address = await names.resolve(entry, 'money')
    if (address !== undefined) found.push({ name: entry, address })
  }
  return { names: found }
}
